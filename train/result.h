// Files that the user asks for, such as --csv FILE, and what they may overwrite.
#ifndef BITTER_RESULT_H
#define BITTER_RESULT_H

#include "base/file/file.h"

// Does a run or a comparison use this name in its directory? Upper and lower case count as the same, as they do on some
// file systems.
bool result_is_own(const char *name);

// Check that no other file would be lost at `path`: fails (input) when a file exists there that is not empty and does
// not begin with `head` (size bytes), as all files of this kind do. `option` names the path in errors, unless it is "".
bool result_replaces(const char *option, const char *path, const void *head, size_t size, Error *error);

// The same; also fails (input) when the directory holds a run or a comparison that uses a file of this name, even if
// that file does not exist.
bool result_check(const char *option, const char *path, const void *head, size_t size, Error *error);

// Begin a table: check, open, and write its first line, which ends in a newline. Does nothing when `path` is "".
bool result_open(AtomicFile *file, const char *option, const char *path, const char *header, Error *error);

// End a file that was begun: make it permanent if all went well so far, else leave what was there before. Returns
// whether all went well. Does nothing for a file that was never opened ({0}).
bool result_close(AtomicFile *file, bool ok, Error *error);

#endif
