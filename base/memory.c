// POSIX.1-2008 has no shared memory without a name or a file; every system has MAP_ANONYMOUS, which glibc hides without
// _DEFAULT_SOURCE.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier)
#include "base/memory.h"

#include "base/path.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    LINE = 2 * PATH_CAPACITY,
    ASKS_FROM = 1 << 25, // bytes: smaller allocations do not call memory_available, which reads several files
};

static size_t size_of(uintmax_t bytes) {
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

// Read the number after `key` at the beginning of a line of the file, in the file's unit; false when there is none.
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

static bool group_number(uintmax_t *number, const char *group, const char *file, const char *key) {
    char path[2 * LINE];
    snprintf(path, sizeof path, "%s/%s", group, file);
    return read_number(number, path, key);
}

// The memory that one group leaves. Its file caches count as used there, but are dropped when memory is needed.
static double group_memory(const char *group) {
    uintmax_t limit, used, active = 0, inactive = 0;
    if (!group_number(&limit, group, "memory.max", "") || !group_number(&used, group, "memory.current", ""))
        return INFINITY;
    group_number(&active, group, "memory.stat", "active_file ");
    group_number(&inactive, group, "memory.stat", "inactive_file ");
    used = used > active + inactive ? used - active - inactive : 0;
    return used < limit ? (double)(limit - used) : 0;
}

// Version 2 has one file, "50000 100000" or "max 100000"; version 1 has two, and -1 for no quota.
static double group_quota(const char *group) {
    uintmax_t quota, period;
    char key[32] = "";
    const bool second = group_number(&quota, group, "cpu.max", "");
    if (second) snprintf(key, sizeof key, "%" PRIuMAX " ", quota);
    if (!second && !group_number(&quota, group, "cpu.cfs_quota_us", "")) return INFINITY;
    return group_number(&period, group, second ? "cpu.max" : "cpu.cfs_period_us", key) && period > 0 &&
                   quota < UINT32_MAX
               ? (double)quota / (double)period
               : INFINITY;
}

// The smallest value of `of` over the directories of this process's control group and of the groups around it, in
// version 2 and in version 1's hierarchy of the controller.
static double groups_least(const char *root, const char *controller, double (*of)(const char *group)) {
    char line[LINE], path[2 * LINE], name[32];
    double least = INFINITY;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    snprintf(name, sizeof name, ",%s,", controller);
    FILE *stream = fopen(path, "r");
    while (stream && fgets(line, sizeof line, stream)) { // NUMBER:CONTROLLERS:GROUP; version 2 has no controllers
        char controllers[LINE] = ",", *first = strchr(line, ':'), *group = first ? strchr(first + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        strcat(strcat(controllers, first + 1), ",");
        if (first[1] && !strstr(controllers, name)) continue;
        for (char *slash;; *slash = 0) { // up to the empty path: the outermost group, or a container's own
            snprintf(path, sizeof path, "%s/sys/fs/cgroup%s%s%s", root, first[1] ? "/" : "", first[1] ? controller : "",
                     group);
            least = fmin(least, of(path));
            if (!(slash = strrchr(group, '/'))) break;
        }
    }
    if (stream) fclose(stream);
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
    const double groups = groups_least("", "memory", group_memory);
    const size_t machine = machine_memory(), space = address_space(), here = machine < space ? machine : space;
    return groups < (double)here ? (size_t)groups : here;
}

double cpu_quota(const char *root) {
    return groups_least(root, "cpu", group_quota);
}

bool fail_too_large(double bytes, const char *what, const char *advice, Error *error) {
    return fail_run(error, "%s need %.2f GiB of memory, but only %.2f GiB are free; %s", what, bytes / 0x1p30,
                    (double)memory_available() / 0x1p30, advice);
}

void *memory_grow(void *block, size_t size, size_t larger) {
    const bool much = larger - size >= ASKS_FROM;
    return larger <= size || (much && larger - size >= memory_available()) ? NULL : realloc(block, larger);
}

void *shared_zeros(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void shared_free(void *memory, size_t bytes) {
    if (memory) munmap(memory, bytes);
}

static pthread_key_t space;
static bool keyed;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) unsigned char common[THREAD_SPACE];

static void make_key(void) {
    keyed = pthread_key_create(&space, free) == 0;
}

void *thread_space(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    void *own = keyed ? pthread_getspecific(space) : NULL;
    if (own) return own;
    if (keyed && posix_memalign(&own, 64, THREAD_SPACE) == 0) {
        if (pthread_setspecific(space, own) == 0) return own;
        free(own);
    }
    pthread_mutex_lock(&turn);
    return common;
}

void thread_space_done(const void *taken) {
    if (taken == common) pthread_mutex_unlock(&turn);
}

static void *wait_at(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int threads_startable(int count, int *reason) {
    pthread_t threads[THREADS_STARTED_MOST];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int started = 0;
    pthread_mutex_lock(&gate);
    while (started < count && (*reason = pthread_create(&threads[started], NULL, wait_at, &gate)) == 0) started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return started;
}
