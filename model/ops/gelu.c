#include "model/base/team.h"
#include "model/ops/ops.h"

#define ROOT_2_OVER_PI ((real)0.7978845608028654)
#define CUBIC          ((real)0.044715)

// (1 + tanh(u)) / 2 is the logistic function of 2u, which costs one exp.
static inline real gate(real x) {
    const real u = ROOT_2_OVER_PI * (x + CUBIC * x * x * x);
    return 1 / (1 + real_exp(-2 * u));
}

void gelu_forward(real *out, const real *x, int rows, int C) {
    const Share own = share_rows(rows);
#pragma omp simd
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) out[i] = x[i] * gate(x[i]);
}

// out = x g(2u(x)) and g' = g (1 - g), so d out / d x = g + x g (1 - g) 2 u', with u' = sqrt(2/pi) (1 + 3 * 0.044715
// x^2).
void gelu_and_slope(real *out, real *x, int rows, int C) {
    const Share own = share_rows(rows);
#pragma omp simd
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) {
        const real value = x[i], g = gate(value);
        const real du = ROOT_2_OVER_PI * (1 + 3 * CUBIC * value * value);
        out[i] = value * g;
        x[i] = g + value * g * (1 - g) * 2 * du;
    }
}

void gelu_backward(real *dout, const real *slope, int rows, int C) {
    const Share own = share_rows(rows);
#pragma omp simd
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) dout[i] *= slope[i];
}
