// A temporary directory for tests that write files, removed together with its content.
#ifndef BITTER_SCRATCH_H
#define BITTER_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCRATCH_PATH = 1024 };

static inline void scratch_make(char directory[SCRATCH_PATH]) {
    const char *base = getenv("TMPDIR");
    snprintf(directory, SCRATCH_PATH, "%s/bitter-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(directory)) abort();
}

// Directories inside directories are removed too; symbolic links are not followed.
static inline void scratch_remove(const char *directory) {
    DIR *entries = opendir(directory);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[2 * SCRATCH_PATH];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (length < (int)sizeof path && unlink(path) != 0) scratch_remove(path);
    }
    if (entries) closedir(entries);
    rmdir(directory);
}

// How many files and directories the directory holds.
static inline int scratch_count(const char *directory) {
    int count = 0;
    DIR *entries = opendir(directory);
    if (!entries) abort();
    for (const struct dirent *entry; (entry = readdir(entries));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

static inline void scratch_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
}

#endif
