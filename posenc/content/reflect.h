// Scores through reflections: between the query at i and the key at j stands a product of matrices H_t = I - beta_t w_t
// w_t^T, one for each token on the way. With w of length 1, H keeps all that is orthogonal to w and multiplies the rest
// by 1 - beta: beta 0 does nothing, 1 erases the direction w, 2 mirrors it.
#ifndef BITTER_REFLECT_H
#define BITTER_REFLECT_H

#include "posenc/posenc.h"

// One reflection for each key of a block, their gradients, and scratch.
typedef struct {
    int d;
    real *w, *dw;           // (columns, d)
    real *beta, *dlog_beta; // (columns); beta > 0, and dlog_beta = beta dbeta
    // Left by reflect_forward:
    real *Q;       // (chunks, rows, d) the queries as they meet the last key of each chunk of keys
    real *U;       // (columns, rows)
    real *WW, *WK; // (chunk, chunk), of the chunk at work
    // Used by reflect_backward only:
    real *dQ;        // (rows, d)
    real *dU;        // (chunk, rows), of the chunk at work
    real *dWW, *dWK; // (chunk, chunk), of the chunk at work
} Reflections;

// Take the memory for a block from the arena.
Reflections reflections_take(Arena *arena, int rows, int columns, int d);

// block->S = scale q_i^T H_i H_{i-1} ... H_{j+1} k_j for j <= i; other entries are overwritten with finite numbers.
void reflect_forward(const ScoreBlock *block, const Reflections *r);

// grad->dq +=, grad->dk +=, dw and dlog_beta =, from grad->dS. The scratch is as reflect_forward left it.
void reflect_backward(const ScoreGradient *grad, const ScoreBlock *block, const Reflections *r);

#endif
