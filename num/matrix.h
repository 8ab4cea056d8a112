// The operands of matrix products.
#ifndef BITTER_MATRIX_H
#define BITTER_MATRIX_H

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

// K rows are cut into as few blocks of at most `most` as possible, all of about this size.
static inline int block_size(int K, int most) {
    const int blocks = K > most ? (K + most - 1) / most : 1;
    return (K + blocks - 1) / blocks;
}

#endif
