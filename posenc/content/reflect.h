// Scores through reflections: between the query at i and the key at j stands a product of matrices H_t = I - beta_t w_t
// w_t^T, one for each token on the way. With w of length 1, H keeps all that is orthogonal to w and multiplies the rest
// by 1 - beta: beta 0 does nothing, 1 erases the direction w, 2 mirrors it.
#ifndef BITTER_REFLECT_H
#define BITTER_REFLECT_H

#include "posenc/scheme.h"

struct Chunk;

// One reflection for each key of a head, their gradients, and scratch. All but Q, U, X and dU stay the same for the
// blocks of a head.
typedef struct {
    int d, keys;
    real *w, *dw;           // (keys, d)
    real *beta, *dlog_beta; // (keys); beta > 0, and dlog_beta = beta dbeta
    struct Chunk *chunks;   // the keys by chunks
    real *memory;           // of the chunks
    real *Q, *U;            // (chunks, rows, d), (chunks, rows, chunk) left by reflect_forward
    real *X, *dU;           // (rows, 2 chunk + d), (rows, chunk), of the chunk at work
} Reflections;

// Take the memory for blocks of at most `rows` queries from the arena; `keys` are all that the head has.
Reflections reflections_take(Arena *arena, int rows, int keys, int d);

// Once for a head, when w and beta are set: compute what depends only on these and on its keys k, rows k_stride apart.
void reflect_keys(const Reflections *r, const real *k, int k_stride);
// Once for a head, before reflect_backward of its blocks: prepare for the gradients of its keys.
void reflect_keys_prepare(const Reflections *r);

// block->S = scale q_i^T H_i H_{i-1} ... H_{j+1} k_j for j <= i; other entries are overwritten with finite numbers. The
// block's column 0 is key number `first`, a multiple of 16, and its last column at most the head's last key.
void reflect_forward(const ScoreBlock *block, int first, const Reflections *r);
// grad->dq +=, from grad->dS. The scratch is as reflect_forward of this block left it.
void reflect_backward(const ScoreGradient *grad, const ScoreBlock *block, int first, const Reflections *r);

// After reflect_backward of all blocks of a head: dk +=, dw and dlog_beta =.
void reflect_keys_backward(real *dk, int dk_stride, const Reflections *r);

// The operations of these two for each token, in one head whose queries see `keys` keys, beyond the products of queries
// and keys that every model has.
double reflect_operations(double keys, int d);

#endif
