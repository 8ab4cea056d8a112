// The one door for matrix products.
#ifndef BITTER_GEMM_H
#define BITTER_GEMM_H

#include "model/base/real.h"

#include <stdbool.h>

// A row-major operand: rows start `stride` numbers apart; `transposed` reads it as its transpose.
typedef struct {
    const real *at;
    int stride;
    bool transposed;
} Matrix;

static inline Matrix rows_of(const real *at, int stride) {
    return (Matrix){at, stride, false};
}

static inline Matrix columns_of(const real *at, int stride) {
    return (Matrix){at, stride, true};
}

// C (M,N), row stride ldc, = beta * C + alpha * A (M,K) * B (K,N). With beta 0, C is overwritten whatever it held.
// Inside a parallel region the calling thread computes it alone.
void gemm(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, int M, int N, int K);

// The most threads that may call gemm() side by side: 1 where the BLAS is a build that does not expect any.
int gemm_threads_most(void);

// NULL, or a sentence about a BLAS build that makes training slow.
const char *gemm_complaint(void);

// What multiplies: library, version and kernel, for config.json.
const char *gemm_description(void);

// Is the BLAS OpenBLAS, whose kernels OPENBLAS_CORETYPE chooses?
bool gemm_is_openblas(void);

// The core whose kernels OpenBLAS or BLIS uses, by the library's name for it: "Haswell", "SkylakeX", "skx"; "unknown"
// for another BLAS.
const char *gemm_core(void);

// Does gemm() agree with plain loops, for every combination of transposed operands? Takes about a millisecond,
// and starts no threads, so that processes can be forked afterwards.
bool gemm_is_right(void);

#endif
