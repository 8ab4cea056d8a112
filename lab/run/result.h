// Files that the user asks for, such as --csv FILE: what they may replace.
#ifndef BITTER_RESULT_H
#define BITTER_RESULT_H

#include "base/file.h"

// May the file that `option` names be written to `path`? All files of its kind begin with `head` (size bytes). Fails
// (input) when there is a file that begins otherwise and is not empty, and when the name is that of a file of the run
// or comparison in that directory, whether that file exists or not.
bool result_check(const char *option, const char *path, const void *head, size_t size, Error *error);

// Begin a table: check, open, and write its first line, which ends in a newline.
bool result_open(AtomicFile *file, const char *option, const char *path, const char *header, Error *error);

// Do two paths lead to the same file, there or not?
bool result_same(const char *a, const char *b);

#endif
