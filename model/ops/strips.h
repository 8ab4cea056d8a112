// The matrix products of attention, which leave out most of the keys that a query does not see: later ones, and those
// that have left its window.
#ifndef BITTER_STRIPS_H
#define BITTER_STRIPS_H

#include "model/ops/attention.h"
#include "num/gemm.h"

// Products of a block, rows `ldc` apart, whose last query sees `columns` keys. C (rows, columns) = alpha A (rows, w) *
// packed (w, keys). Keys that no query of a strip of the block sees become 0 without being computed.
void product_to_keys(real *C, int ldc, real alpha, Matrix A, const Packed *packed, int rows, int columns, int window);
// C (rows, w) = beta C + alpha A (rows, columns) * packed (keys, w). A must be 0 at keys that a row does not see. Row
// `from` of packed is the block's first key.
void product_of_keys(real *C, int ldc, real beta, real alpha, Matrix A, const Packed *packed, int from, int rows,
                     int columns, int window);
// out (keys, w), rows `stride` apart, += scale grad^T rows, where grad (rows, columns) is the block's dS or P, out dk
// or dv from the block's first key on, and `rows` (queries, w) all q or dout of the head.
void add_transposed(real *out, int stride, real scale, const real *grad, const Packed *rows, const QueryBlock *block,
                    int window);

#endif
