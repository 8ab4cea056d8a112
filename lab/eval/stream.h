// Text that a model writes, byte by byte, on its way to a file or a terminal: whole characters, up to a stop text.
#ifndef BITTER_STREAM_H
#define BITTER_STREAM_H

#include "base/file/text.h"
#include "base/option.h"

#include <stdio.h>

// A model can write any bytes. A file gets them all. A terminal gets '?' for control characters other than newlines and
// tabs, because it would obey them, and U+FFFD for each byte that is not UTF-8.
typedef struct {
    FILE *out;
    bool terminal;         // is `out` one?
    const TextList *stops; // texts that end the output and are not written; NULL = none
    bool failed;           // bytes were lost: no memory to hold them, or `out`, if no terminal, did not take them
    Text held;             // the end of a character or of a stop text may follow
} Stream;

// Streams to `out`; end with stream_end.
Stream stream_to(FILE *out, const TextList *stops);

// Write what can be written, and hold back what may be the beginning of a character or of a stop text. Returns whether
// a stop text came: what precedes it is written then, and the rest forgotten.
bool stream_write(Stream *stream, const char *bytes, size_t size);

// Has a character begun of which more bytes have to come?
bool stream_within_character(const Stream *stream);

// Write what is held back, and free it.
void stream_end(Stream *stream);

// Write a whole text that way; returns whether `out` took all of it.
bool stream_text(FILE *out, const char *text);

#endif
