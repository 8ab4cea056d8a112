// Paths: putting them together, and what is at them.
#ifndef BITTER_PATH_H
#define BITTER_PATH_H

#include "base/error.h"

#define PATH_CAPACITY 1024

// path = printf(format, ...). Fails (input) when it does not fit into PATH_CAPACITY.
bool path_format(char path[PATH_CAPACITY], Error *error, const char *format, ...) FORMAT_CHECK(3, 4);

// Is there anything of that name? A link counts, whether or not it leads anywhere. False also where stat fails: use
// path_missing where that would leave something out or replace it.
bool path_exists(const char *path);

// Is there certainly nothing of that name? False when stat fails: whoever opens it then says why.
bool path_missing(const char *path);

// Is it a directory, or a link to one?
bool path_is_directory(const char *path);

// The directory that `path` is in: "a/b" -> "a", "b" -> ".", "/b" -> "/". Fails as path_format does.
bool path_parent(char parent[PATH_CAPACITY], const char *path, Error *error);

// What follows the last slash.
const char *path_name(const char *path);

// Remove each '/' at the end, but not the only character.
void path_trim(char *path);

bool path_ends_with(const char *path, const char *suffix);

#endif
