// Claims: how processes, also on several machines, share work when a directory is all that they have in common.
#ifndef BITTER_CLAIM_H
#define BITTER_CLAIM_H

#include "base/file/file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

// A worker claims a job by creating the file NAME.1, which only one process can do. A thread of the worker touches the
// file about once a second, however long the job takes. The job becomes free again when the file has not been touched
// for `patience` seconds by the clock of the file system, or when its process ran on this machine and has ended: then
// another worker may create NAME.2, and so on. The highest number is the owner's. A file can have a date in the future
// if that clock was set back; then the job is free once a process has seen the file unchanged for `patience` + 1
// seconds.
typedef struct {
    char path[PATH_CAPACITY]; // of the claim that is held
    char next[PATH_CAPACITY]; // of the claim that would take the job away
    int number;               // of the claim
    int file;                 // the claim's own file, kept open: another worker's file of its name is never touched
    double looked;            // when claim_keep last looked, by clock_seconds()
    double patience;
    // The thread has started. claim_take waits for it: a fork while the thread starts might copy a lock that it holds.
    atomic_bool started;
    pthread_t toucher;
} Claim;

// What a process last saw of another worker's claim on a job. One for each job, {0} at first.
typedef struct {
    ino_t file;
    time_t touched;
    double since; // when it was first seen in this state, by clock_seconds()
} Sighting;

typedef enum { CLAIM_MINE, CLAIM_TAKEN, CLAIM_FAILED } ClaimResult;

// Try to claim the job `name` in `directory`. CLAIM_FAILED sets the error: (input) the directory cannot be written to,
// or holds a claim with an impossible number, or (run) no thread can be started. A claim that is not a regular file
// counts as free. *claim must not move in memory until it is released. Give the same `seen` on every attempt at a job.
ClaimResult claim_take(Claim *claim, const char *directory, const char *name, double patience, Sighting *seen,
                       Error *error);

// Wait until the job is free, and claim it. Fails as claim_take does.
bool claim_wait(Claim *claim, const char *directory, const char *name, double patience, Error *error);

// Call often: from time to time it looks whether the claim still holds. False when the job has been taken away, as
// happens to a machine that slept for longer than `patience`.
bool claim_keep(Claim *claim);

// End the claim: others may take the job.
void claim_release(Claim *claim);

#endif
