// How fast the runs of a comparison will be, measured in processes of their own.
#ifndef BITTER_PACE_H
#define BITTER_PACE_H

#include "cmd/plan.h"
#include "data/corpus.h"

// Tokens a second of all `processes` together, each training the reference scheme at the largest size with so many
// threads for about `seconds`. Call before this process has used OpenMP. Fails (run) when a process cannot be started
// or does not end well.
bool pace_measure(double *tokens_per_second, const Plan *plan, const Corpus *corpus, int arm, int size, int processes,
                  int threads, double seconds, Error *error);

// Threads of a run: one, with as many runs side by side as there are cores, or all of them, whichever is faster.
// Prints what it found.
bool pace_threads(Plan *plan, const Corpus *corpus, int cores, Error *error);

// Give every arm as many steps as it can do in the time that the reference takes for its own.
bool pace_steps(Plan *plan, const Corpus *corpus, Error *error);

#endif
