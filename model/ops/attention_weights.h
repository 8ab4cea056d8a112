// How a row of attention's scores becomes weights where that is not a plain softmax: scores times s log n
// (--scale-logits log), and weights that a scheme makes (WeightsOp). One row `i` of a block at a time, whose query sees
// the columns up to `seen`.
#ifndef BITTER_ATTENTION_WEIGHTS_H
#define BITTER_ATTENTION_WEIGHTS_H

#include "model/ops/attention.h"

// The first so many scores of the row, S_j *= s log n, where n is the number of keys that the query sees, and s that of
// the head. (Nakanishi 2025, 2501.19399)
void scale_logits(real *S, int count, const Attention *a, const QueryBlock *block, int seen);
// dS_j *= s log n in place, and the query's part of ds, from the scores S before.
void scale_logits_backward(const AttentionGradient *grad, real *dS, const real *S, const Attention *a,
                           const QueryBlock *block, int i, int seen);

// As softmax_row in place, with the weights that a scheme makes of the scores. Returns 0: there is no denominator.
real weights_row(real *S, const WeightsOp *op, int seen, int stride);
// In: the scores S, and dP. Out, in their places: the weights after dropout, and dS.
void weights_backward_row(real *S, real *dP, const WeightsOp *op, const QueryBlock *block, const Attention *a, int i);

#endif
