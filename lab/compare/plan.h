// What `bitter compare` trains: every scheme from every seed, with every learning rate in every setting, and on every
// task.
#ifndef BITTER_PLAN_H
#define BITTER_PLAN_H

#include "base/file/file.h"
#include "train/train_options.h"
#include "lab/stats/paired.h"
#include "posenc/mix.h"

#include <jansson.h>

// As many as a page can show.
enum { VARIANTS_MOST = 64, TEXTS_MOST = 8, SETTINGS_MOST = 64, RATES_MOST = 16, TASKS_MOST = 8 };
enum { DATE_CAPACITY = 24 };
#define NAME_CAPACITY 96 // of a text and of a setting, with the final 0

// What is compared: a scheme with its options and windows, under the name that tables show.
typedef struct {
    char name[TEXT_CAPACITY], pos[TEXT_CAPACITY]; // `pos` is the full specification of the scheme
    char typed[TEXT_CAPACITY];                    // the scheme as it was given, for messages
    char window[TEXT_CAPACITY];                   // its own --window; "" = that of the options
    char stretch[TEXT_CAPACITY];                  // of rotations in windows longer than the trained one; or ""
    const Scheme *scheme;                         // NULL: several are combined
    unsigned enters;                              // where its schemes enter the model: bit 1 << Enters
    bool learned;                                 // the scheme, with its options, has parameters of its own
    char own_rates[TEXT_CAPACITY]; // SCHEME@LR or SCHEME@LR/LR/...: its own learning rates; "" = those of the plan
    double lr[SETTINGS_MOST];      // own_rates as numbers
    int lr_count;                  // how many: 0, one for all settings, or one for each
} Variant;

// A text that models are trained on.
typedef struct {
    char data[TEXT_CAPACITY], name[NAME_CAPACITY]; // --data; the last part of its path, or what follows "builtin:"
    int vocab;
    long long tokens; // of its training part
} PlanText;

// In a setting, variants are trained and compared: a text, the model's shape, the context and the amount of training.
typedef struct {
    char name[NAME_CAPACITY]; // of what differs between the settings: "70k-20tpp", "book-128"; "" if there is only one
    int text;                 // index into plan.texts
    long long layers, heads, width, context, steps;
    long long parameters; // of the model without positions
} Setting;

#define OWN_WINDOW  " --window "  // between a scheme and its windows
#define OWN_STRETCH " --stretch " // between a scheme and its stretch (see extension_formula)
#define MINUS       " - "         // between the names of a contrast; no scheme's name holds it

// A difference to test, between the losses of two variants. A later plan may leave out the variants, but not the
// contrast.
typedef struct {
    char variant[TEXT_CAPACITY], other[TEXT_CAPACITY]; // names; the loss of `variant` minus that of `other`
    char named[DATE_CAPACITY];                         // when, as 2026-01-31T23:59:59Z
    int after;                                         // how many runs were done then; 0 = it is a primary contrast
} Contrast;

typedef struct {
    TrainOptions base; // what all runs share; `seed` is the first one; data and context are those of the first setting
    Variant *variants;
    Variant *left_out; // schemes of earlier plans, of which runs were done
    PlanText texts[TEXTS_MOST];
    Setting *settings;
    Contrast *contrasts;
    double rates[RATES_MOST];              // rising
    int looks[SEEDS_MOST];                 // how many seeds had results when the number of seeds was changed; rising
    char tasks[TASKS_MOST][TEXT_CAPACITY]; // "builtin:copy:max=5"
    int variant_count, left_out_count, text_count, setting_count, rate_count, task_count, seeds;
    int contrast_count, look_count;
    int seen;               // the most seeds that were complete when schemes, rates or tasks were changed
    int most_seeds;         // of an earlier plan of which runs were done; 0 = none had more
    int most_trained;       // schemes with weights of their own in this plan, and in earlier ones of which runs were
                            // done; 0 = no earlier one had others
    int rates_after;        // how many runs were done when the learning rates were changed last; 0 = none
    bool default_contrasts; // no contrast was named: they are those of plan_default_contrasts
    int reference;          // the variant that the others are compared with
    long long task_steps;   // of runs on tasks; 0 = there never was a task here
    int exercises;          // to score at each length of a task; 0 = there never was a task here
    int threads;            // of a run
    int format;             // of the file it was read from; 0 = older than PLAN_FORMAT
    char command[2048];     // as it was typed
} Plan;

// The format of plans. In older ones, start=random of rope-learned and alibi-learned meant what start=wide means now.
enum { PLAN_FORMAT = 2 };

void plan_free(Plan *plan);

// --- how a plan is made, in this order: texts, seeds, variants, settings, rates, tasks, contrasts. All fail (input)
// ---

// Add a text, with the size of its vocabulary and the number of its training tokens.
bool plan_text(Plan *plan, const char *data, int vocab, long long tokens, Error *error);

// Use `seeds` seeds, beginning with the one in the options.
bool plan_seeds(Plan *plan, long long seeds, Error *error);

// Parse words "SCHEME" or "LABEL=SCHEME", which may be followed by learning rates of its own, "@LR" or "@LR/LR/...",
// and by its own " --window KEYS" and " --stretch METHOD". Find the variant called `reference` ("" = the first).
bool plan_variants(Plan *plan, char *const *words, int count, const char *reference, Error *error);

// Check the name, the scheme as it was typed, the window and the learning rates of a variant (either of the last two
// may be ""), and set the rest; a stretch is checked in each setting. labelled: the name is not the scheme itself.
bool variant_set(Variant *variant, bool labelled, Error *error);

// Do they have the same learning rates of their own, or none?
bool variant_same_rates(const Variant *a, const Variant *b);

// What the settings are made of. Empty lists: the shape and the context of the options.
typedef struct {
    const char *scale, *tokens_per_parameter, *contexts; // "0.1M,300k", "5,20,80", "128,256"
    bool layers, heads;                                  // these options stay fixed in `scale`
    bool steps; // `scale` without tokens per parameter has the steps of the options, not TOKENS_PER_PARAMETER
} SettingLists;

// Make a setting of every combination of text, context, size and tokens per parameter, in this order.
bool plan_settings(Plan *plan, const SettingLists *lists, Error *error);

// Parse the list "3e-4,1e-3"; "" is the learning rate of the options. rates_set checks the rates of the plan and those
// of its variants: a variant with several rates must have one for each setting.
bool plan_rates(Plan *plan, const char *list, Error *error);
bool rates_set(Plan *plan, Error *error);

// Parse the list "copy:max=5 parity", or add one task.
bool plan_tasks(Plan *plan, const char *list, Error *error);
bool plan_task(Plan *plan, const char *task, Error *error);

// Name a contrast "A - B".
bool plan_contrast(Plan *plan, const char *text, const char *named, int after, Error *error);

// Name each variant minus the reference, but none that has the weights of another.
bool plan_default_contrasts(Plan *plan, const char *named, int after, Error *error);

// The contrast of two variants, in either direction, or NULL.
const Contrast *plan_named(const Plan *plan, const char *variant, const char *other);

// The same, or the contrast of two others with the same weights (plan_weights), which in windows of the trained length
// is the same difference.
const Contrast *plan_compared(const Plan *plan, int variant, int other);

// The size of the family of primary contrasts: each, also of schemes that the plan has left out since, counts once in
// every setting and, if there are several texts, once for every setting over the texts.
int plan_family(const Plan *plan);

// Continue with the contrasts and the looks of `before`, a plan of the same directory of which `done` runs are done and
// `seen` seeds are complete (or were, before schemes, rates or tasks were added). The contrasts of `before` stay as
// they were named; new ones of `plan` are added, or dropped if they are defaults and those of `before` are not. If no
// run is done, contrasts that `plan` names replace those of `before`, and defaults replace defaults. Also keeps how
// many seeds and schemes were planned, and when learning rates changed.
bool plan_follow(Plan *plan, const Plan *before, int done, int seen, Error *error);

// The scheme of this name in the plan, or among those that were left out; NULL = it is new.
const Variant *plan_earlier(const Plan *plan, const char *name);

// May `plan` continue in the directory of `before`? Schemes, seeds, learning rates and tasks may change. Fails (input)
// on the first difference in other options, texts or settings and, if both plans have had tasks, in --task-steps or
// --exercises; also when a variant of the same name, left out or not, has another scheme, window or learning rate of
// its own.
bool plan_agrees(const Plan *plan, const Plan *before, const char *path, Error *error);

// Write compare.json. `data` lists the fingerprints of the texts (data_json in train/config.h), or is NULL.
bool plan_write(const char *path, const Plan *plan, const json_t *data, Error *error);
// Read it into {0} or in place of another plan, and set *data to the fingerprints, to be released, or NULL. Everything
// is checked as if it had been typed, because names become paths and words of tables, pages and plots. Fails (input).
bool plan_read(Plan *plan, json_t **data, const char *path, Error *error);

// --- variants ---

// The variant of that name, or -1.
int plan_variant(const Plan *plan, const char *name);

// The variant whose weights this one has: itself, or, because a stretch is no part of training, the one of its scheme,
// windows and rates that is not stretched, or the first that is, if all are.
int plan_weights(const Plan *plan, int variant);

// The number of variants that are trained, that is, have weights of their own; and the number of their pairs, counting
// variants of earlier plans, whose results may have been seen, but at least 1.
int plan_trained(const Plan *plan);
int plan_pairs(const Plan *plan);

// Does the variant have this scheme and no other?
bool variant_is(const Variant *variant, const char *scheme);

// Fail with the reason, preceded by the variant's label; without a label, the reason names the scheme.
bool variant_fail(const Variant *variant, const Error *reason, Error *error);

// --- settings ---

// Append a part to the name of a setting, with a '-' in between: "70k-20tpp".
void setting_name_add(char name[NAME_CAPACITY], const char *format, ...) FORMAT_CHECK(2, 3);

// The number of parameters that the name of a size asks for, such as "300k" or "1M"; NAN when it is not such a name.
double plan_size_parameters(const char *name);

// Parameters of a model without those of its positions.
long long plan_parameters(const TrainOptions *base, long long layers, long long heads, long long width, int vocab);

// Training tokens of a setting: in all, for each parameter, and for each token of the training text.
double setting_tokens(const Plan *plan, int setting);
double setting_tokens_per_parameter(const Plan *plan, int setting);
double setting_epochs(const Plan *plan, int setting);
// Floating point operations for each training token of a variant, counted in full (gpt_operations in model/gpt.h).
double setting_operations(const Plan *plan, int setting, int variant);

// Are there several settings, which differ in the amount of compute alone: on one text, with one context?
bool plan_is_ladder(const Plan *plan);

// --- jobs ---

// One run, done or still to be done. Seeds are counted from 0.
typedef struct {
    int setting, task; // task -1 = the text; tasks have the shape of the options, and setting 0
    int variant, rate, seed;
} Job;

// Jobs in the order in which they are done: all jobs of a seed before the next seed, so that tables of the first seeds
// are complete early. plan_job_index is the inverse of plan_job.
int plan_job_count(const Plan *plan);
Job plan_job(const Plan *plan, int index);
int plan_job_index(const Plan *plan, const Job *job);
// The name of the job's directory, such as "0.3M-rope-lr0.003-seed1337" or "rope+yarn:factor=4-seed1337": the setting,
// the scheme that trains the weights and the stretch, a learning rate that is not that of the options, and the seed.
// The names of different jobs differ. Returns `name`.
const char *plan_job_name(char name[PATH_CAPACITY], const Plan *plan, const Job *job);
// On tasks, a variant with several learning rates has the first of them.
double plan_job_rate(const Plan *plan, const Job *job);
// The options of the job's run; --out is still to be set. While it trains, it is validated on the first CURVE_TOKENS
// validation tokens at most.
#define CURVE_TOKENS 32768
TrainOptions plan_job_options(const Plan *plan, const Job *job);
double plan_job_tokens(const Plan *plan, const Job *job); // on which it trains

// --- names and lists ---

// Labels become names of files and cells of tables and CSV, so no character may have a special meaning there.
#define LABEL_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// Parse "5,20,80" into values (most), each as the row of an option over TrainOptions has it. Sets *count, 0 for an
// empty list. Fails (input), naming the option as `label`, on anything but such numbers, when there are more than
// `most`, and when two agree to five digits, the precision of the names of runs.
bool list_numbers(double *values, int *count, int most, const char *list, const Option *row, const char *label,
                  Error *error);

#endif
