// What the model does to each token by itself, but for its linear layers.
#include "model/ops/ops.h"
#include "num/team.h"

// --- the layer norm (Ba, Kiros, Hinton 2016), or without a mean and a bias the RMSNorm (Zhang, Sennrich 2019) ---

void norm_forward(real *out, real *mean, real *rstd, const real *x, const real *weight, const real *bias, int rows,
                  int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *x_r = x + (size_t)r * C;
        real sum = 0, squares = 0;
        if (bias) { // without one, the mean is 0
#pragma omp simd reduction(+ : sum)
            for (int c = 0; c < C; c++) sum += x_r[c];
        }
        const real m = sum / (real)C;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < C; c++) squares += (x_r[c] - m) * (x_r[c] - m);
        mean[r] = m;
        rstd[r] = 1 / real_sqrt(squares / (real)C + (real)NORM_EPSILON);
    }
    norm_again(out, x, mean, rstd, weight, bias, rows, C);
}

void norm_again(real *out, const real *x, const real *mean, const real *rstd, const real *weight, const real *bias,
                int rows, int C) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *x_r = x + (size_t)r * C;
        real *out_r = out + (size_t)r * C;
        const real m = mean[r], s = rstd[r];
        for (int c = 0; c < C; c++) out_r[c] = (x_r[c] - m) * s * weight[c] + (bias ? bias[c] : 0);
    }
}

// Forward was norm = (x - mean) * rstd; out = norm * weight + bias. With dnorm = dout * weight,
//   dx = rstd * (dnorm - average(dnorm) - norm * average(dnorm * norm)):
// the two averages are the gradients through the mean, which the RMSNorm does not have, and through the deviation.
void norm_backward(real *dx, const real *dout, const real *x, const real *weight, const real *bias, const real *mean,
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
        const real by_mean = bias ? sum / (real)C : 0, by_deviation = product / (real)C;
        for (int c = 0; c < C; c++) dx_r[c] += s * (dout_r[c] * weight[c] - by_mean - (x_r[c] - m) * s * by_deviation);
    }
}

// dweight = sum over rows of dout * norm, dbias = sum over rows of dout.
void norm_backward_weights(real *dweight, real *dbias, const real *dout, const real *x, const real *mean,
                           const real *rstd, int rows, int C) {
    const Share own = share_columns(C);
    for (int r = 0; r < rows; r++) {
        const real *x_r = x + (size_t)r * C, *dout_r = dout + (size_t)r * C;
        const real m = mean[r], s = rstd[r];
        for (int c = own.begin; c < own.end; c++) {
            dweight[c] += dout_r[c] * (x_r[c] - m) * s;
            if (dbias) dbias[c] += dout_r[c];
        }
    }
}

// --- the GELU ---

#define ROOT_2_OVER_PI ((real)0.7978845608028654)
#define CUBIC          ((real)0.044715)

// out = x s: s = (1 + tanh(u)) / 2 = sigmoid(2u), which costs one exp. ds/du = 2 s (1 - s), so dout/dx = s + 2 x s
// (1 - s) du/dx with du/dx = sqrt(2/pi) (1 + 3 * 0.044715 x^2).
void gelu_forward(real *out, real *x, int rows, int C) {
    const Share own = share_rows(rows);
#pragma omp simd
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) {
        const real value = x[i], square = value * value;
        const real u = ROOT_2_OVER_PI * (value + CUBIC * square * value);
        const real du = ROOT_2_OVER_PI * (1 + 3 * CUBIC * square);
        const real s = 1 / (1 + real_exp(-2 * u));
        out[i] = value * s;
        x[i] = s + 2 * value * s * (1 - s) * du;
    }
}

void gelu_backward(real *dout, const real *slope, int rows, int C) {
    const Share own = share_rows(rows);
#pragma omp simd
    for (size_t i = (size_t)own.begin * C; i < (size_t)own.end * C; i++) dout[i] *= slope[i];
}

// --- from tokens to vectors and back: the embedding, and the head, which uses the same matrix ---

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
        nll[r] = log(sum) + (double)(largest - target); // sum is at least 1, the largest logit's
        if (!dnll) continue;
        const real scale = (real)(dnll[r] / sum);
        for (int v = 0; v < V; v++) logits_r[v] *= scale;
        logits_r[targets[r]] -= dnll[r];
    }
}

void loss_forward(double *nll, const real *x, const real *wte, const int *targets, real *scratch, int rows, int C,
                  int V) {
    for (int r = 0; r < rows; r += LOSS_BLOCK) {
        const int n = least(rows - r, LOSS_BLOCK);
        logits_forward(scratch, x + (size_t)r * C, wte, n, C, V);
        nll_rows(nll + r, scratch, NULL, targets + r, n, V);
        team_barrier(); // the last block may be shorter, and is then shared differently
    }
}

// Forward was logits = x wte^T, so dx = dlogits wte and dwte = dlogits^T x.
void loss_forward_backward(double *nll, real *dx, real *dwte, const real *dnll, const real *x, const real *wte,
                           const int *targets, real *scratch, int rows, int C, int V) {
    for (int r = 0; r < rows; r += LOSS_BLOCK) {
        const int n = least(rows - r, LOSS_BLOCK);
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
