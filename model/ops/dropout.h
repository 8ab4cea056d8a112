// Dropout, and the sum x + dropout(y) of the residual stream.
#ifndef BITTER_DROPOUT_H
#define BITTER_DROPOUT_H

#include "base/random.h"
#include "num/real.h"

// A dropout site: element n is kept with probability 1 - rate, decided by random_bits(key, n), and scaled by 1/(1 -
// rate). rate 0 is the identity.
typedef struct {
    double rate;
    uint64_t key;
} Dropout;

// The factor of element n: 0 or 1/(1 - rate).
static inline real dropout_factor(const Dropout *dropout, uint64_t n) {
    if (dropout->rate <= 0) return 1;
    return random_uniform(dropout->key, n) < dropout->rate ? 0 : (real)(1 / (1 - dropout->rate));
}

// out (rows, C) = x + dropout(y). By rows, like all functions here.
void residual_forward(real *out, const real *x, const real *y, const Dropout *dropout, int rows, int C);
// Returns the gradient of y: dout itself, or, where there is dropout, dy = dropout(dout). The gradient of x is dout.
const real *residual_backward(real *dy, const real *dout, const Dropout *dropout, int rows, int C);
// x = dropout(x) in place: forward on values, and backward on gradients.
void dropout_apply(real *x, const Dropout *dropout, int rows, int C);

#endif
