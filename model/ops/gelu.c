#include "num/team.h"
#include "model/ops/ops.h"

#define ROOT_2_OVER_PI ((real)0.7978845608028654)
#define CUBIC          ((real)0.044715)

// (1 + tanh(u)) / 2 is the logistic function of 2u, which costs one exp.
static inline real sigmoid_2u(real x) {
    const real u = ROOT_2_OVER_PI * (x + CUBIC * x * x * x);
    return 1 / (1 + real_exp(-2 * u));
}

void gelu_forward(real *out, const real *x, int rows, int C) {
    const Share own = share_rows(rows);
#pragma omp simd
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) out[i] = x[i] * sigmoid_2u(x[i]);
}

// out = x s with s = sigmoid(2u), and ds/du = 2 s (1 - s), so dout/dx = s + 2 x s (1 - s) du/dx with du/dx = sqrt(2/pi)
// (1 + 3 * 0.044715 x^2).
void gelu_and_slope(real *out, real *x, int rows, int C) {
    const Share own = share_rows(rows);
#pragma omp simd
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) {
        const real value = x[i], s = sigmoid_2u(value);
        const real du = ROOT_2_OVER_PI * (1 + 3 * CUBIC * value * value);
        out[i] = value * s;
        x[i] = s + value * s * (1 - s) * 2 * du;
    }
}

void gelu_backward(real *dout, const real *slope, int rows, int C) {
    const Share own = share_rows(rows);
#pragma omp simd
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) dout[i] *= slope[i];
}
