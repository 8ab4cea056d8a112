#include "model/arena.h"

#include <stdlib.h>
#include <unistd.h>

#define ALIGNMENT 64

void *arena_take(Arena *arena, size_t bytes) {
    size_t start = arena->used;
    arena->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return arena->base ? arena->base + start : NULL;
}

real *arena_reals(Arena *arena, size_t count) {
    return arena_take(arena, count * sizeof(real));
}

// Bytes of memory in this machine, or SIZE_MAX when the system does not tell.
static size_t machine_memory(void) {
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return (size_t)pages * (size_t)page;
#endif
    return SIZE_MAX;
}

bool arena_allocate(Arena *arena, const char *purpose, Error *error) {
    const size_t bytes = arena->used, memory = machine_memory();
    // Systems hand out more than they have and kill the program when it is touched, so a refusal must come first.
    if (bytes < memory) arena->base = aligned_alloc(ALIGNMENT, bytes ? bytes : ALIGNMENT);
    if (!arena->base)
        return fail_input(
            error,
            "%s need %.1f GiB and this machine has %.1f GiB; make --batch, --context, --width or --layers "
            "smaller",
            purpose, (double)bytes / 0x1p30, (double)memory / 0x1p30);
    memset(arena->base, 0, bytes);
    arena->used = 0;
    return true;
}

void arena_free(Arena *arena) {
    free(arena->base);
    *arena = (Arena){0};
}
