// Temporary files and directories beside what they are going to replace.
#ifndef BITTER_TEMPORARY_H
#define BITTER_TEMPORARY_H

#include "data/file.h"

typedef enum { TEMPORARY_FILE, TEMPORARY_DIRECTORY } TemporaryKind;

// Make a new file or directory PATH.XXXXXX.tmp, with a random name that nothing had before, and permissions by the
// umask; *name is what it is called. Returns a descriptor that keeps it locked until it is closed, a file's for
// writing; or -1 with errno. First remove all that processes which are no more left there under such names.
int temporary_create(char name[PATH_CAPACITY], const char *path, TemporaryKind kind);

// Remove the file, or the directory with the files in it.
void temporary_remove(const char *name);

#endif
