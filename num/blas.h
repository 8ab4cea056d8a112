// The BLAS library that the program is linked to (make BLAS=openblas|blis|mkl|accelerate|none).
#ifndef BITTER_BLAS_H
#define BITTER_BLAS_H

#include "num/product.h"

// The product of gemm(), by the library. Inside a parallel region the calling thread computes it alone.
void blas_product(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, int M, int N, int K);

// The most threads that may call blas_product() side by side: 1 where the BLAS is a build that does not expect any.
int blas_threads_most(void);

// NULL, or a sentence about a BLAS build that makes training slow.
const char *blas_complaint(void);

// The library, for config.json; OpenBLAS tells its version and kernel, too.
const char *blas_description(void);

// The core whose kernels OpenBLAS uses, by its name for it: "Haswell", "SkylakeX"; "unknown" for another BLAS.
const char *blas_core(void);

// Has OpenBLAS by itself, without the user's OPENBLAS_CORETYPE, chosen a core without AVX2?
bool blas_is_behind(void);

// Does blas_product() agree with the program's own products, for every combination of transposed operands? Starts no
// threads, so that processes can be forked afterwards.
bool blas_is_right(void);

#endif
