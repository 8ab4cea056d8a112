// The runs of a comparison, done one after the other by as many workers as there are.
#ifndef BITTER_WORK_H
#define BITTER_WORK_H

#include "data/corpus.h"
#include "lab/compare/claim.h"
#include "lab/compare/plan.h"

#include <stdatomic.h>

// One process writes it and others read it. Without locks, because a process may be killed while it holds one.
#define PROGRESS_ALL 1000000
typedef struct {
    atomic_int progress; // of PROGRESS_ALL: how much of the training is done
    atomic_bool failed;  // a worker of this process tried it, and failed
} JobState;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2, "processes share these without a lock");

// DIR/compare.json, DIR/runs/JOB/ and DIR/claims/JOB.1.
typedef struct {
    Plan plan;
    char directory[PATH_CAPACITY], file[PATH_CAPACITY], claims[PATH_CAPACITY];
    double patience; // seconds after which a worker that gives no sign counts as dead
    json_t *data;    // the fingerprint of the text that all runs are trained on; NULL = not known
    // In memory that all workers of this process share:
    JobState *jobs;    // (jobs)
    atomic_bool *stop; // (1) all workers are to save their runs and end
} Comparison;

// Set the paths. Fails (input) when the directory has no name, or a long one.
bool comparison_paths(Comparison *comparison, const char *directory, Error *error);

// DIR/runs/JOB, or with a file's name in it.
bool comparison_path(char path[PATH_CAPACITY], const Comparison *comparison, const Job *job, const char *file,
                     Error *error);

// Has it been trained and measured?
bool job_done(const Comparison *comparison, const Job *job);

// Wait until nobody else writes this comparison's plan, or its report. Fails as claim_take does, and (input)
// when the directory of claims is a link to another one.
bool comparison_claim(Claim *claim, const Comparison *comparison, const char *what, Error *error);

// The text called `name` is not the one that the comparison was begun with. Returns false (input).
bool fail_changed(const Comparison *comparison, const char *name, Error *error);

// Work until every job is done, by this process or another one, or a signal came: then the run at work is saved and it
// fails (interrupted). A run whose loss is not finite is done, too: it has diverged. A run that fails is left to other
// processes; the first such failure here comes back when nothing else is left to do.
bool work(Comparison *comparison, Error *error);

// The numbers of the position parameters at `step`, recorded in a run's directory now and then: positions-STEP.npy.
#define SNAPSHOTS 5
long long snapshot_step(long long steps, int snapshot); // 0, an eighth, a quarter, half, and all of the steps

#endif
