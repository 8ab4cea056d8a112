// Memory that processes share.
#ifndef BITTER_SHARED_H
#define BITTER_SHARED_H

#include <stddef.h>

// `bytes` zeros that this process shares with those that it forks from now on, without a file; NULL when there is no
// memory. Keep only lock-free atomic objects in it.
void *shared_zeros(size_t bytes);
void shared_free(void *memory, size_t bytes); // harmless on NULL

#endif
