#include "cmd/shared/output.h"

#include "data/made/builtin.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

// Fails (input) unless the path is free or an empty directory. Renaming cannot replace a symbolic link by a directory.
static bool check_free(const char *option, const char *path, Error *error) {
    if (!path_check_link(path, "name the directory itself, or remove the link", error)) return false;
    DIR *entries = opendir(path);
    if (!entries && errno == ENOENT) return true;
    if (!entries) return fail_open(path, errno, "choose a new directory", error);
    bool empty = true;
    for (const struct dirent *entry; (entry = directory_next(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) empty = false;
    if (!directory_end(entries, path, error)) return false;
    return empty ||
           fail_input(error, "%s exists and is not empty; choose another %s, or remove it first", path, option);
}

bool output_place(Output *output, const char *option, const char *path, Error *error) {
    *output = (Output){.existing = PATH_CAPACITY, .lock = -1};
    if (!path_format(output->path, error, "%s", path)) return false;
    path_trim(output->path);
    const char *base = path_name(output->path);
    if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
        return fail_input(error, "%s %s does not name a new directory; give the name of one", option,
                          *path ? output->path : "''");
    return path_parent(output->parent, output->path, error) && check_free(option, output->path, error);
}

bool output_default(char path[PATH_CAPACITY], const char *first_input, Error *error) {
    const char *base = path_name(first_input);
    size_t length = strlen(base);
    if (is_builtin(first_input)) {
        base = first_input + strlen(BUILTIN_PREFIX);
        length = strcspn(base, ":");
    } else if (strcmp(first_input, "-") == 0) {
        base = "stdin";
        length = strlen(base);
    } else {
        if (length > 3 && path_ends_with(base, ".gz")) length -= 3;
        size_t dot = length;
        while (dot > 0 && base[--dot] != '.') continue;
        if (dot > 0) length = dot;
    }
    if (strspn(base, ".") >= length) return path_format(path, error, "runs/data/text"); // as of "." and ".."
    return path_format(path, error, "runs/data/%.*s", (int)length, base);
}

bool output_create(Output *output, Error *error) {
    if (!directory_create(output->parent, &output->existing, error)) return false;
    output->lock = temporary_create(output->temporary, output->path, TEMPORARY_DIRECTORY);
    return output->lock >= 0 || fail_create(output->path, errno, error);
}

bool output_complete(Output *output, Error *error) {
    if (rename(output->temporary, output->path) != 0) {
        if (errno == ENOTEMPTY || errno == EEXIST)
            return fail_input(error,
                              "another process has written %s meanwhile; choose another name, or remove it first",
                              output->path);
        return fail_run(error, "cannot rename %s to %s: %s", output->temporary, output->path, strerror(errno));
    }
    close(output->lock);
    output->lock = -1;
    return directory_sync(output->parent, error);
}

void output_discard(Output *output) {
    if (output->lock >= 0) {
        temporary_remove(output->temporary);
        close(output->lock);
    }
    directory_uncreate(output->parent, output->existing);
}
