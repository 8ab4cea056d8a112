// How much memory and CPU time there is, and memory shared by processes or kept for threads. Systems grant more memory
// than they have, and kill a program that uses it; so large allocations are refused here first.
#ifndef BITTER_MEMORY_H
#define BITTER_MEMORY_H

#include "base/error.h"

#include <stddef.h>

// Bytes that this process can still use: the least of what is free on the machine (its whole memory if the system does
// not say what is free), what the control group (version 2) leaves, and what the address-space limit leaves. SIZE_MAX
// when nothing is known.
size_t memory_available(void);

// Set the error (run) when so many bytes are needed and not available: "WHAT need 4.71 GiB of memory, but only
// 0.61 GiB are free; ADVICE". Returns false.
bool fail_too_large(double bytes, const char *what, const char *advice, Error *error);

// realloc from `size` bytes to `larger`. NULL, with the block as it was, when that fails, or when it takes more memory
// than is available, so that the system might kill a process to provide it.
void *memory_grow(void *block, size_t size, size_t larger);

// `bytes` zeros, not in a file, that this process shares with the processes that it forks from now on; NULL without
// memory. Keep only lock-free atomic objects in it.
void *shared_zeros(size_t bytes);
void shared_free(void *memory, size_t bytes); // harmless on NULL

// The smallest CPU quota, in processors, of this process's control groups (versions 1 and 2), such as a container's,
// and of the groups around them; INFINITY without any. `root` is put before /proc and /sys: "", or a test's directory.
double cpu_quota(const char *root);

// Working space for the calling thread, aligned for vectors, until thread_space_done. It is not on the thread's stack,
// which may be small (ulimit -s, OMP_STACKSIZE). Threads for which there is no memory take turns with a common space.
#define THREAD_SPACE (9 << 17)
void *thread_space(void);
void thread_space_done(const void *taken);

// Start so many threads, at most THREADS_STARTED_MOST, and let them end again. Returns how many ran at once, and in
// *reason the errno of the first that did not start.
#define THREADS_STARTED_MOST 1024
int threads_startable(int count, int *reason);

#endif
