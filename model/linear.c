#include "model/ops.h"

void linear_forward(real *out, const real *x, const real *weight, const real *bias, int rows, int C, int O) {
#pragma omp parallel for
    for (int r = 0; r < rows; r++) memcpy(out + (size_t)r * O, bias, (size_t)O * sizeof(real));
    gemm(out, O, 1, 1, rows_of(x, C), columns_of(weight, C), rows, O, C);
}

// Forward was out = x weight^T + bias, so dx = dout weight, dweight = dout^T x, dbias = sum of dout over rows.
void linear_backward(real *dx, real *dweight, real *dbias, const real *dout, const real *x, const real *weight,
                     int rows, int C, int O) {
    gemm(dx, C, 0, 1, rows_of(dout, O), rows_of(weight, C), rows, C, O);
    gemm(dweight, C, 1, 1, columns_of(dout, O), rows_of(x, C), O, C, rows);
    const int slice = 64;
#pragma omp parallel for
    for (int start = 0; start < O; start += slice) {
        const int end = start + slice < O ? start + slice : O;
        for (int r = 0; r < rows; r++)
            for (int o = start; o < end; o++) dbias[o] += dout[(size_t)r * O + o];
    }
}
