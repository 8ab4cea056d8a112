// Who works on what, where several processes, also on several machines, share a directory and nothing else.
#ifndef BITTER_CLAIM_H
#define BITTER_CLAIM_H

#include "base/file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

// A job is claimed by creating the file NAME.1, which only one can do. A thread of its owner touches it now and then,
// however long the work takes; when it has not been touched for `patience` seconds, by the file system's own clock, or
// its process on this machine is gone, the job is free for whoever creates NAME.2, and so on: the highest number is the
// owner. A claim that is dated in the future, because that clock was set back, is free once a process has seen it
// unchanged for `patience` seconds and one more.
typedef struct {
    char path[PATH_CAPACITY]; // of the claim that is held
    char next[PATH_CAPACITY]; // of the one that would take the job away
    int number;               // of the claim
    int file;                 // it, open, so that nobody else's is touched once it is removed
    double looked;            // when claim_keep did, by clock_seconds()
    double patience;
    atomic_bool touching; // the thread has begun: to fork before that may copy a lock that it holds
    pthread_t toucher;
} Claim;

// What a process last saw of another's claim on a job. One for each job, {0} at first.
typedef struct {
    ino_t file;
    time_t touched;
    double since; // when it was first seen so, by clock_seconds()
} Sighting;

typedef enum { CLAIM_MINE, CLAIM_TAKEN, CLAIM_FAILED } ClaimResult;

// Try to claim the job `name` in `directory`. CLAIM_FAILED sets the error: the place cannot be written to, or holds a
// claim of a number that none gets (input), or no thread can be started (run). Something that has the name of a
// claim but is not a regular file counts as free. A claim that is held stays where it is in memory until it is
// released. Give the same `seen` on every attempt at a job.
ClaimResult claim_take(Claim *claim, const char *directory, const char *name, double patience, Sighting *seen,
                       Error *error);

// Claim it as soon as it is free. Fails as claim_take does.
bool claim_wait(Claim *claim, const char *directory, const char *name, double patience, Error *error);

// Call often: looks when it is time. False when the job has been taken away, as happens to a machine that slept for too
// long.
bool claim_keep(Claim *claim);

// Done with it, or given up: others may take it.
void claim_release(Claim *claim);

#endif
