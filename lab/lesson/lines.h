// What the build makes of sources for `bitter lesson`, so that it cannot be out of date.
#ifndef BITTER_LINES_H
#define BITTER_LINES_H

#include "base/file/text.h"

// Where functions begin (scripts/lines.awk).
typedef struct {
    const char *function, *file; // "rope_pair_forward", "posenc/rotation/rope.c"
    int line;
} CodeLine;

extern const CodeLine code_lines[]; // ends with a row without a function

extern const EmbeddedFile exercise_files[]; // the files of lesson/exercises/ (scripts/embed.awk)

#endif
