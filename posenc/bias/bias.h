// The family of biases that depend on the distance alone: S_ij += curve(i - j). A scheme writes its `curve` and, if the
// curve is trained, `params` and `curve_backward`; the hooks are here, the same for all. With gate=trained, layer l
// adds g_l curve.
#ifndef BITTER_BIAS_H
#define BITTER_BIAS_H

#include "posenc/scheme.h"

extern const Family bias_family;

// What a scheme writes. curve: the bias between two tokens `distance` apart. curve_backward, if it is trained: add to
// dparams of this set and head, from bias_gradient() of every distance.
typedef struct {
    double (*curve)(const Position *pos, int set, int head, int distance);
    void (*curve_backward)(const Tables *tables, int set, int head);
    int (*bucket)(const Position *pos, int distance); // of LOOKUP_SCHEME
} Curve;

#define BIAS_SCHEME(...)                                                                                               \
    .family = &bias_family, .enters = ENTERS_BIAS, .relative = true, .operations = bias_operations,                    \
    .recipe = &(const Curve) {                                                                                         \
        __VA_ARGS__                                                                                                    \
    }

// For one trained number in each bucket of distances. The scheme writes `params`, with params[0] (sets * H, buckets),
// and `bucket`: which of the numbers 0, 1, 2 ... is the bias at this distance; bucket(INT_MAX) is the last one.
#define LOOKUP_SCHEME(...) BIAS_SCHEME(lookup_curve, lookup_backward, __VA_ARGS__)

static inline const Curve *curve_of(const Position *pos) {
    return pos->scheme->recipe;
}

// An addition for each key that a query sees; if the curve or the gate is trained, another one in backward; and a
// product with the gate, if there is one.
double bias_operations(const Position *pos, int T);

// For curve_backward: the gradient of the loss with respect to curve(distance) of one set and head.
double bias_gradient(const Tables *tables, int set, int head, int distance);

// The curve of LOOKUP_SCHEME and its backward.
double lookup_curve(const Position *pos, int set, int head, int distance);
void lookup_backward(const Tables *tables, int set, int head);

// ALiBi's slope of head 0 .. heads-1 (Press et al. 2021; if `heads` is no power of two, as in the authors' code).
// Learned slopes start from it.
double alibi_slope(int head, int heads);

#endif
