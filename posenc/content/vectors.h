// For schemes with trained vectors e (N, d), shared by heads, which are multiplied with queries: P = scale q e^T, and
// S_ij += P[i][n], where the scheme computes n from the pair of tokens: a distance (shaw), a count (cope). Such a
// scheme writes its `VECTOR_SCHEME`, `operations` and the two loops over a block that read P and add up dP; the rest is
// here.
#ifndef BITTER_VECTORS_H
#define BITTER_VECTORS_H

#include "posenc/scheme.h"

// What such a scheme writes: how many trained vectors a set has. Its params[0] are (sets * vectors, d).
typedef struct {
    int (*count)(const Position *pos);
} Vectors;

#define VECTOR_SCHEME(count)                                                                                           \
    .enters = ENTERS_CONTENT, .relative = true, .reads_queries = true, .recipe = &(const Vectors) {                    \
        count                                                                                                          \
    }
#define VECTOR_HOOKS                                                                                                   \
    .layout = vectors_layout, .prepare = vectors_prepare, .rounds = "its trained vectors",                             \
    .layer_backward = vectors_layer_backward

// The hooks of VECTOR_HOOKS: memory for the vectors as they are held and for slabs of their gradients; and the vectors,
// rounded to the tables' format.
void vectors_layout(Tables *tables, Arena *arena, bool training);
void vectors_prepare(Tables *tables);

// What the three products with vectors, P, dq and de, cost a token in all heads and layers: a part of `operations`.
double vectors_operations(const Position *pos);

// P (rows, N) = scale q e^T
void vectors_forward(real *P, const Tables *tables, const ScoreBlock *block);

// From dP (rows, N): grad->dq += scale dP e; and in the slab of the block's sequence and head, de += scale dP^T q.
void vectors_backward(const ScoreGradient *grad, const real *dP, const Tables *tables, const ScoreBlock *block);

// Add the slabs of all sequences and heads to dparams[0].
void vectors_layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                            const real *x, int rows);

#endif
