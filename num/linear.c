#include "num/linear.h"

#include "num/team.h"

void linear_forward(real *out, const real *x, const real *weight, const real *bias, int rows, int C, int O) {
    const Share own = share_rows(rows), columns = share_columns(O);
    if (rows >= ROWS_SHARED) {
        if (own.begin < own.end)
            gemm_linear(out + (size_t)own.begin * O, O, 0, rows_of(x + (size_t)own.begin * C, C), columns_of(weight, C),
                        bias, own.end - own.begin, O, C);
        return;
    }
    team_barrier();
    if (columns.begin < columns.end)
        gemm_linear(out + columns.begin, O, 0, rows_of(x, C), columns_of(weight + (size_t)columns.begin * C, C),
                    bias ? bias + columns.begin : NULL, rows, columns.end - columns.begin, C);
    team_barrier();
}

// Forward was out = x weight^T + bias, so dx = dout weight.
static void backward(real *dx, real beta, const real *dout, const real *weight, int rows, int C, int O) {
    const Share own = share_rows(rows);
    if (own.begin == own.end) return;
    gemm_linear(dx + (size_t)own.begin * C, C, beta, rows_of(dout + (size_t)own.begin * O, O), rows_of(weight, C), NULL,
                own.end - own.begin, C, O);
}

void linear_backward(real *dx, const real *dout, const real *weight, int rows, int C, int O) {
    backward(dx, 0, dout, weight, rows, C, O);
}

void linear_backward_add(real *dx, const real *dout, const real *weight, int rows, int C, int O) {
    backward(dx, 1, dout, weight, rows, C, O);
}

// Likewise dweight = dout^T x, and dbias = sum of dout over rows.
void linear_backward_weights(real *dweight, real *dbias, const real *dout, const real *x, int rows, int C, int O) {
    const Share own = share_columns(O);
    if (own.begin == own.end) return;
    gemm_linear(dweight + (size_t)own.begin * C, C, 1, columns_of(dout + own.begin, O), rows_of(x, C), NULL,
                own.end - own.begin, C, rows);
    if (!dbias) return;
    for (int r = 0; r < rows; r++)
        for (int o = own.begin; o < own.end; o++) dbias[o] += dout[(size_t)r * O + o];
}
