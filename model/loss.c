#include "model/ops.h"

size_t head_scratch(int V) {
    return (size_t)HEAD_BLOCK * V;
}

void head_forward(real *logits, const real *x, const real *wte, int rows, int C, int V) {
    gemm(logits, V, 0, 1, rows_of(x, C), columns_of(wte, C), rows, V, C);
}

// The largest logit, and the sum of exp(logit - largest).
static double denominator(real *largest, const real *logits, int V) {
    real top = logits[0];
#pragma omp simd reduction(max : top)
    for (int v = 0; v < V; v++) top = logits[v] > top ? logits[v] : top;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int v = 0; v < V; v++) sum += (double)real_exp(logits[v] - top);
    *largest = top;
    return sum;
}

// nll = log(sum of exp(logit)) - logit[target]
static void nll_forward(double *nll, const real *logits, const int *targets, int rows, int V) {
#pragma omp parallel for
    for (int r = 0; r < rows; r++) {
        const real *logits_r = logits + (size_t)r * V;
        real largest;
        const double sum = denominator(&largest, logits_r, V);
        nll[r] = log(sum) + (double)(largest - logits_r[targets[r]]);
    }
}

// d nll / d logit_v = softmax_v - (v == target); logits are overwritten by their gradients.
static void nll_backward(double *nll, real *logits, const real *dnll, const int *targets, int rows, int V) {
#pragma omp parallel for
    for (int r = 0; r < rows; r++) {
        real *logits_r = logits + (size_t)r * V;
        real largest;
        const double sum = denominator(&largest, logits_r, V);
        nll[r] = log(sum) + (double)(largest - logits_r[targets[r]]);
        const real scale = (real)(dnll[r] / sum);
        for (int v = 0; v < V; v++) logits_r[v] = scale * real_exp(logits_r[v] - largest);
        logits_r[targets[r]] -= dnll[r];
    }
}

void loss_forward(double *nll, const real *x, const real *wte, const int *targets, real *scratch, int rows, int C,
                  int V) {
    for (int r = 0; r < rows; r += HEAD_BLOCK) {
        const int block = rows - r < HEAD_BLOCK ? rows - r : HEAD_BLOCK;
        head_forward(scratch, x + (size_t)r * C, wte, block, C, V);
        nll_forward(nll + r, scratch, targets + r, block, V);
    }
}

// Forward was logits = x wte^T, so dx = dlogits wte and dwte = dlogits^T x.
void loss_forward_backward(double *nll, real *dx, real *dwte, const real *dnll, const real *x, const real *wte,
                           const int *targets, real *scratch, int rows, int C, int V) {
    for (int r = 0; r < rows; r += HEAD_BLOCK) {
        const int block = rows - r < HEAD_BLOCK ? rows - r : HEAD_BLOCK;
        const real *x_r = x + (size_t)r * C;
        real *logits = scratch, *dlogits = scratch; // (block, V)
        head_forward(logits, x_r, wte, block, C, V);
        nll_backward(nll + r, logits, dnll + r, targets + r, block, V);
        gemm(dx + (size_t)r * C, C, 0, 1, rows_of(dlogits, V), rows_of(wte, C), block, C, V);
        gemm(dwte, C, 1, 1, columns_of(dlogits, V), rows_of(x_r, C), V, C, block);
    }
}
