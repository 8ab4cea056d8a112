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
    json_t *data[TEXTS_MOST]; // the fingerprints of the texts; if the comparison records none, those of the first runs
    Measures *jobs;           // (plan_job_count)
    int seeds;                // the number of seeds, from the first on, of which every run is done
    int chosen_rate[SETTINGS_MOST][VARIANTS_MOST]; // index into plan.rates
} Outcome;

// Read measured.csv of all runs that have one, and choose for each scheme the learning rate with the lowest mean loss
// on the choosing half of the validation text. Fails (input) on a damaged file, on a run with options other than those
// of the plan or on another text, and when runs of the same seed, setting and task did not see the same batches.
bool outcome_read(Outcome *outcome, const Comparison *comparison, Error *error);
void outcome_free(Outcome *outcome);

// The number of runs that are done.
int outcome_done(const Outcome *outcome);

// The choice of learning rates: the mean loss on the choosing half at each rate, and its standard deviation over seeds;
// NAN where a seed diverged.
typedef struct {
    double rate, mean, sd;
} RateLoss;
void outcome_rates(RateLoss *losses, const Outcome *outcome, int setting,
                   int variant); // (plan.rate_count), as in the plan

// Is the chosen rate the lowest (-1) or highest (1) of several, so that a better one may lie beyond? 0 = neither.
int outcome_rate_end(const Outcome *outcome, int setting, int variant);

// Everything that one run has measured.
const Measures *outcome_measures(const Outcome *outcome, const Job *job);

// The run of a scheme and a seed on text, with the chosen learning rate.
Job outcome_job(const Outcome *outcome, int setting, int variant, int seed);

// The value measured at x, or NAN. For text (task < 0) that of the chosen learning rate; for a task, setting is 0.
double outcome_value(const Outcome *outcome, int setting, int task, int variant, int seed, const char *quantity,
                     double x);

// The difference of two variants in anything that each seed has, a minus b (seeds): by seed, or, with --unpaired, of
// variants that share no seeds. outcome_paired: in a quantity of the runs on text, variant minus other.
Paired outcome_gap(const Outcome *outcome, const double *a, const double *b);
Paired outcome_paired(const Outcome *outcome, int setting, int variant, int other, const char *quantity, double x);

// The questions of a task at lengths first to last, and how many of them were answered rightly, by one seed or (seed <
// 0) by all together. Both are NAN if one of these seeds diverged, because leaving it out would flatter the scheme.
typedef struct {
    double right, questions;
} Answered;
Answered outcome_right(const Outcome *outcome, int task, int variant, int seed, double first, double last);

#define RESULTS_HEADER                                                                                                 \
    "setting,text,context,parameters,tokens_per_parameter,task,scheme,learning_rate,chosen,seed,quantity,x,value,"     \
    "count\n"

// Write everything as CSV, with this header. Rows of tasks have no setting. Atomic.
bool outcome_write(const char *path, const Outcome *outcome, Error *error);

#endif
