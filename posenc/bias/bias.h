// Biases that depend on the distance alone: a curve for each head, added to the scores, whose gradient by distance is
// collected for whoever made the curve. A scheme writes its formula and, if it has parameters, their derivative.
#ifndef BITTER_BIAS_H
#define BITTER_BIAS_H

#include "posenc/posenc.h"

// Layout hook: room for curves (sets, H, positions) and, for training, for their gradients.
void bias_layout(Position *pos, Arena *arena, bool training);

// For a prepare hook: fill all curves. `curve` is the bias of a pair `distance` = 0 .. positions-1 apart.
void bias_prepare(Position *pos, double (*curve)(const Position *pos, int set, int head, int distance));

// Score hooks. S_ij += curve(i - j); dcurve(i - j) += dS_ij, which itself passes unchanged.
void bias_forward(const Position *pos, const ScoreBlock *block);
void bias_backward(const Position *pos, const ScoreBlock *block, const ScoreGradient *grad);
void bias_reduce(const Position *pos, int layer);

// For a reduce hook: the gradient of the loss by curve(distance), and then to forget all of them.
double bias_gradient(const Position *pos, int set, int head, int distance);
void bias_forget(Position *pos);

// ALiBi's slope of a head, which learned slopes start from (Press et al. 2021; for other than powers of two, the
// authors' code).
double alibi_slope(int head, int heads);

#endif
