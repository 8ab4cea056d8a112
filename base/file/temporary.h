// Temporary files and directories, beside the ones that they will replace.
#ifndef BITTER_TEMPORARY_H
#define BITTER_TEMPORARY_H

#include "base/path.h"

typedef enum { TEMPORARY_FILE, TEMPORARY_DIRECTORY } TemporaryKind;

// Create a new file or directory PATH.XXXXXX.tmp, with six random characters, and write its path to `name`. Those of
// this name that processes left behind when they ended are removed first. Returns a descriptor (of a file: for
// writing) that keeps it locked until it is closed, or -1 with errno.
int temporary_create(char name[PATH_CAPACITY], const char *path, TemporaryKind kind);

// Remove those that processes which have ended left beside `path`.
void temporary_clear(const char *path, TemporaryKind kind);

// Remove the file, or the directory with the files in it.
void temporary_remove(const char *name);

#endif
