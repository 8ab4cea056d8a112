#include "model/ops/ops.h"

void norm_forward(real *out, real *mean, real *rstd, const real *x, const real *weight, const real *bias, int rows,
                  int C) {
    if (bias)
        layernorm_forward(out, mean, rstd, x, weight, bias, rows, C);
    else
        rmsnorm_forward(out, rstd, x, weight, rows, C);
}

void norm_again(real *out, const real *x, const real *mean, const real *rstd, const real *weight, const real *bias,
                int rows, int C) {
    if (bias)
        layernorm_again(out, x, mean, rstd, weight, bias, rows, C);
    else
        rmsnorm_again(out, x, rstd, weight, rows, C);
}

void norm_backward(real *dx, const real *dout, const real *x, const real *weight, const real *bias, const real *mean,
                   const real *rstd, int rows, int C) {
    if (bias)
        layernorm_backward(dx, dout, x, weight, mean, rstd, rows, C);
    else
        rmsnorm_backward(dx, dout, x, weight, rstd, rows, C);
}

void norm_backward_weights(real *dweight, real *dbias, const real *dout, const real *x, const real *mean,
                           const real *rstd, int rows, int C) {
    if (dbias)
        layernorm_backward_weights(dweight, dbias, dout, x, mean, rstd, rows, C);
    else
        rmsnorm_backward_weights(dweight, dout, x, rstd, rows, C);
}
