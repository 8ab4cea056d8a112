// An output directory that appears under its name only when it is complete.
#ifndef BITTER_OUTPUT_H
#define BITTER_OUTPUT_H

#include "base/file/file.h"
#include "base/option.h"

typedef struct {
    char path[PATH_CAPACITY], temporary[PATH_CAPACITY], parent[PATH_CAPACITY];
    size_t existing; // length of the part of `parent` that existed before
    int lock;        // keeps other processes from removing the temporary directory; -1 = there is none
} Output;

// Set the path, which the user gave as `option`, such as "--out". Fails (input) unless it is free or an empty
// directory.
bool output_place(Output *output, const char *option, const char *path, Error *error);

// runs/data/NAME, where NAME is the first input's base name without .gz and .txt or the like; of "builtin:tales:...",
// tales.
bool output_default(char path[PATH_CAPACITY], const char *first_input, Error *error);

// Make the directory under a temporary name, and its parents. Remove what killed processes left of the same output.
bool output_create(Output *output, Error *error);

// Rename the directory to its final path.
bool output_complete(Output *output, Error *error);

// Remove the temporary directory, and the parents that were made for it.
void output_discard(Output *output);

#endif
