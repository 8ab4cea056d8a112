#include "train/result.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_MOST 256 // bytes

// The files that a run or a comparison uses in its directory.
static const char *const own_files[] = {
    "config.json",
    "tokenizer.json",
    "model.safetensors",
    "best.safetensors",
    "state.safetensors",
    "log.csv",
    "lock",
    "search.csv",
    "descent.csv",
    "measured.csv",
    "report.md",
    "report.html",
    "report.tex",
    "results.csv",
    "compare.json",
    "plot-*.svg",
    "runs",
    "slurm.sh",
    "slurm",
    "positions.csv",
};

static bool holds(const char *directory, const char *file) {
    char path[PATH_CAPACITY];
    Error ignored;
    return path_format(path, &ignored, "%s/%s", directory, file) && !path_missing(path);
}

// Does a run or a comparison use this name? Upper and lower case count as the same, as they do on some file systems.
static bool is_own_file(const char *name) {
    char lower[PATH_CAPACITY];
    snprintf(lower, sizeof lower, "%s", name);
    for (char *c = lower; *c; c++) *c = (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
        if (fnmatch(own_files[i], lower, 0) == 0) return true;
    return false;
}

static bool check_owner(const char *option, const char *path, Error *error) {
    char directory[PATH_CAPACITY];
    if (!path_parent(directory, path, error)) return false;
    const bool run = holds(directory, "config.json"), comparison = holds(directory, "compare.json");
    return !((run || comparison) && is_own_file(path_name(path))) ||
           fail_input(error, "%s %s is a file of the %s in that directory; name another file", option, path,
                      run ? "run" : "comparison");
}

bool result_replaces(const char *option, const char *path, const void *head, size_t size, Error *error) {
    struct stat status;
    if (path_missing(path)) return true;
    if (stat(path, &status) == 0 && (!S_ISREG(status.st_mode) || status.st_size == 0))
        return true; // atomic_open fails and says why
    char found[HEAD_MOST];
    assert(size <= sizeof found);
    const int file = file_open(path, error);
    if (file < 0) return false;
    const ssize_t got = read(file, found, size);
    const int reason = errno;
    close(file);
    if (got < 0) return fail_open(path, reason, "", error);
    return (got == (ssize_t)size && memcmp(found, head, size) == 0) ||
           fail_input(error, "%s%s%s exists and holds something else; move it elsewhere, or choose another name",
                      option, *option ? " " : "", path);
}

bool result_check(const char *option, const char *path, const void *head, size_t size, Error *error) {
    return check_owner(option, path, error) && result_replaces(option, path, head, size, error);
}

bool result_open(AtomicFile *file, const char *option, const char *path, const char *header, Error *error) {
    const size_t size = strlen(header);
    if (!*path) return true;
    return result_check(option, path, header, size, error) && atomic_open(file, path, error) &&
           atomic_write(file, header, size, error);
}

bool result_close(AtomicFile *file, bool ok, Error *error) {
    if (!file->stream) return ok;
    if (ok) return atomic_commit(file, error);
    atomic_abandon(file);
    return false;
}

bool result_same(const char *a, const char *b) {
    char directories[2][PATH_CAPACITY];
    struct stat status[2];
    Error ignored;
    return path_parent(directories[0], a, &ignored) && path_parent(directories[1], b, &ignored) &&
           strcmp(path_name(a), path_name(b)) == 0 && stat(directories[0], &status[0]) == 0 &&
           stat(directories[1], &status[1]) == 0 && status[0].st_dev == status[1].st_dev &&
           status[0].st_ino == status[1].st_ino;
}
