// POSIX.1-2008 has no shared memory without a name or a file; every system has MAP_ANONYMOUS, which glibc hides without
// _DEFAULT_SOURCE.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier)
#include "base/memory.h"

#include "base/path.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    LINE = 2 * PATH_CAPACITY,
    ASKS_FROM = 1 << 25, // bytes: for less, memory_available, which reads several files, is not asked
};

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t size_of(uintmax_t bytes) {
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

// The number after `key` at the beginning of a line of the file, in its own unit; false when there is none.
static bool read_number(uintmax_t *number, const char *path, const char *key) {
    FILE *stream = fopen(path, "r");
    if (!stream) return false;
    char line[LINE], rest;
    bool found = false;
    while (!found && fgets(line, sizeof line, stream))
        found =
            strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%" SCNuMAX "%c", number, &rest) == 2;
    fclose(stream);
    return found;
}

static size_t machine_memory(void) {
    uintmax_t kibibytes;
    if (read_number(&kibibytes, "/proc/meminfo", "MemAvailable:")) return size_of(kibibytes * 1024);
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return size_of((uintmax_t)pages * (uintmax_t)page);
#endif
    return SIZE_MAX;
}

// What one group leaves; file caches count as used, but make room when somebody needs it.
static size_t group_memory(const char *group) {
    char limit_path[LINE], used_path[LINE], parts_path[LINE];
    snprintf(limit_path, LINE, "/sys/fs/cgroup%.*s/memory.max", PATH_CAPACITY, group);
    snprintf(used_path, LINE, "/sys/fs/cgroup%.*s/memory.current", PATH_CAPACITY, group);
    snprintf(parts_path, LINE, "/sys/fs/cgroup%.*s/memory.stat", PATH_CAPACITY, group);
    uintmax_t limit, used, active = 0, inactive = 0;
    if (!read_number(&limit, limit_path, "") || !read_number(&used, used_path, "")) return SIZE_MAX;
    read_number(&active, parts_path, "active_file ");
    read_number(&inactive, parts_path, "inactive_file ");
    used = used > active + inactive ? used - active - inactive : 0;
    return used < limit ? size_of(limit - used) : 0;
}

// The smallest of what this process's group and the groups around it leave.
static size_t groups_memory(void) {
    FILE *stream = fopen("/proc/self/cgroup", "r");
    if (!stream) return SIZE_MAX;
    size_t least = SIZE_MAX;
    for (char line[LINE]; fgets(line, sizeof line, stream);) {
        if (strncmp(line, "0::/", 4) != 0) continue; // other lines are version 1
        char *group = line + strlen("0::");
        group[strcspn(group, "\n")] = 0;
        for (char *slash; (slash = strrchr(group, '/')); *slash = 0) least = smaller(least, group_memory(group));
        least = smaller(least, group_memory(group)); // by now the empty path: the outermost group, or a container's own
    }
    fclose(stream);
    return least;
}

static size_t address_space(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    uintmax_t kibibytes = 0;
    read_number(&kibibytes, "/proc/self/status", "VmSize:");
    uintmax_t used = kibibytes * 1024;
    return used < limit.rlim_cur ? size_of(limit.rlim_cur - used) : 0;
}

size_t memory_available(void) {
    return smaller(machine_memory(), smaller(groups_memory(), address_space()));
}

static const char *amount(char words[32], double bytes) {
    const bool large = bytes >= 0x1p30;
    snprintf(words, 32, "%.1f %s", bytes / (large ? 0x1p30 : 0x1p20), large ? "GiB" : "MiB");
    return words;
}

bool fail_too_large(double bytes, const char *what, const char *advice, Error *error) {
    char needed[32], available[32];
    return fail_run(error, "%s need %s of memory, but only %s are free; %s", what, amount(needed, bytes),
                    amount(available, (double)memory_available()), advice);
}

void *memory_grow(void *block, size_t size, size_t larger) {
    const bool much = larger - size >= ASKS_FROM;
    return larger <= size || (much && larger - size >= memory_available()) ? NULL : realloc(block, larger);
}

void *shared_zeros(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static pthread_key_t space;

static void make_space(void) {
    if (pthread_key_create(&space, free) != 0) abort();
}

void *thread_space(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_space);
    void *own = pthread_getspecific(space);
    if (own) return own;
    if (posix_memalign(&own, 64, THREAD_SPACE) != 0 || pthread_setspecific(space, own) != 0) {
        fputs("bitter: no memory for the work of a thread; end other programs, or use fewer --threads\n", stderr);
        _exit(ERROR_RUN);
    }
    return own;
}

void shared_free(void *memory, size_t bytes) {
    if (memory) munmap(memory, bytes);
}
