// One directory for all tests of a program: make_directory and remove_directory are their setup and teardown.
#ifndef BITTER_DIRECTORY_H
#define BITTER_DIRECTORY_H

#include "tests/support/scratch.h"

static char directory[SCRATCH_PATH];

static inline int make_directory(void **state) {
    scratch_make(directory);
    return 0;
}

static inline int remove_directory(void **state) {
    scratch_remove(directory);
    return 0;
}

#endif
