#include "train/result.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_MOST 256 // bytes

static bool holds(const char *directory, const char *file) {
    char path[PATH_CAPACITY];
    Error ignored;
    return path_format(path, &ignored, "%s/%s", directory, file) && !path_missing(path);
}

bool result_is_own(const char *name) {
    static const char *const own[] = {
        "config.json",   "tokenizer.json", "model.safetensors", "best.safetensors", "state.safetensors", "log.csv",
        "positions.csv", "lock",           "search.csv",        "descent.csv",      "results.csv",       "compare.json",
        "measured.csv",  "report.md",      "report.html",       "report.tex",       "slurm.sh",          "slurm",
        "runs"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcasecmp(own[i], name) == 0) return true;
    return strncasecmp(name, "plot-", strlen("plot-")) == 0;
}

static bool check_owner(const char *option, const char *path, Error *error) {
    char directory[PATH_CAPACITY];
    if (!path_parent(directory, path, error)) return false;
    const bool run = holds(directory, "config.json"), comparison = holds(directory, "compare.json");
    return !((run || comparison) && result_is_own(path_name(path))) ||
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
           fail_input(error, "%s%s%s exists and holds something else; move it elsewhere%s", option, *option ? " " : "",
                      path, *option ? ", or choose another name" : "");
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
