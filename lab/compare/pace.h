// How fast the runs of a comparison will be, measured by short trainings in processes of their own.
#ifndef BITTER_PACE_H
#define BITTER_PACE_H

#include "data/corpus.h"
#include "lab/compare/plan.h"

// Set plan->threads to 1 or to `cores`, whichever is faster for the reference scheme in the last setting: `cores` runs
// of one thread side by side, or one run with all cores. Prints the two speeds. Call before this process has used
// OpenMP. corpora are the plan's texts. Fails (run) when a process cannot be started or does not end well.
bool pace_threads(Plan *plan, const Corpus *corpora, int cores, Error *error);

void speed_add(Speed *speed, double tokens_per_second);

// The relative difference of two speeds that is within noise: the spread of the fastest rounds of either, at least
// SPEED_NOISE.
#define SPEED_NOISE 0.03
double speed_noise(const Speed *a, const Speed *b);
bool speed_same(const Speed *a, const Speed *b); // within noise

// How many steps a scheme does in the time that the reference takes for `steps`, at least 1; `steps` when their speeds
// are the same within noise.
long long speed_steps(long long steps, const Speed *speed, const Speed *reference);

// Time every arm in every setting: arms in turns, in short rounds, so that a slow phase of the machine affects all of
// them. A shape of the model and a context are timed once, whatever the text and the number of steps; so are arms with
// the same scheme and options. Without plan->by_seconds, a round trains for no more than a fiftieth of a run; with it,
// rounds go on until they agree, and every arm gets as many steps as it does in the time of the reference for its own.
// Prints the speeds. Fails as pace_threads does.
bool pace_arms(Plan *plan, const Corpus *corpora, Error *error);

// Has every arm been timed in every setting? One arm alone need not be.
bool pace_known(const Plan *plan);

// Seconds of training for a token, and the relative difference of the fastest rounds. NAN if it was not timed.
double speed_seconds(const Speed *speed);
double speed_spread(const Speed *speed);

#endif
