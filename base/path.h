// Paths: putting them together, and finding out what they name.
#ifndef BITTER_PATH_H
#define BITTER_PATH_H

#include "base/error.h"

#define PATH_CAPACITY 1024

// path = printf(format, ...). Fails (input) when it does not fit into PATH_CAPACITY.
bool path_format(char path[PATH_CAPACITY], Error *error, const char *format, ...) FORMAT_CHECK(3, 4);

// Is there anything of that name? A symbolic link counts even if it leads nowhere. Also false when stat fails: use
// path_missing where a file that cannot be seen would then be skipped or replaced.
bool path_exists(const char *path);

// Is there certainly nothing of that name? False when stat fails: opening the path then reports why.
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
