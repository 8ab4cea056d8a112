// Input text.
#ifndef BITTER_SOURCE_H
#define BITTER_SOURCE_H

#include "base/file/file.h"

// Read all of a file, of a named pipe or of standard input (when `path` is "-"); what is gzipped is inflated. The
// caller frees buffer->bytes. Fails (input) when it is missing or unreadable, when gzip data are damaged or cut short,
// or when the name ends in .gz and it is no gzip; (run) when there is too little memory.
bool source_read(Buffer *buffer, const char *path, Error *error);

// Fails (input) when what was read from `path` is no text: UTF-16, or, as more than a thousandth of it are zeros, an
// archive, a PDF file or another binary file.
bool source_check(const Buffer *buffer, const char *path, Error *error);

#endif
