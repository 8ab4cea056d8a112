// The workers of a comparison: processes that train and measure its runs, and share them by locks.
#ifndef BITTER_WORK_H
#define BITTER_WORK_H

#include "data/corpus.h"
#include "lab/compare/plan.h"
#include "train/run.h"

#include <stdatomic.h>
#include <sys/types.h>

// A process reports the share of its run's work that is done, in units of 1 / PROGRESS_ALL, to the one that started it.
// Locks, and not this number, decide which process does which run.
#define PROGRESS_ALL 1000000
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "processes share it without a lock, because any of them may be killed");

typedef struct {
    Plan plan;
    char directory[PATH_CAPACITY], file[PATH_CAPACITY]; // DIR, DIR/compare.json
    json_t *data;      // list of the fingerprints of the plan's texts; NULL = not known
    Corpus *corpora;   // these texts, which the processes share in memory; needed for training
    int share, shares; // do only every shares-th job, from job `share` on; 0 shares = all jobs
} Comparison;

// Set the paths. Fails (input) when the name of the directory is empty or too long.
bool comparison_paths(Comparison *comparison, const char *directory, Error *error);

// The path DIR/runs/JOB/FILE, or DIR/runs/JOB when `file` is "".
bool comparison_path(char path[PATH_CAPACITY], const Comparison *comparison, const Job *job, const char *file,
                     Error *error);

// Set *done to how many runs of this directory are done, also of schemes, seeds and rates that the plan leaves out.
// Fails as fail_open does when the directory cannot be read.
bool comparison_done(int *done, const Comparison *comparison, Error *error);

// How many seeds, counted from the first, have all runs done by now.
int comparison_seeds(const Comparison *comparison);

// Is the job done? A finished run has a measured.csv, and neither a lock nor a state, which a process that was killed
// at the end has left. False also when the directory cannot be read.
bool job_done(const Comparison *comparison, const Job *job);

// Is the job one of those that this process has to do?
bool job_mine(const Comparison *comparison, int index);

// Take DIR/lock, the right to write the plan or the report; waits while another process has it. Fails (interrupted),
// and (input) when the lock cannot be taken or the directory of runs is a symbolic link.
bool comparison_lock(Lock *lock, const Comparison *comparison, Error *error);

// The share of a job's work that is training: forward and backward for each token. The rest is the forward passes of
// measuring, which show no progress.
double training_share(const Comparison *comparison, const Job *job);

// Do one job, or the rest of it, after the job whose weights it has (plan_weights): lock its directory, train or
// continue to train, measure, and remove what a run that is done does not need. *taken: was the job left, because
// another process has its lock? A run that diverges counts as done. After a signal, and when `parent`, which waits for
// this process, is gone, the run is saved, and work fails (interrupted).
bool work(bool *taken, const Comparison *comparison, int job, atomic_int *progress, pid_t parent, Error *error);

#endif
