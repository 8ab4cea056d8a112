#include "data/random.h"
#include "model/ops.h"

real dropout_factor(const Dropout *dropout, uint64_t n) {
    if (dropout->rate <= 0) return 1;
    return random_uniform(dropout->key, n) < dropout->rate ? 0 : (real)(1 / (1 - dropout->rate));
}

void residual_forward(real *out, const real *x, const real *y, const Dropout *dropout, size_t n) {
    if (dropout->rate <= 0) {
#pragma omp parallel for simd
        for (size_t i = 0; i < n; i++) out[i] = x[i] + y[i];
        return;
    }
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) out[i] = x[i] + dropout_factor(dropout, i) * y[i];
}

// Forward was out = x + factor * y.
void residual_backward(real *dy, const real *dout, const Dropout *dropout, size_t n) {
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) dy[i] = dropout_factor(dropout, i) * dout[i];
}

void dropout_apply(real *x, const Dropout *dropout, size_t n) {
    if (dropout->rate <= 0) return;
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) x[i] *= dropout_factor(dropout, i);
}
