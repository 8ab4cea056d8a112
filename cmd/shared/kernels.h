// What multiplies matrices, and where this program lies.
#ifndef BITTER_KERNELS_H
#define BITTER_KERNELS_H

#include "base/path.h"

// The path of the running program; `name` where the system cannot tell.
void program_find(char program[PATH_CAPACITY], const char *name);

// Call when long work begins. Prints a line to stderr when this build of the BLAS is slow. Dies (run) when its products
// are wrong.
void kernels_report(const char *command);

#endif
