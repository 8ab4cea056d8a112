// What the sections of a report share: contrasts, the runs behind them, and how schemes look in charts.
#ifndef BITTER_FACTS_H
#define BITTER_FACTS_H

#include "lab/compare/outcome.h"
#include "lab/report/facts/words.h"
#include "lab/report/page/page.h"
#include "lab/run/run.h"

// The setting whose models are looked at closely: the last one, which on a ladder is the largest.
int report_setting(const Outcome *outcome);
// " at 70k", or "" when there is one setting.
const char *report_at(char words[NAME_CAPACITY + 8], const Outcome *outcome, int setting);

// Tokens of a window in training, in this setting.
double report_context(const Outcome *outcome, int setting);

// Every pair of schemes is compared; contrasts are the pairs that the comparison is about. Returns their number.
int report_contrasts(const Outcome *outcome);
// Contrast i in a setting, with its corrected interval.
Finding report_contrast(const Outcome *outcome, int i, int setting);
// Was it named when there were no results yet? An exploratory contrast was not.
bool report_primary(const Outcome *outcome, int i);
// How many intervals hold at once.
double report_comparisons(const Outcome *outcome);
// The two arms of a contrast.
int report_arm(const Outcome *outcome, int i);
int report_other(const Outcome *outcome, int i);

// Any two arms in a setting; exploratory, corrected for all pairs of that setting.
Finding report_pair(const Outcome *outcome, int arm, int other, int setting);

// Any two arms: the contrast if it is one, with its sign changed if its arms are in the other order; else the pair.
Finding report_best_known(const Outcome *outcome, int arm, int other, int setting);

// A line for a scheme: a learned scheme has the hue of its designed one, and a dash.
void report_line(Chart *chart, const Outcome *outcome, int arm);
// A line for a contrast, in the hue of its schemes; contrasts of the same hue differ in their dash.
void report_contrast_line(Chart *chart, const Outcome *outcome, int i);
int report_hue(const Outcome *outcome, int arm);

// The learning rate of a scheme's runs in a setting, which it chose if there was a choice.
double report_rate(const Outcome *outcome, int setting, int arm);

// Open the model of a scheme's first seed in report_setting. report_has_weights tells whether there is one: there is
// none when the run diverged or its weights were removed. report_enters: it has weights, and its scheme enters the
// model at `where`.
bool report_open_run(Run *run, const Outcome *outcome, int arm, Error *error);
bool report_has_weights(const Outcome *outcome, int arm);
bool report_enters(const Outcome *outcome, int arm, Enters where);

// The path of a file of that run.
bool report_run_path(char path[PATH_CAPACITY], const Outcome *outcome, int arm, const char *file, Error *error);

// Write two cells, a difference and an interval, each "-" where it is not known. Returns whether both are known.
bool report_difference_cells(Page *page, double mean, Interval interval);

// The change of a quantity, by seed, from the trained length to `times` that length.
Paired report_change(const Outcome *outcome, int setting, int arm, const char *quantity, double times);

// Mean over the complete seeds of what was measured at x; NAN where a seed has none. And its standard deviation, NAN
// with one seed.
double report_mean(const Outcome *outcome, int setting, int arm, const char *quantity, double x);
double report_deviation(const Outcome *outcome, int setting, int arm, const char *quantity, double x);

#endif
