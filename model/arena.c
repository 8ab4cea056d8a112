#include "model/arena.h"

#include "data/memory.h"

#include <stdlib.h>

#define ALIGNMENT 64

void *arena_take(Arena *arena, size_t bytes) {
    size_t start = arena->used;
    arena->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return arena->base ? arena->base + start : NULL;
}

real *arena_reals(Arena *arena, size_t count) {
    return arena_take(arena, count * sizeof(real));
}

bool arena_allocate(Arena *arena, const char *purpose, Error *error) {
    const size_t bytes = arena->used, available = memory_available();
    if (bytes < available) arena->base = aligned_alloc(ALIGNMENT, bytes ? bytes : ALIGNMENT);
    if (!arena->base)
        return fail_input(error,
                          "%s need %.1f GiB, but %.1f GiB are to be had; make --batch, --context, --width or --layers "
                          "smaller",
                          purpose, (double)bytes / 0x1p30, (double)available / 0x1p30);
    memset(arena->base, 0, bytes);
    arena->used = 0;
    return true;
}

void arena_free(Arena *arena) {
    free(arena->base);
    *arena = (Arena){0};
}
