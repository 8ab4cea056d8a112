// The less usual kinds of attention: with schemes that compute scores or weights themselves (posenc/attention_op.h),
// with dropout, with scaled scores, and over very many keys.
#ifndef BITTER_ATTENTION_MORE_H
#define BITTER_ATTENTION_MORE_H

#include "model/ops/attention.h"
#include "posenc/attention_op.h"

// For measurements: block->S (rows, columns) = the scores of a block that has all keys, scale q k^T or those of the
// layer's op, as changed by the position schemes. Columns of later tokens than the query's are not masked. `scratch` is
// from mix_scratch.
void scores_forward(const MixTables *tables, const ScoreBlock *block, real *const scratch[PARTS_CAPACITY]);

// --- attention_weights.c: rows whose weights are not simply a softmax of the scores ---
//
// Weights have dropout, or are kept for the caller, or are computed by a scheme, or the scores are scaled
// (--scale-logits log). Each function works on one row `i` of a block, whose query sees the columns up to `seen`.
//
// The factor by which dropout multiplies an attention weight.
real weight_dropout(const QueryBlock *block, const Attention *a, int row, int column);
// Copy the weights of a row to a->P, with 0 for keys before the block's first.
void keep_weights(const Attention *a, const QueryBlock *block, int row, const real *P, int seen);

// S_j *= s log n, for the first `count` scores of the row and those up to round_up(count), where n is the number of
// keys that the query sees and s is trained for each head (Nakanishi 2025, 2501.19399).
void scale_logits(real *S, int count, const Attention *a, const QueryBlock *block, int seen);
// dS_j *= s log n in place; dlogit_scale gets the query's part of ds, from the scores S before scaling.
void scale_logits_backward(const AttentionGradient *grad, real *dS, const real *S, const Attention *a,
                           const QueryBlock *block, int i, int seen);
// dlogit_scale (H) += of_queries (B, H, T), summed over sequences and queries. By heads, after a barrier.
void logit_scale_reduce(real *dlogit_scale, const real *of_queries, int B, int H, int T);

// Like softmax_row in place, with weights that a scheme computes from the scores. Returns 0: there is no denominator.
real weights_row(real *S, const WeightsOp *op, int seen, int stride);
// In: the scores S, and dP. Out, in their places: the weights after dropout, and dS.
void weights_backward_row(real *S, real *dP, const WeightsOp *op, const QueryBlock *block, const Attention *a, int i,
                          int seen);

// --- attention_long.c: inference over very many keys ---
//
// With very many keys, TALL queries go through them in tiles of TILE keys, whose keys and values are packed once for
// all of these queries. The scores of LOW queries at a time stay in the cache.
#define LOW       48
#define TALL      (5 * LOW)
#define TILE      512
#define VERY_MANY (2 * TILE)

// Queries go through their keys in tiles only if nothing needs their weights (no lse, no P, no dropout) and no scheme
// changes their scores.
bool goes_in_tiles(const Attention *a, const MixTables *tables, const QueryBlock *block);

// The outputs of at most TALL queries, with the online softmax of Milakov, Gimelshein 2018 (1805.02867): where a later
// tile has a larger score, the sums so far are scaled down. `S` is room for (LOW, TILE) scores, `packed` for the packed
// keys and values of a tile.
void block_forward_in_tiles(const Attention *a, const QueryBlock *block, real *S, real *const packed[2]);

// --- attention_blocks.c, for these ---
//
// A row's number among the rows of all heads: the index of its log-sum-exp, and, times the number of keys, that of its
// first dropout factor.
size_t attention_row(const QueryBlock *block, const Attention *a, int row);
// Mask those of the first `seen` scores S that have left the window. Returns how many of the first ones need not be
// read at all, a multiple of TOGETHER.
int mask_left(real *S, int seen, int window);
// The largest of the first `seen` scores of a row.
real row_most(const real *S, int seen);
// P = exp(S - most) of the first `seen` scores, zeros up to round_up(seen); P may be S. Returns their sum.
double row_weights(real *P, const real *S, int seen, real most);
// P = softmax of the first `seen` scores, zeros up to `stride`; P may be S. Returns the log of the denominator.
real softmax_row(real *P, const real *S, int seen, int stride);

#endif
