// Biases that depend on the distance alone. A scheme writes its curve and, if the curve is trained, the gradients of
// its parameters; the hooks are here, the same for every such scheme.
#ifndef BITTER_BIAS_H
#define BITTER_BIAS_H

#include "posenc/posenc.h"

// For a Scheme with a fixed bias, which defines `curve`.
#define CURVE_HOOKS                                                                                                    \
    .enters = ENTERS_BIAS, .relative = true, .layout = bias_layout, .prepare = bias_prepare,                           \
    .score_forward = bias_forward, .operations = bias_operations

// For a trained bias, which defines `params`, `curve` and `curve_backward`.
#define TRAINED_CURVE_HOOKS                                                                                            \
    CURVE_HOOKS, .score_backward = bias_backward, .score_reduce = bias_score_reduce, .reduce = bias_reduce

// For one trained number in each bucket of distances: defines `params`, with params[0] (sets * H, buckets), and
// `bucket`.
#define LOOKUP_HOOKS TRAINED_CURVE_HOOKS, .curve = lookup_curve, .curve_backward = lookup_backward

// Hooks: memory for the curves (sets, H, 2 positions) and, for training, for their gradients (sets, H, positions); then
// all curves from the scheme's `curve`.
void bias_layout(Tables *tables, Arena *arena, bool training);
void bias_prepare(Tables *tables);

// Hooks: S_ij += curve(i - j). The gradient takes three steps: bias_backward adds dS_ij to entry i - j of the slab of
// its sequence and head; bias_score_reduce adds the slabs of all sequences to dcurves; bias_reduce calls
// curve_backward, which adds to dparams.
void bias_forward(const Tables *tables, const ScoreBlock *block);
void bias_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad);
void bias_score_reduce(const Tables *tables, int layer);
void bias_reduce(Tables *tables);

// Hook: an addition for each key that a query sees and, if the curve is trained, another one in backward.
double bias_operations(const Position *pos, int T);

// For curve_backward: the gradient of the loss with respect to curve(distance) of one set and head.
double bias_gradient(const Tables *tables, int set, int head, int distance);

// The curve of LOOKUP_HOOKS and its backward.
double lookup_curve(const Position *pos, int set, int head, int distance);
void lookup_backward(const Tables *tables, int set, int head);

// ALiBi's slope of head 0 .. heads-1 (Press et al. 2021; if `heads` is no power of two, as in the authors' code).
// Learned slopes start from it.
double alibi_slope(int head, int heads);

#endif
