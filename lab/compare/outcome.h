// What the runs of a comparison have measured, and the statistics that follow from it.
#ifndef BITTER_OUTCOME_H
#define BITTER_OUTCOME_H

#include "lab/compare/work.h"
#include "lab/stats/paired.h"

typedef struct {
    char quantity[16]; // see lab/compare/measure.h
    double x, value;
    double count;
} Measured;

typedef struct {
    Measured *rows;
    int count; // 0 = the run is not done
} Measures;

typedef struct {
    const Comparison *comparison;
    Measures *jobs;                                // (plan_job_count)
    int seeds;                                     // how many seeds, counted from the first, have all runs done
    int chosen_rate[SETTINGS_MOST][VARIANTS_MOST]; // index into plan.rates
} Outcome;

// Read measured.csv of all runs that have one, and choose for each scheme the learning rate with the lowest mean loss
// on the choosing half of the validation text. Fails (input) on a damaged file, on a run with options other than those
// of the plan or on another text, and when runs of the same seed, setting and task did not see the same batches.
bool outcome_read(Outcome *outcome, const Comparison *comparison, Error *error);
void outcome_free(Outcome *outcome);

// The number of runs that are done.
int outcome_done(const Outcome *outcome);

// The losses of all seeds on the choosing half at a learning rate of the plan; their mean decides which rate is chosen.
// NAN where a seed diverged.
Paired outcome_choosing_losses(const Outcome *outcome, int setting, int variant, int rate);

// Everything that one run has measured.
const Measures *outcome_measures(const Outcome *outcome, const Job *job);

// The run of a scheme and a seed on text, with the chosen learning rate.
Job outcome_job(const Outcome *outcome, int setting, int variant, int seed);

// The value measured at x on text, at the chosen learning rate, or NAN; and those of all seeds (seeds).
double outcome_value(const Outcome *outcome, int setting, int variant, int seed, const char *quantity, double x);
void outcome_values(double *values, const Outcome *outcome, int setting, int variant, const char *quantity, double x);

// The share of the questions of a task at lengths first to last that a run has answered correctly; NAN where it was
// asked nothing or diverged.
double outcome_share(const Outcome *outcome, int task, int variant, int seed, double first, double last);

// --- differences, each with one verdict, which every table, plot and sentence shows ---

// The loss of one scheme minus the loss of another; below 0, `variant` is better. In windows of the trained length, the
// primary contrasts in all settings, and over the texts if there are several, are one family. All other differences are
// exploratory; their family is all pairs of trained variants in one setting.
typedef struct {
    int variant, other;
    int setting;        // over texts: the setting of the first text
    int texts;          // 1, or the number of texts that it is over, as a random effect
    int times;          // length of the windows / trained length
    bool primary;       // named, either way round, before any run was done
    double comparisons; // the size of its family, for which the interval is corrected
    Paired gap;         // not corrected; units are seeds, over texts the texts
    Interval interval;  // simultaneous, see paired_interval
    Verdict verdict;    // of this interval
} Difference;

// From the complete seeds. A scheme that diverged has NAN, and counts in the family.
Difference outcome_difference(const Outcome *outcome, int variant, int other, int setting, int texts);

// The same by seed (seeds), in windows of `times` the trained length; NAN where a scheme has no loss there.
void outcome_gaps(double *gaps, const Outcome *outcome, int variant, int other, int setting, int times);

// Set the interval and the verdict of d->gap, as one of this many comparisons.
void difference_judge(Difference *d, double comparisons);

// An upper bound for the probability of finding a difference in a family without any, if seeds were added each time
// because none was resolved: 5% for each number of seeds at which results were seen, and for the present one.
double outcome_peeking(const Outcome *outcome);

// --- results.csv ---

#define RESULTS_HEADER                                                                                                 \
    "setting,text,context,parameters,tokens_per_parameter,task,scheme,learning_rate,chosen,seed,quantity,x,value,"     \
    "count\n"

// Write everything as CSV, with this header. Rows of tasks have no setting. Atomic.
bool outcome_write(const char *path, const Outcome *outcome, Error *error);

#endif
