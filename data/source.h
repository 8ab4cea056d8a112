// Where input text comes from.
#ifndef BITTER_SOURCE_H
#define BITTER_SOURCE_H

#include "base/file/file.h"

// Inflate what a gzip file called `name` holds (one or more members), but at most `most` bytes of it; *more tells
// whether there are more. The caller frees output->bytes. Fails (input) when it is not gzip, is cut short, damaged or
// followed by something else, (run) when there is too little memory.
bool gzip_inflate(Buffer *output, bool *more, const Buffer *packed, size_t most, const char *name, Error *error);

// Read all of a plain file, of a gzip file (when `path` ends in ".gz"; one or more members) or of standard input (when
// it is "-"). The caller frees buffer->bytes. Fails (input) when it is missing or unreadable, and when a .gz is not
// gzip, is cut short, damaged or followed by something else. Fails (run) when there is too little memory.
bool source_read(Buffer *buffer, const char *path, Error *error);

// Fails (input), naming the command that helps, when what was read from `path` is no text: an archive, a PDF file,
// UTF-16 or, by its share of zeros, another binary file.
bool source_check(const Buffer *buffer, const char *path, Error *error);

#endif
