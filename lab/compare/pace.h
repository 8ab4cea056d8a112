// How fast the runs of a comparison will be, measured by short trainings in processes of their own.
#ifndef BITTER_PACE_H
#define BITTER_PACE_H

#include "data/corpus.h"
#include "lab/compare/plan.h"

// Set plan->threads to 1 or to `cores`, whichever is faster for the reference scheme in the last setting: `cores` runs
// of one thread side by side, or one run with all cores. Prints the two speeds. Call before this process has used
// OpenMP. corpora are the plan's texts. Fails (run) when a process cannot be started or does not end well.
bool pace_threads(Plan *plan, const Corpus *corpora, int cores, Error *error);

// The speed of one scheme, timed in several short rounds. The fastest rounds count, because other programs disturbed
// them least.
enum { SPEED_ROUNDS = 3 };
typedef struct {
    double rounds[SPEED_ROUNDS]; // tokens a second of the fastest rounds, fastest first; 0 = not timed yet
} Speed;

void speed_add(Speed *speed, double tokens_per_second);

// The relative difference of two speeds that is within noise: the spread of the fastest rounds of either, at least
// SPEED_NOISE.
#define SPEED_NOISE 0.03
double speed_noise(const Speed *a, const Speed *b);
bool speed_same(const Speed *a, const Speed *b); // within noise

// How many steps a scheme does in the time that the reference takes for `steps`, at least 1; `steps` when their speeds
// are the same within noise.
long long speed_steps(long long steps, const Speed *speed, const Speed *reference);

// Give every arm as many steps as it does in the time that the reference takes for its own. Arms are timed in turns, so
// that a slow phase of the machine affects all of them; arms with the same scheme and options are timed once. Prints
// the speeds. Fails as pace_threads does.
bool pace_steps(Plan *plan, const Corpus *corpora, Error *error);

#endif
