// A directory that gets its name when it is complete.
#ifndef BITTER_OUTPUT_H
#define BITTER_OUTPUT_H

#include "base/file.h"
#include "base/option.h"

typedef struct {
    char path[PATH_CAPACITY], temporary[PATH_CAPACITY], parent[PATH_CAPACITY];
    size_t existing; // length of the part of `parent` that was not made for this output
    bool made;
    int lock; // while `made`: keeps others from removing the temporary directory
} Output;

// Where it goes: `out`, or runs/data/NAME after the first input when that is "". Fails (input) when something is there.
bool output_locate(Output *output, const char *out, const char *first_input, Error *error);

// Make the directory under a temporary name, with its parents, and remove what killed processes left of the same
// output.
bool output_create(Output *output, Error *error);

// Give it its name.
bool output_complete(Output *output, Error *error);

// Remove what is there of a failed output, and the parents that were made for it.
void output_discard(Output *output);

#endif
