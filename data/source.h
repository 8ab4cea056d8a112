// Where input text comes from.
#ifndef BITTER_SOURCE_H
#define BITTER_SOURCE_H

#include "data/file.h"

// Read all of a plain file, of a gzip file (when `path` ends in ".gz"; one or more members) or of standard input (when
// it is "-"). The caller frees buffer->bytes. Fails (input) when it is missing or unreadable, when a .gz is not gzip,
// is cut short, damaged or followed by something else, and when gzip data comes without the .gz that announces it.
bool source_read(Buffer *buffer, const char *path, Error *error);

#endif
