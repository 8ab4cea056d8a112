// The sections of a report's page, one file each, and what they share.
#ifndef BITTER_SECTIONS_H
#define BITTER_SECTIONS_H

#include "base/file/text.h"
#include "lab/compare/outcome.h"
#include "lab/report/page/page.h"
#include "lab/run/run.h"

// In the order of the page. A section writes nothing when the comparison has nothing for it, and fails as page_chart
// does, or when a run cannot be read.
bool report_answer(Page *page, const Outcome *outcome, Error *error);      // the question, the answer, its limits
bool report_standings(Page *page, const Outcome *outcome, Error *error);   // loss and gap of every scheme, by size
bool report_training(Page *page, const Outcome *outcome, Error *error);    // loss against tokens and time
bool report_cost(Page *page, const Outcome *outcome, Error *error);        // parameters and time of each scheme
bool report_lengths(Page *page, const Outcome *outcome, Error *error);     // windows longer than the trained one
bool report_effects(Page *page, const Outcome *outcome, Error *error);     // published effects: reproduced or not
bool report_scale(Page *page, const Outcome *outcome, Error *error);       // gap against compute
bool report_learned(Page *page, const Outcome *outcome, Error *error);     // what was learned: embedding tables,
bool report_frequencies(Page *page, const Outcome *outcome, Error *error); // rotation frequencies,
bool report_biases(Page *page, const Outcome *outcome, Error *error);      // and biases by distance
bool report_attention(Page *page, const Outcome *outcome, Error *error);   // attention by distance
bool report_tasks(Page *page, const Outcome *outcome, Error *error);       // right answers by length
bool report_repeat(Page *page, const Outcome *outcome, Error *error);      // how to repeat the comparison

// The sentence on how gaps change with compute; it is part of the answer, and says so where there is only one size.
void report_trend_sentence(Page *page, const Outcome *outcome);

// What the last column of a table of standings says about a scheme.
const char *standing_words(const Outcome *outcome, const Standing *standing, int arm);

// Open the model of a scheme's first seed at the largest size. report_has_weights tells whether there is one: there is
// none when the run diverged or its weights were removed. report_enters: it has weights, and its scheme enters the
// model at `where`.
bool report_open_run(Run *run, const Outcome *outcome, int arm, Error *error);
bool report_has_weights(const Outcome *outcome, int arm);
bool report_enters(const Outcome *outcome, int arm, Enters where);

// The path of a file of that run.
bool report_run_path(char path[PATH_CAPACITY], const Outcome *outcome, int arm, const char *file, Error *error);

// "+0.0031 (-0.0010 to +0.0072), not resolved", or why there is no interval.
void report_difference(Text *text, const Paired *difference, const char *words);

// Write two cells, a difference and its interval, each "-" where it is not known. Returns whether both are known.
bool report_difference_cells(Page *page, const Paired *difference);

// For every scheme (arms): the change of a quantity, by seed, from the trained length to `times` that length, with
// p-values adjusted by holm() among the schemes.
void report_changes(Paired *changes, double *adjusted, const Outcome *outcome, int setting, const char *quantity,
                    double times);

// Mean over the complete seeds of what was measured at x; NAN where a seed has none.
double report_mean(const Outcome *outcome, int setting, int arm, const char *quantity, double x);

#endif
