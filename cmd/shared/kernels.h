// The choice of OpenBLAS's kernels for matrix products. OpenBLAS has kernels for many processors ("cores") and chooses
// when the program is loaded. A library that is older than the processor does not recognise it and chooses the kernels
// of a Pentium 4 ("Prescott"), which are up to five times slower.
#ifndef BITTER_KERNELS_H
#define BITTER_KERNELS_H

#include "base/path.h"

#include <stdio.h>

// The hidden command with which kernels_choose tries a core: exit code 0 when OpenBLAS uses the core that
// OPENBLAS_CORETYPE names and its products are right.
#define KERNELS_CHECK "check-kernels"

// Call before anything is read or written. Where OpenBLAS chose a core below what the processor can do (AVX, AVX2,
// AVX-512), restart this program with OPENBLAS_CORETYPE set to the best core whose products are right, and do
// not return. Returns when OpenBLAS's choice is good, when the user has set OPENBLAS_CORETYPE, under a debugger, and on
// other processors than x86-64. A test can set OPENBLAS_CORETYPE together with BITTER_CORETYPE=guess: the core then
// counts as OpenBLAS's own choice.
void kernels_choose(char **argv);

// Call before a command of another program that may start this one on another machine, which chooses for itself.
void kernels_forget(void);

// The path of the running program; `name` where the system cannot tell.
void program_find(char program[PATH_CAPACITY], const char *name);

// Runs the hidden command. Returns its exit code: 0, or 1.
int kernels_check(void);

// Call when long work begins. Prints a line to `out` when kernels_choose replaced OpenBLAS's own choice, and a line to
// stderr when the kernels, or this build of the BLAS, are slow. Dies (run) when its products are wrong.
void kernels_report(FILE *out, const char *command);

#endif
