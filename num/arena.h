// Memory handed out by moving a pointer. A layout function runs twice: on an arena without memory, where it only
// counts, and again once that much has been allocated; nothing is allocated after that.
#ifndef BITTER_ARENA_H
#define BITTER_ARENA_H

#include "base/error.h"
#include "num/real.h"

#include <stddef.h>

typedef struct {
    unsigned char *base; // NULL: nothing is handed out, only counted
    size_t used;         // bytes
} Arena;

// Take `bytes` more bytes, aligned to 64. NULL while the arena only counts; it counts up to half of SIZE_MAX.
void *arena_take(Arena *arena, size_t bytes);

// The same for `count` numbers.
real *arena_reals(Arena *arena, size_t count);

// Give an arena that has counted `used` bytes that much zeroed memory, and start again at its beginning. Fails (run)
// when the machine has less memory than that, naming `purpose` and what to make smaller.
bool arena_allocate(Arena *arena, const char *purpose, Error *error);

void arena_free(Arena *arena);

#endif
