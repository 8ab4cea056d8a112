// Scores through reflections: between the query at i and the key at j stands a product of matrices H_t = I - beta_t w_t
// w_t^T, one for each token on the way. With w of length 1, H keeps all that is orthogonal to w and multiplies the rest
// by 1 - beta: beta 0 does nothing, 1 erases the direction w, 2 mirrors it.
#ifndef BITTER_REFLECT_H
#define BITTER_REFLECT_H

#include "posenc/posenc.h"

struct Chunk;

// One reflection for each key of a head, their gradients, and scratch. All but Q, U, X and dU stays the same for the
// blocks of a head, if there are several (ScoreBlock.columns_before).
typedef struct {
    int d;
    real *w, *dw;           // (keys, d)
    real *beta, *dlog_beta; // (keys); beta > 0, and dlog_beta = beta dbeta
    struct Chunk *chunks;   // the keys by chunks
    real *memory;           // of the chunks
    real *Q, *U;            // (chunks, rows, d), (chunks, rows, chunk) left by reflect_forward
    real *X, *dU;           // (rows, 2 chunk + d), (rows, chunk), of the chunk at work
} Reflections;

// Take the memory for a block of at most `rows` queries from the arena; `keys` are all that the head has.
Reflections reflections_take(Arena *arena, int rows, int keys, int d);

// block->S = scale q_i^T H_i H_{i-1} ... H_{j+1} k_j for j <= i; other entries are overwritten with finite numbers. w
// and beta of the block's keys are there, from number block->columns_left on; those of its first block->columns_before
// keys are as they were for an earlier block.
void reflect_forward(const ScoreBlock *block, const Reflections *r);

// grad->dq +=, from grad->dS; and, with the head's last block, grad->dk +=, dw and dlog_beta =, from all its blocks.
// The scratch is as reflect_forward left it.
void reflect_backward(const ScoreGradient *grad, const ScoreBlock *block, const Reflections *r);

// What these two cost a token in one head whose queries see so many keys, beyond the products of queries and keys that
// every model has.
double reflect_operations(double keys, int d);

#endif
