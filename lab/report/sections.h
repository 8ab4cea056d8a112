// The sections of a report, and what they share: contrasts, sentences about differences, the runs behind them, and how
// schemes look in charts.
#ifndef BITTER_SECTIONS_H
#define BITTER_SECTIONS_H

#include "lab/compare/outcome.h"
#include "lab/report/page/chart.h"
#include "train/run.h"

typedef struct {
    const Outcome *outcome;
    const Plan *plan;                          // of the outcome
    char names[SETTINGS_MOST][NAME_CAPACITY];  // of what differs between the settings: "book-59k-20tpp-128"
    char at[SETTINGS_MOST][NAME_CAPACITY + 4]; // " at 59k", " on book", "" if there is only one setting
    int settings_over_texts;                   // number of settings of each text; 0 with one text
    Difference *differences; // (contrasts, each) that were named, in all settings, then over the texts
    int contrasts, each;
    Difference *longer; // (longer_count) in windows of 2, 4 and 8 times the trained length: one family
    int longer_count;
    int setting; // the one with the most compute on the last text: its models are opened
} Facts;

// Fails (run) without memory.
bool facts_gather(Facts *facts, const Outcome *outcome, Error *error);
void facts_free(Facts *facts);

// Tokens of a window in training.
double report_context(const Facts *facts, int setting);

// Contrast i in the first setting. In memory, those in the other settings follow it, then those over the texts.
const Difference *report_contrast(const Facts *facts, int i);
// The name of the setting of a difference; for one over the texts, without the name of a text.
const char *report_setting_name(const Facts *facts, const Difference *d);

// The first scheme without positions, or -1.
int report_none(const Facts *facts);

// --- sentences ---
// Append one sentence about a contrast in `count` settings: "rope is better than learned by 0.15 nats a token (0.13 to
// 0.17)." Differences that are not resolved are not called equal.
void words_contrast(Text *text, const Facts *facts, const Difference *differences, int count);

// Append a sentence if it is true, and return whether: no run has left the plateau; a chosen rate is at an end of the
// grid.
bool words_plateau(Text *text, const Facts *facts, int setting);
bool words_grid_ends(Text *text, const Facts *facts, int setting);

// --- charts and means ---
// Begin a line for a scheme; its hue is its number. Learned schemes are dashed. Stretched schemes, whose line may
// coincide with another's, and schemes from the ninth on, whose hues repeat, have other dashes.
void report_line(Chart *chart, const Facts *facts, int variant);

// A quantity over the complete seeds: its mean, NAN where a seed has none, and standard deviation, NAN with one seed;
// and the losses in trained windows.
Paired report_summary(const Facts *facts, int setting, int variant, const char *quantity, double x);
Paired report_loss(const Facts *facts, int setting, int variant);
// The shares of right answers at lengths first to last, in percent: NAN where a seed was asked nothing or diverged.
Paired report_shares(const Facts *facts, int task, int variant, double first, double last);

// The number of intervals in two families, each of which holds at once: changes along a ladder, and tasks.
int report_changes(const Facts *facts);
int report_task_gaps(const Facts *facts);

// Floating point operations of training a scheme's run in a setting.
double report_compute(const Plan *plan, int setting, int variant);
// A chart for a ladder: the loss of each scheme against its own compute. Fails as page_chart does.
bool report_loss_against_compute(Page *page, const Facts *facts, Error *error);

// --- the sections, in the page's order ---
// A section writes nothing when the comparison has nothing for it, and fails as page_chart does, or when a run cannot
// be read.
bool report_answer(Page *page, const Facts *facts, Error *error);   // the best scheme, contrasts, settings
bool report_rates(Page *page, const Facts *facts, Error *error);    // learning rates, and which were chosen
bool report_scale(Page *page, const Facts *facts, Error *error);    // differences against compute
bool report_has_pairs(const Facts *facts);                          // is there a pair without a contrast?
bool report_pairs(Page *page, const Facts *facts, Error *error);    // differences of all pairs
bool report_seeds(Page *page, const Facts *facts, Error *error);    // what this number of seeds can resolve
bool report_training(Page *page, const Facts *facts, Error *error); // loss against tokens and time
bool report_lengths(Page *page, const Facts *facts, Error *error);  // by window and position
bool report_tasks(Page *page, const Facts *facts, Error *error);    // right answers by length
bool report_cost(Page *page, const Facts *facts, Error *error);     // parameters, operations and time
bool report_models(Page *page, const Facts *facts, Error *error);   // what they have learned, and heads
bool report_limits(Page *page, const Facts *facts, Error *error);   // how it was judged, and what it does not show
bool report_repeat(Page *page, const Facts *facts, Error *error);   // how to repeat the comparison

// A table and a chart of the heads of a run's model; if its text has gone, a paragraph.
bool report_heads(Page *page, const char *name, const Run *run, Error *error);

#endif
