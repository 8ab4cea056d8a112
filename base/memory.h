// How much memory and how many processors there are, and memory that processes or threads have. Systems grant more
// memory than they have, and kill a program that uses it; so a large allocation is refused here first.
#ifndef BITTER_MEMORY_H
#define BITTER_MEMORY_H

#include "base/error.h"

#include <stddef.h>

// Bytes that this process can still use: the smallest of what the machine has to spare (its whole memory where the
// system does not tell more), what the control group (version 2) leaves, and what the address-space limit leaves.
// SIZE_MAX when nothing is known.
size_t memory_available(void);

// Set the error (run) for a need of so many bytes that cannot be met: "WHAT need 4.71 GiB of memory, but only
// 0.61 GiB are free; ADVICE". Returns false.
bool fail_too_large(double bytes, const char *what, const char *advice, Error *error);

// realloc from `size` bytes to `larger`. NULL, with the block as it was, when that fails, or when less memory is
// available than it takes and the system might kill a process to provide it.
void *memory_grow(void *block, size_t size, size_t larger);

// `bytes` zeros that this process shares with those that it forks from now on, without a file; NULL when there is no
// memory. Keep only lock-free atomic objects in it.
void *shared_zeros(size_t bytes);
void shared_free(void *memory, size_t bytes); // harmless on NULL

// The smallest CPU quota of this process's control groups (versions 1 and 2) and of those around them, as containers
// have one, in processors; INFINITY without any. `root` is put before /proc and /sys: "", or a test's directory.
double cpu_quota(const char *root);

// Working space for the calling thread, aligned for vectors, until it is done with it. It is not in the thread's stack,
// which may be small (ulimit -s, OMP_STACKSIZE). Threads for which there is no memory take turns with a common one.
#define THREAD_SPACE (9 << 17)
void *thread_space(void);
void thread_space_done(const void *taken);

// Start so many threads, at most THREADS_STARTED_MOST, that all end again. Returns how many were there at once;
// *reason: why no more.
#define THREADS_STARTED_MOST 1024
int threads_startable(int count, int *reason);

#endif
