// The program's own matrix products, in the compiler's vector types: the same source for AVX-512, AVX2, NEON and 128
// bits. Every element is summed in the order of k, in blocks whose size depends on K alone, so its bits do not depend
// on how threads share rows and columns, if each has at least 4 rows.
#ifndef BITTER_PRODUCT_H
#define BITTER_PRODUCT_H

#include "num/real.h"

#include <stdbool.h>
#include <stddef.h>

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

static inline size_t matrix_offset(Matrix matrix, int row, int column) {
    return matrix.transposed ? (size_t)column * matrix.stride + row : (size_t)row * matrix.stride + column;
}

static inline real matrix_entry(Matrix matrix, int row, int column) {
    return matrix.at[matrix_offset(matrix, row, column)];
}

// The matrix without its first rows and columns.
static inline Matrix matrix_from(Matrix matrix, int row, int column) {
    matrix.at += matrix_offset(matrix, row, column);
    return matrix;
}

static inline int least(int a, int b) {
    return a < b ? a : b;
}

// The size of a block when K rows are cut into as few blocks of at most `most` as possible, all about equal.
static inline int block_size(int K, int most) {
    const int blocks = K > most ? (K + most - 1) / most : 1;
    return (K + blocks - 1) / blocks;
}

// C (M,N), row stride ldc, = beta * C + alpha * A (M,K) * B (K,N) + bias (N). With beta 0, C is overwritten whatever it
// held. bias may be NULL.
void product(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, const real *bias, int M, int N, int K);

// The width of the vectors that the kernels were built for: 64, 32 or 16.
int product_vector_bytes(void);

// How many numbers the packed form of B (K,N) has.
size_t product_packed_size(int K, int N);
// packed (product_packed_size) = B (K,N), in the order in which the kernel reads it.
void product_pack(real *packed, Matrix B, int K, int N);
// C (M,N) = beta * C + alpha * A (M, rows begin to end) * those rows of B (K,N_all): N columns from `first` on, a
// multiple of two vectors' length.
void product_packed(real *C, int ldc, real beta, real alpha, Matrix A, const real *packed, int N_all, int K, int first,
                    int begin, int end, int M, int N);

// out (16, 16) = the transpose of in (16, 16).
void transpose_square(real *out, const real *in);

#endif
