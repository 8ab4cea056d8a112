// Files that the user asks for, such as --csv FILE: what they may replace.
#ifndef BITTER_RESULT_H
#define BITTER_RESULT_H

#include "data/file.h"

// May a file that begins with `head` (size bytes), as all of its kind do, be written to `path`? `option` is what names
// it. Fails (input) when something else is there, an empty file excepted, and when the path is that of a file which
// belongs to a run or a comparison, whether it is there or not.
bool result_check(const char *option, const char *path, const void *head, size_t size, Error *error);

// Begin a table: check, open, and write its first line, which ends in a newline.
bool result_open(AtomicFile *file, const char *option, const char *path, const char *header, Error *error);

// Do two paths lead to the same file, there or not?
bool result_same(const char *a, const char *b);

#endif
