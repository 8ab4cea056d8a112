// How fast the runs of a comparison will be, measured in processes of their own.
#ifndef BITTER_PACE_H
#define BITTER_PACE_H

#include "data/corpus.h"
#include "lab/compare/plan.h"

// Threads of a run: one, with as many runs side by side as there are cores, or all of them, whichever is faster with
// the reference scheme at the largest size. Call before this process has used OpenMP. Prints what it found. Fails (run)
// when a process cannot be started or does not end well.
bool pace_threads(Plan *plan, const Corpus *corpus, int cores, Error *error);

// How fast one scheme is: timed in several short rounds, of which the fastest ones were disturbed least.
enum { SPEED_ROUNDS = 3 };
typedef struct {
    double rounds[SPEED_ROUNDS]; // tokens a second of the fastest ones, falling; 0 before there are so many
} Speed;

void speed_add(Speed *speed, double tokens_per_second);

// By which share two speeds can differ and mean nothing: what the fastest rounds of either differ by, or SPEED_NOISE
// where that is less.
#define SPEED_NOISE 0.03
double speed_noise(const Speed *a, const Speed *b);
bool speed_same(const Speed *a, const Speed *b); // to within noise

// How many steps a scheme can do in the time that the reference takes for `steps`, at least 1; just as many when their
// speeds are the same.
long long speed_steps(long long steps, const Speed *speed, const Speed *reference);

// Give every arm as many steps as it can do in the time that the reference takes for its own. Arms are timed in turns,
// so that what slows the machine down for a while slows all of them; those of one scheme and options are timed once.
// Prints what it found. Fails as pace_threads does.
bool pace_steps(Plan *plan, const Corpus *corpus, Error *error);

#endif
