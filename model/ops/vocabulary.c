// Where tokens become vectors and vectors become tokens again: the embedding, and with the same matrix the head and its
// loss.
#include "model/ops/ops.h"
#include "num/team.h"

void tokens_forward(real *x, const int *ids, const real *wte, int rows, int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++)
        memcpy(x + (size_t)r * C, wte + (size_t)ids[r] * C, (size_t)C * sizeof(real));
}

// Forward was x[r] = wte[ids[r]], so each row of the table collects the gradients of the tokens that read it.
void tokens_backward(real *dwte, const real *dx, const int *ids, int rows, int C) {
    const Share own = share_columns(C);
    for (int r = 0; r < rows; r++) {
        real *dwte_id = dwte + (size_t)ids[r] * C;
        const real *dx_r = dx + (size_t)r * C;
        for (int c = own.begin; c < own.end; c++) dwte_id[c] += dx_r[c];
    }
}

size_t loss_scratch(int V) {
    return (size_t)LOSS_BLOCK * V;
}

void logits_forward(real *logits, const real *x, const real *wte, int rows, int C, int V) {
    linear_forward(logits, x, wte, NULL, rows, C, V);
}

static real largest_of(const real *values, int count) {
    real largest = values[0];
#pragma omp simd reduction(max : largest)
    for (int n = 0; n < count; n++) largest = values[n] > largest ? values[n] : largest;
    return largest;
}

// nll = log(sum of exp(logit)) - logit[target]. The logits are overwritten; with dnll, by their gradients:
// d nll / d logit_v = softmax_v - (v == target).
static void nll_rows(double *nll, real *logits, const real *dnll, const int *targets, int rows, int V) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        real *logits_r = logits + (size_t)r * V;
        const real largest = largest_of(logits_r, V), target = logits_r[targets[r]];
        double sum = 0;
        for (int v = 0; v < V; v++) logits_r[v] = real_exp(logits_r[v] - largest);
#pragma omp simd reduction(+ : sum)
        for (int v = 0; v < V; v++) sum += (double)logits_r[v];
        // cppcheck-suppress invalidFunctionArg // sum is at least 1, the largest logit's
        nll[r] = log(sum) + (double)(largest - target);
        if (!dnll) continue;
        const real scale = (real)(dnll[r] / sum);
        for (int v = 0; v < V; v++) logits_r[v] *= scale;
        logits_r[targets[r]] -= dnll[r];
    }
}

void loss_forward(double *nll, const real *x, const real *wte, const int *targets, real *scratch, int rows, int C,
                  int V) {
    for (int r = 0; r < rows; r += LOSS_BLOCK) {
        const int n = rows - r < LOSS_BLOCK ? rows - r : LOSS_BLOCK;
        logits_forward(scratch, x + (size_t)r * C, wte, n, C, V);
        nll_rows(nll + r, scratch, NULL, targets + r, n, V);
        team_barrier(); // the next block, shorter, is shared out otherwise
    }
}

// Forward was logits = x wte^T, so dx = dlogits wte and dwte = dlogits^T x.
void loss_forward_backward(double *nll, real *dx, real *dwte, const real *dnll, const real *x, const real *wte,
                           const int *targets, real *scratch, int rows, int C, int V) {
    for (int r = 0; r < rows; r += LOSS_BLOCK) {
        const int n = rows - r < LOSS_BLOCK ? rows - r : LOSS_BLOCK;
        const real *x_r = x + (size_t)r * C;
        real *logits = scratch, *dlogits = scratch; // (n, V)
        logits_forward(logits, x_r, wte, n, C, V);
        nll_rows(nll + r, logits, dnll + r, targets + r, n, V);
        linear_backward(dx + (size_t)r * C, dlogits, wte, n, C, V);
        team_barrier();
        linear_backward_weights(dwte, NULL, dlogits, x_r, n, C, V);
        team_barrier();
    }
}
