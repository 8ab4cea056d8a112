#include "base/path.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool path_format(char path[PATH_CAPACITY], Error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, PATH_CAPACITY, format, arguments);
    va_end(arguments);
    if (length >= 0 && length < PATH_CAPACITY) return true;
    return fail_input(error, "the path '%.60s...' is too long; use one of less than %d bytes", path, PATH_CAPACITY);
}

const char *path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void path_trim(char *path) {
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/';) path[--end] = '\0';
}

bool path_parent(char parent[PATH_CAPACITY], const char *path, Error *error) {
    const int length = (int)(path_name(path) - path); // with the slash
    if (length == 0) return path_format(parent, error, ".");
    return path_format(parent, error, "%.*s", length > 1 ? length - 1 : 1, path);
}

bool path_exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

bool path_missing(const char *path) {
    return !path_exists(path) && (errno == ENOENT || errno == ENOTDIR);
}

bool path_is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool path_ends_with(const char *path, const char *suffix) {
    const size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}
