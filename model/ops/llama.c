// What Llama's block does to each token by itself besides the norm: SwiGLU (Shazeer 2020).
#include "model/ops/ops.h"
#include "num/team.h"

void swiglu_forward(real *out, const real *in, int rows, int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *gate = in + (size_t)r * 2 * C, *up = gate + C;
        real *out_r = out + (size_t)r * C;
#pragma omp simd
        for (int c = 0; c < C; c++) out_r[c] = gate[c] / (1 + real_exp(-gate[c])) * up[c];
    }
}

// Forward was out = silu * up, silu = gate sigmoid, sigmoid = 1 / (1 + exp(-gate)). The derivative of the sigmoid is
// sigmoid (1 - sigmoid), so
//   dup = dout * silu
//   dgate = dout * up * (sigmoid + silu (1 - sigmoid))
void swiglu_backward(real *in, real *dout, int rows, int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        real *gate = in + (size_t)r * 2 * C, *up = gate + C, *dout_r = dout + (size_t)r * C;
#pragma omp simd
        for (int c = 0; c < C; c++) {
            const real sigmoid = 1 / (1 + real_exp(-gate[c])), silu = gate[c] * sigmoid, u = up[c], d = dout_r[c];
            dout_r[c] = silu * u;
            up[c] = d * silu;
            gate[c] = d * u * (sigmoid + silu * (1 - sigmoid));
        }
    }
}
