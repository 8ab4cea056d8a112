#include "cmd/shared/kernels.h"

#include "cmd/shared/arguments.h"
#include "num/blas.h"
#include "num/gemm.h"

#include <stdio.h>
#include <unistd.h>

void program_find(char program[PATH_CAPACITY], const char *name) {
    const ssize_t length = readlink("/proc/self/exe", program, PATH_CAPACITY - 1);
    if (length > 0 && length < PATH_CAPACITY - 1) // a longer one may be cut
        program[length] = '\0';
    else
        snprintf(program, PATH_CAPACITY, "%s", name);
}

void kernels_report(const char *command) {
    if (!gemm_uses_blas()) return;
    if (!blas_is_right()) {
        Error error;
        fail_run(&error,
                 "the kernels of %s for %s give wrong products on this processor; install another version of the "
                 "library, set OPENBLAS_CORETYPE=Haswell or another core, or build bitter with `make BLAS=none`",
                 blas_description(), blas_core());
        die(command, &error);
    }
    if (blas_complaint()) fprintf(stderr, "bitter %s: %s\n", command, blas_complaint());
}
