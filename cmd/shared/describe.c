#include "cmd/shared/describe.h"

#include "cmd/shared/arguments.h"
#include "num/blas.h"
#include "num/gemm.h"

#include <stdio.h>

void shape_describe(char text[TEXT_CAPACITY], const Shape *s, const char *window) {
    char keys[64] = "";
    if (key_heads(s) < s->heads)
        snprintf(keys, sizeof keys, " that share %d head%s of keys", key_heads(s), key_heads(s) == 1 ? "" : "s");
    snprintf(text, TEXT_CAPACITY, "%d layer%s%s, %d head%s%s, width %d, context %d%s%.200s%s%s", s->layers,
             s->layers == 1 ? "" : "s", s->block == BLOCK_LLAMA ? " with Llama's block" : "", s->heads,
             s->heads == 1 ? "" : "s", keys, s->width, s->context, s->windows.period ? ", window " : "",
             s->windows.period ? window : "", s->windows.period > 1 ? " by layers" : "",
             s->scale_logits ? ", scores times s log n" : "");
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
