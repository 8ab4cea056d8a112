#include "model/ops/dropout.h"

#include "num/team.h"

void residual_forward(real *out, const real *x, const real *y, const Dropout *dropout, int rows, int C) {
    const Share own = share_rows(rows);
    const size_t begin = (size_t)own.begin * C, end = (size_t)own.end * C;
    if (dropout->rate <= 0)
        for (size_t i = begin; i < end; i++) out[i] = x[i] + y[i];
    else
        for (size_t i = begin; i < end; i++) out[i] = x[i] + dropout_factor(dropout, i) * y[i];
}

// Forward was out = x + factor * y.
const real *residual_backward(real *dy, const real *dout, const Dropout *dropout, int rows, int C) {
    if (dropout->rate <= 0) return dout;
    const Share own = share_rows(rows);
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) dy[i] = dout[i] * dropout_factor(dropout, i);
    return dy;
}

void dropout_apply(real *x, const Dropout *dropout, int rows, int C) {
    if (dropout->rate <= 0) return;
    const Share own = share_rows(rows);
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) x[i] *= dropout_factor(dropout, i);
}
