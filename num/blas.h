// The BLAS library that the program is linked to (make BLAS=openblas|blis|mkl|accelerate|none).
#ifndef BITTER_BLAS_H
#define BITTER_BLAS_H

#include "num/product.h"

// The product of gemm(), by the library. Inside a parallel region the calling thread computes it alone.
void blas_product(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, int M, int N, int K);

// The most threads that may call blas_product() at the same time: 1 if the BLAS is a sequential build.
int blas_threads_most(void);

// NULL, or a sentence about a BLAS build that makes training slow.
const char *blas_complaint(void);

// A description of the library, for config.json; with OpenBLAS, including its version and kernel.
const char *blas_description(void);

// OpenBLAS's name of the core whose kernels it uses: "Haswell", "SkylakeX"; "unknown" for another BLAS.
const char *blas_core(void);

// Has OpenBLAS by itself, without the user's OPENBLAS_CORETYPE, chosen a core without AVX2?
bool blas_is_behind(void);

// Does blas_product() agree with the program's own products, for every combination of transposed operands? Starts no
// threads, so that processes can be forked afterwards.
bool blas_is_right(void);

#endif
