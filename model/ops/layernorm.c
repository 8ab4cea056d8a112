#include "num/team.h"
#include "model/ops/ops.h"

void layernorm_forward(real *out, real *mean, real *rstd, const real *x, const real *weight, const real *bias, int rows,
                       int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *x_r = x + (size_t)r * C;
        real sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < C; c++) sum += x_r[c];
        const real m = sum / (real)C;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < C; c++) squares += (x_r[c] - m) * (x_r[c] - m);
        mean[r] = m;
        rstd[r] = 1 / real_sqrt(squares / (real)C + (real)NORM_EPSILON);
    }
    layernorm_again(out, x, mean, rstd, weight, bias, rows, C);
}

void layernorm_again(real *out, const real *x, const real *mean, const real *rstd, const real *weight, const real *bias,
                     int rows, int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *x_r = x + (size_t)r * C;
        real *out_r = out + (size_t)r * C;
        const real m = mean[r], s = rstd[r];
        for (int c = 0; c < C; c++) out_r[c] = (x_r[c] - m) * s * weight[c] + bias[c];
    }
}

// Forward was norm = (x - mean) * rstd; out = norm * weight + bias. With dnorm = dout * weight,
//   dx = rstd * (dnorm - average(dnorm) - norm * average(dnorm * norm)):
// the two averages are what flows through the mean and through the deviation.
void layernorm_backward(real *dx, const real *dout, const real *x, const real *weight, const real *mean,
                        const real *rstd, int rows, int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *x_r = x + (size_t)r * C, *dout_r = dout + (size_t)r * C;
        real *dx_r = dx + (size_t)r * C;
        const real m = mean[r], s = rstd[r];
        real sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
        for (int c = 0; c < C; c++) {
            const real dnorm = dout_r[c] * weight[c];
            sum += dnorm;
            product += dnorm * (x_r[c] - m) * s;
        }
        const real by_mean = sum / (real)C, by_deviation = product / (real)C;
        for (int c = 0; c < C; c++) dx_r[c] += s * (dout_r[c] * weight[c] - by_mean - (x_r[c] - m) * s * by_deviation);
    }
}

// dweight = sum over rows of dout * norm, dbias = sum over rows of dout.
void layernorm_backward_weights(real *dweight, real *dbias, const real *dout, const real *x, const real *mean,
                                const real *rstd, int rows, int C) {
    const Share own = share_columns(C);
    for (int r = 0; r < rows; r++) {
        const real *x_r = x + (size_t)r * C, *dout_r = dout + (size_t)r * C;
        const real m = mean[r], s = rstd[r];
        for (int c = own.begin; c < own.end; c++) {
            dweight[c] += dout_r[c] * (x_r[c] - m) * s;
            dbias[c] += dout_r[c];
        }
    }
}
