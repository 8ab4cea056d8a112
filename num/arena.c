#include "num/arena.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#define ALIGNMENT 64
#define MOST      (SIZE_MAX / 2 / ALIGNMENT * ALIGNMENT) // bytes: no machine has them, so arena_allocate refuses

void *arena_take(Arena *arena, size_t bytes) {
    const size_t start = arena->used;
    if (bytes > MOST - start) bytes = MOST - start;
    arena->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return arena->base ? arena->base + start : NULL;
}

real *arena_reals(Arena *arena, size_t count) {
    return arena_take(arena, count < SIZE_MAX / sizeof(real) ? count * sizeof(real) : SIZE_MAX);
}

bool arena_allocate(Arena *arena, const char *purpose, Error *error) {
    const size_t bytes = arena->used;
    if (bytes < memory_available()) arena->base = aligned_alloc(ALIGNMENT, bytes ? bytes : ALIGNMENT);
    if (!arena->base)
        return fail_too_large((double)bytes, purpose, "make the context, the batch or the model smaller", error);
    memset(arena->base, 0, bytes);
    arena->used = 0;
    return true;
}

void arena_free(Arena *arena) {
    free(arena->base);
    *arena = (Arena){0};
}
