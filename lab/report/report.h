// Tables and pages of what a comparison found.
#ifndef BITTER_REPORT_H
#define BITTER_REPORT_H

#include "base/text.h"
#include "lab/compare/outcome.h"
#include "lab/report/page.h"
#include "lab/run/run.h"

#include <stdio.h>

// How the schemes of one size stand: a table in plain text.
void report_table(FILE *out, const Outcome *outcome, int size);

// What the last column of a table of standings says of a scheme.
const char *standing_words(const Outcome *outcome, const Standing *standing, int arm);

// Print the table and write results.csv, report.md and report.html into the comparison's directory. Fails (input) when
// not one seed is complete.
bool report(const Comparison *comparison, FILE *out, Error *error);

// The sections of the page, by file; each writes nothing where a comparison has nothing to say. Fail as page_chart
// does.
bool report_answer(Page *page, const Outcome *outcome, Error *error);    // the question, the answer, the table
bool report_training(Page *page, const Outcome *outcome, Error *error);  // loss against tokens and time; cost
bool report_lengths(Page *page, const Outcome *outcome, Error *error);   // contexts, positions, more context
bool report_effects(Page *page, const Outcome *outcome, Error *error);   // known effects: reproduced or not
bool report_scale(Page *page, const Outcome *outcome, Error *error);     // gap against compute
bool report_learned(Page *page, const Outcome *outcome, Error *error);   // what was learned
bool report_attention(Page *page, const Outcome *outcome, Error *error); // attention by distance
bool report_tasks(Page *page, const Outcome *outcome, Error *error);     // answers by length
bool report_repeat(Page *page, const Outcome *outcome, Error *error);    // how to do it again

// The sentence on how gaps move with compute, where there is more than one size.
void report_trend_sentence(Page *page, const Outcome *outcome);

// The first seed's model of a scheme at the largest size, and whether there is one: not when the run diverged.
bool report_open_run(Run *run, const Outcome *outcome, int arm, Error *error);
bool report_has_weights(const Outcome *outcome, int arm);

// "+0.0031 (-0.0010 to +0.0072), not resolved", or why there is no interval.
void report_difference(Text *text, const Paired *difference, const char *words);

// Two cells, a difference and its interval, as far as there are such; were there both?
bool report_difference_cells(Page *page, const Paired *difference);

// The change of a quantity from one x to another, by seed.
Paired report_change(const Outcome *outcome, int size, int arm, const char *quantity, double from, double to);

// That of every scheme (arms) from the trained length to `times` that, with p-values adjusted by holm() among them.
void report_changes(Paired *changes, double *adjusted, const Outcome *outcome, int size, const char *quantity,
                    double times);

// Mean over the complete seeds of what was measured at x; NAN where a seed has none.
double report_mean(const Outcome *outcome, int size, int arm, const char *quantity, double x);

#endif
