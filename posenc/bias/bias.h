// Biases that depend on the distance alone. A scheme writes its curve and, if it has parameters, the curve's gradient;
// all hooks are here, the same for every such scheme.
#ifndef BITTER_BIAS_H
#define BITTER_BIAS_H

#include "posenc/posenc.h"

// What a scheme with a fixed `curve` writes into its Scheme,
#define CURVE_HOOKS                                                                                                    \
    .enters = ENTERS_BIAS, .relative = true, .layout = bias_layout, .prepare = bias_prepare,                           \
    .score_forward = bias_forward

// one with a trained `curve` and its `curve_backward`,
#define TRAINED_CURVE_HOOKS                                                                                            \
    CURVE_HOOKS, .score_backward = bias_backward, .score_reduce = bias_score_reduce, .reduce = bias_reduce

// and one whose params[0] (sets * H, buckets) holds a trained number for each `bucket` of distances.
#define LOOKUP_HOOKS TRAINED_CURVE_HOOKS, .curve = lookup_curve, .curve_backward = lookup_backward

// Room for the curves (sets, H, positions) and, for training, for their gradients; then all curves from the scheme's.
void bias_layout(Tables *tables, Arena *arena, bool training);
void bias_prepare(Tables *tables);

// S_ij += curve(i - j). The gradient comes back in three steps: dS_ij is added to dcurve(i - j) of its sequence and
// head, those of all sequences are added up, and curve_backward makes of them what the parameters get.
void bias_forward(const Tables *tables, const ScoreBlock *block);
void bias_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad);
void bias_score_reduce(const Tables *tables, int layer);
void bias_reduce(Tables *tables);

// For curve_backward: the gradient of the loss by curve(distance) of one set and head.
double bias_gradient(const Tables *tables, int set, int head, int distance);

double lookup_curve(const Position *pos, int set, int head, int distance);
void lookup_backward(const Tables *tables, int set, int head);

// ALiBi's slope of a head, which learned slopes start from (Press et al. 2021; for other than powers of two, the
// authors' code).
double alibi_slope(int head, int heads);

#endif
