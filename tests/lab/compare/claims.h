// A directory of claims for tests, and the claims in it.
#ifndef BITTER_CLAIMS_H
#define BITTER_CLAIMS_H

#include "lab/compare/claim.h"
#include "tests/support/scratch.h"
#include "tests/support/support.h"

#include <fcntl.h>
#include <time.h>

#define LONG 1000.0 // patience that no test outlasts

static char directory[SCRATCH_PATH];

static inline int make_directory(void **state) {
    scratch_make(directory);
    return 0;
}

static inline int remove_directory(void **state) {
    scratch_remove(directory);
    return 0;
}

static inline int files(void) {
    int count = 0;
    DIR *entries = opendir(directory);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));)
        count += entry->d_name[strspn(entry->d_name, ".")] != 0;
    closedir(entries);
    return count;
}

static inline void expect_no_files(void) {
    assert_int_equal(files(), 0);
}

static inline void claim_path(char path[PATH_CAPACITY], const char *name, int number) {
    Error error;
    must(path_format(path, &error, "%s/%s.%d", directory, name, number), &error);
}

static inline bool exists(const char *name, int number) {
    char path[PATH_CAPACITY];
    claim_path(path, name, number);
    return path_exists(path);
}

static inline void make_older(const char *name, int number, int seconds) {
    char path[PATH_CAPACITY];
    claim_path(path, name, number);
    const struct timespec then = {.tv_sec = time(NULL) - seconds}, times[] = {then, then};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

// A claim that somebody made so many seconds ago.
static inline void leave_claim(const char *name, int number, const char *owner, int seconds) {
    char path[PATH_CAPACITY];
    claim_path(path, name, number);
    scratch_write(path, owner, strlen(owner));
    make_older(name, number, seconds);
}

static inline ClaimResult take(Claim *claim, const char *name, double patience) {
    Error error = {0};
    const ClaimResult result = claim_take(claim, directory, name, patience, &(Sighting){0}, &error);
    if (result == CLAIM_FAILED) fail_msg("%s", error.message);
    return result;
}

static inline void sleep_for(double seconds) {
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (time_t)seconds))},
              NULL);
}

#endif
