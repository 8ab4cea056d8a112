// What the runs of a comparison have measured, and what follows from it.
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
    int count;
    bool done;
} Measures;

typedef struct {
    const Comparison *comparison;
    json_t *data;                     // the text's fingerprint; of a comparison that has none, the first run's
    Measures *jobs;                   // (plan_job_count)
    int seeds;                        // of which every run is done: the first so many
    int rates[SIZES_MOST][ARMS_MOST]; // chosen learning rates
} Outcome;

// Read measured.csv of all runs that have one, and choose for each scheme the learning rate with the lowest mean loss
// on the choosing half of validation. Fails (input) on a damaged file, on a run with other options than the plan has
// for it or on another text, and when runs of the same seed, size and task did not see the same batches.
bool outcome_read(Outcome *outcome, const Comparison *comparison, Error *error);
void outcome_free(Outcome *outcome);

// How many runs are done.
int outcome_done(const Outcome *outcome);

// All that one run has measured.
const Measures *outcome_measures(const Outcome *outcome, const Job *job);

// The run on text of a scheme's seed, at the chosen learning rate.
Job outcome_job(const Outcome *outcome, int size, int arm, int seed);

// What was measured at x; NAN where it was not. Of text at the chosen learning rate; of a task, size is 0.
double outcome_value(const Outcome *outcome, int size, int task, int arm, int seed, const char *quantity, double x);

// The differences of a quantity to another arm's, by seed: this minus the other.
Paired outcome_paired(const Outcome *outcome, int size, int arm, int other, const char *quantity, double x);

// A difference of losses, one scheme's minus another's.
typedef struct {
    int arm, other;
    Paired gap;
    double adjusted; // p of the gap by holm(), among all gaps of the size
    Verdict verdict;
} Gap;

// All gaps of one size that reports show: every scheme to the reference, and every learned one to its designed one.
// Their p-values are adjusted together, so that a gap has one verdict wherever it stands.
typedef struct {
    Gap items[2 * ARMS_MOST];
    int count;
} Gaps;

// Gaps of the loss in windows of x tokens.
void outcome_gaps(Gaps *gaps, const Outcome *outcome, int size, double x);
const Gap *gaps_find(const Gaps *gaps, int arm, int other); // NULL where it is none of them

// A scheme beside the reference.
typedef struct {
    double loss;     // mean over seeds
    Paired gap;      // in loss
    double adjusted; // p of the gap, as outcome_gaps has it
    double resolvable;
    Verdict verdict;
} Standing;

// Standings (arms) by the loss in windows of x tokens. The reference's own gap is 0 by definition.
void outcome_standings(Standing *standings, const Outcome *outcome, int size, double x);

// Right answers at lengths first to last, of one seed or of all together, and out of how many: 0 of 0 where there are
// none, NAN of NAN for a seed that diverged and so for all together: to leave it out would flatter the scheme.
void outcome_seed_right(double *right, double *questions, const Outcome *outcome, int task, int arm, int seed,
                        double first, double last);
void outcome_right(double *right, double *questions, const Outcome *outcome, int task, int arm, double first,
                   double last);

// size,task,scheme,learning_rate,chosen,seed,quantity,x,value,count of everything. Atomic.
bool outcome_write(const char *path, const Outcome *outcome, Error *error);

#endif
