// What `bitter compare` trains: every scheme from every seed at every learning rate, at every size, and on every task.
#ifndef BITTER_PLAN_H
#define BITTER_PLAN_H

#include "base/file.h"
#include "lab/run/train_options.h"
#include "lab/stats/paired.h"
#include "posenc/posenc.h"

#include <jansson.h>

enum { ARMS_MOST = 64, SIZES_MOST = 8, RATES_MOST = 16, TASKS_MOST = 8 };

// A scheme under the name that tables show.
typedef struct {
    char name[TEXT_CAPACITY], pos[TEXT_CAPACITY];
    long long steps[SIZES_MOST]; // of its runs on text, by size; the same for all unless the budget is time
} Arm;

typedef struct {
    char name[16]; // "0.3M"; "" when nothing but the options says how large models are
    long long layers, heads, width, steps;
    size_t parameters; // of the model without positions
} Size;

typedef struct {
    TrainOptions base; // what all runs share; `seed` is the first one
    Arm arms[ARMS_MOST];
    Size sizes[SIZES_MOST];
    double rates[RATES_MOST];
    char tasks[TASKS_MOST][TEXT_CAPACITY]; // "builtin:copy:max=5"
    int arm_count, size_count, rate_count, task_count, seeds;
    int reference;        // the arm that others are compared with
    long long task_steps; // of runs on tasks
    int exercises;        // of each length that tasks are examined with
    bool by_seconds;      // all schemes have the same time, not the same tokens
    int threads;          // of a run
    char command[2048];   // that asked for it
} Plan;

// One run. Seeds are counted from 0.
typedef struct {
    int size, task; // task -1 = the text; tasks are trained at the size of the options
    int arm, rate, seed;
} Job;

// Seeds from the options' own one on, of which the last must be a number, too. Fails (input).
bool plan_seeds(Plan *plan, long long seeds, Error *error);

// Schemes "NAME" or "LABEL=NAME", with options; names must differ. Fails (input) naming what is wrong.
bool plan_arms(Plan *plan, char *const *words, int count, const char *reference, Error *error);

// Lists "3e-4,1e-3", "0.1M,0.3M", "copy:max=5 parity"; "" = what the options say, or none. A size's number of steps is
// what sees `tokens_per_parameter` tokens for each of its parameters. Fail (input).
bool plan_rates(Plan *plan, const char *list, Error *error);
bool plan_sizes(Plan *plan, const char *list, double tokens_per_parameter, int vocab, Error *error);
bool plan_tasks(Plan *plan, const char *list, Error *error);

// The number of parameters that a size's name asks for: "300k", "1M"; NAN when that is no such name.
double plan_size_parameters(const char *name);

int plan_job_count(const Plan *plan);
// Jobs in the order in which they are done: seeds outermost, so that a comparison of few seeds is complete early.
Job plan_job(const Plan *plan, int index);
// "0.3M-rope-lr0.003-seed1337", sizes and learning rates left out where they are those of the options: its directory's
// name, which says all that is different between jobs.
bool plan_job_name(char name[PATH_CAPACITY], const Plan *plan, const Job *job, Error *error);
// The options of the run; `out` is left alone.
void plan_job_options(TrainOptions *options, const Plan *plan, const Job *job);
// The tokens that it will work on, to tell how far all is.
double plan_job_tokens(const Plan *plan, const Job *job);

// The scheme of an arm, and the arm, or -1, that is the designed scheme whose numbers it learns.
const Scheme *plan_scheme(const Plan *plan, int arm);
int plan_designed(const Plan *plan, int arm);

// compare.json in and out. Runs of plans with other base options, sizes or budget cannot stand in one directory, nor
// tasks with other --task-steps or --exercises than those before: plan_agrees fails (input) with the first difference.
// Schemes, seeds, learning rates and tasks may change. What is read is checked as what is typed is, because names
// become paths, and words of tables, pages and plots.
// `data` is the text's fingerprint (data_json in lab/run/config.h) or NULL; plan_data reads it, to be released: NULL in
// files from before it was recorded.
bool plan_write(const char *path, const Plan *plan, const json_t *data, Error *error);
bool plan_read(Plan *plan, const char *path, Error *error);
bool plan_data(json_t **data, const char *path, Error *error);
bool plan_agrees(const Plan *plan, const Plan *before, const char *path, Error *error);

// What `before` has and `plan` has not: "the schemes rope, alibi; the seeds 1339, 1340", or "".
void plan_left_out(char text[TEXT_CAPACITY], const Plan *plan, const Plan *before);

#endif
