// Files that the user asks for, such as --csv FILE, and what they may overwrite.
#ifndef BITTER_RESULT_H
#define BITTER_RESULT_H

#include "base/file/file.h"

// The rule for all files that bitter writes into places that users name: check that nothing of somebody else's is lost
// at `path`. All files of its kind begin with `head` (size bytes). Fails (input) when a file exists there that is not
// empty and begins differently. option: what names the file, for errors; "" = bitter itself.
bool result_replaces(const char *option, const char *path, const void *head, size_t size, Error *error);

// Check that the file that `option` names may be written to `path`, by that rule. Fails (input), too, when the
// directory holds a run or a comparison that uses a file of this name, whether that file exists or not.
bool result_check(const char *option, const char *path, const void *head, size_t size, Error *error);

// Begin a table: check, open, and write its first line, which ends in a newline. Does nothing when `path` is "".
bool result_open(AtomicFile *file, const char *option, const char *path, const char *header, Error *error);

// End a file that was begun: make it permanent if all went well so far, else leave what was there before. Returns
// whether all went well. Does nothing for a file that was never opened ({0}).
bool result_close(AtomicFile *file, bool ok, Error *error);

// Do two paths lead to the same file? It need not exist.
bool result_same(const char *a, const char *b);

#endif
