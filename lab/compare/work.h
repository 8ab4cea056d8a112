// The workers of a comparison: processes that train and measure its runs, and share them by locks.
#ifndef BITTER_WORK_H
#define BITTER_WORK_H

#include "data/corpus.h"
#include "lab/compare/plan.h"
#include "train/run.h"

#include <stdatomic.h>
#include <sys/types.h>

// The state of a job, which one process writes and others read. It has no locks, because a process may be killed while
// it holds one.
#define PROGRESS_ALL 1000000
typedef struct {
    atomic_int progress; // share of the training that is done, in units of 1 / PROGRESS_ALL
    atomic_bool failed;  // a worker that this `bitter compare` started has tried the job and failed
} JobState;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2, "processes share these without a lock");

typedef struct {
    Plan plan;
    char directory[PATH_CAPACITY], file[PATH_CAPACITY]; // DIR, DIR/compare.json
    json_t *data;      // list of the fingerprints of the plan's texts; NULL = not known
    int share, shares; // do only every shares-th job, from job `share` on; 0 shares = all jobs
    // In memory that `bitter compare` shares with the workers that it started:
    JobState *jobs;    // (jobs)
    atomic_bool *stop; // (1) these workers shall save their runs and end
} Comparison;

// Set the paths. Fails (input) when the name of the directory is empty or too long.
bool comparison_paths(Comparison *comparison, const char *directory, Error *error);

// The path DIR/runs/JOB/FILE, or DIR/runs/JOB when `file` is "".
bool comparison_path(char path[PATH_CAPACITY], const Comparison *comparison, const Job *job, const char *file,
                     Error *error);

// Set *done to how many runs of this directory are done, also of schemes, seeds and rates that the plan leaves out.
// Fails as fail_open does when the directory cannot be read.
bool comparison_done(int *done, const Comparison *comparison, Error *error);

// Are all runs of the plan done? One whose results cannot be looked at counts as done: whoever reads them says why.
bool comparison_complete(const Comparison *comparison);

// Has the job been trained and measured? False also when that cannot be looked at: whoever does it then says why.
bool job_done(const Comparison *comparison, const Job *job);

// Is the job one of those that this process has to do?
bool job_mine(const Comparison *comparison, int index);

// Are the jobs share, share + shares, ... done? Share 0 of 1 is the whole plan.
bool share_done(const Comparison *comparison, int share, int shares);

// Take DIR/lock, the right to write the plan or the report; waits while another process has it. Fails (interrupted),
// and (input) when the lock cannot be taken or the directory of runs is a symbolic link.
bool comparison_lock(Lock *lock, const Comparison *comparison, Error *error);

// Fail (input), because the text called `name` is not the one that the comparison was begun with.
bool comparison_fail_changed(const Comparison *comparison, const char *name, Error *error);

// Do jobs until every job of this process is done, by this worker or by others. After a signal the current run is
// saved, and work fails (interrupted). A run that diverges is done. A run that fails is left to other processes; the
// error of the first such run is returned when no other job is left. When `parent`, which waits for this process, is
// gone, work stops as after a signal.
bool work(Comparison *comparison, pid_t parent, Error *error);

// Remove what workers that were killed at the end of a run have left in it: the state, and the weights of a run that
// diverged. Runs that others have locked stay as they are.
void work_tidy(Comparison *comparison);

// The steps after which a run records its position parameters in positions-STEP.npy: 0, an eighth, a quarter, half, and
// all of `steps`.
#define SNAPSHOTS 5
long long snapshot_step(long long steps, int snapshot);

#endif
