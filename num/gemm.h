// All matrix products pass through here, to the program's own kernels (product.h) or to a BLAS library (blas.h). The
// BLAS computes large products where the vectors are narrow, or all products after make KERNELS=blas.
#ifndef BITTER_GEMM_H
#define BITTER_GEMM_H

#include "num/product.h"

// C (M,N), row stride ldc, = beta * C + alpha * A (M,K) * B (K,N). With beta 0, C is overwritten whatever it held. K is
// at least 1. Every thread that calls it computes the whole product, on its own.
void gemm(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, int M, int N, int K);
// The products of linear layers: C (M,N) = beta * C + A B + bias (N). bias may be NULL, and must be NULL unless beta is
// 0. gemm_linear_in_bf16(true) makes all later calls round A and B to bfloat16 (bf16.h), false ends that; no product
// may be under way then.
void gemm_linear(real *C, int ldc, real beta, Matrix A, Matrix B, const real *bias, int M, int N, int K);
void gemm_linear_in_bf16(bool yes);

// A second operand that several products share: it is put, once, into the order in which the kernel reads it.
typedef struct {
    Matrix B; // (K,N)
    int K, N;
    real *at;  // its packed form; NULL if it is not packed
    int first; // column with which products begin (gemm_packed_from)
} Packed;

#define PACKED_COLUMNS 32 // products can begin at multiples of this column

// How many numbers of memory gemm_pack needs for B (K,N).
size_t gemm_packed_size(int K, int N);
// Pack B (K,N) into `at`; leave it as it is if `at` is NULL. B must not change while the result is in use.
Packed gemm_pack(real *at, Matrix B, int K, int N);
// The same operand without its first `column` columns: a multiple of PACKED_COLUMNS if the operand is packed.
Packed gemm_packed_from(const Packed *packed, int column);
// C (M,N) = beta * C + alpha * A (M, end - begin) * the first N columns of rows begin to end of the packed matrix.
void gemm_packed(real *C, int ldc, real beta, real alpha, Matrix A, const Packed *packed, int begin, int end, int M,
                 int N);

// Call before the first product. OpenBLAS chooses kernels when the program is loaded; an old one that does not know
// this processor takes those of a Pentium 4. Where they are behind what this program was built for (blas_is_behind),
// the program's own kernels compute all products.
void gemm_choose(void);

// How the program multiplies: "own-64", in vectors of 64 bytes; "own-32+blas", which leaves large products to the BLAS;
// or "blas"; with "+bf16-AMX" or the like where linear layers use bfloat16.
const char *gemm_kernels(void);

// Does any product go to the BLAS?
bool gemm_uses_blas(void);

#endif
