// Memory that processes share.
#ifndef BITTER_SHARED_H
#define BITTER_SHARED_H

#include <stddef.h>

// `bytes` zeros that this process shares with those that it starts from here, in no file; NULL when there is no memory.
// Only atomic objects that need no lock are safe in it.
void *shared_zeros(size_t bytes);
void shared_free(void *memory, size_t bytes); // harmless on NULL

#endif
