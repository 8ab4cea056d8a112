// Where the functions that `bitter lesson` names begin. The build makes the table from the sources (scripts/lines.awk),
// so it cannot be out of date.
#ifndef BITTER_LINES_H
#define BITTER_LINES_H

typedef struct {
    const char *function, *file; // "rope_pair_forward", "posenc/rotation/rope.c"
    int line;
} CodeLine;

extern const CodeLine code_lines[]; // ends with a row without a function

#endif
