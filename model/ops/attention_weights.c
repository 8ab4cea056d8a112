#include "model/ops/attention_more.h"
#include "num/team.h"

real weight_dropout(const QueryBlock *block, const Attention *a, int row, int column) {
    const uint64_t key = (uint64_t)block->from + (uint64_t)column;
    return dropout_factor(&a->dropout, (uint64_t)attention_row(block, a, row) * (uint64_t)a->keys + key);
}

void keep_weights(const Attention *a, const QueryBlock *block, int row, const real *P, int seen) {
    const int before = a->forgotten + block->from;
    real *kept = a->P + attention_row(block, a, row) * (size_t)(a->forgotten + a->keys);
    memset(kept, 0, (size_t)before * sizeof(real));
    memcpy(kept + before, P, (size_t)seen * sizeof(real));
}

// log n. The block's first key is key `from` of those in the cache; with a window the query sees only the last ones.
static real log_keys(const Attention *a, const QueryBlock *block, int seen) {
    const int all = block->from + seen;
    return (real)log(a->window && a->window < all ? a->window : all);
}

void scale_logits(real *S, int count, const Attention *a, const QueryBlock *block, int seen) {
    const int end = round_up(count);
    const real factor = log_keys(a, block, seen) * a->logit_scale[block->h];
#pragma omp simd
    for (int j = 0; j < end; j++) S[j] *= factor;
}

// Forward was S_j *= s log n. So ds = log n sum of dS_j S_j.
void scale_logits_backward(const AttentionGradient *grad, real *dS, const real *S, const Attention *a,
                           const QueryBlock *block, int i, int seen) {
    const real log_n = log_keys(a, block, seen), factor = log_n * a->logit_scale[block->h];
    real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < seen; j++) {
        sum += dS[j] * S[j];
        dS[j] *= factor;
    }
    grad->dlogit_scale[attention_row(block, a, i)] = log_n * sum;
}

void logit_scale_reduce(real *dlogit_scale, const real *of_queries, int B, int H, int T) {
    const Share own = share_columns(H);
    for (int b = 0; b < B; b++)
        for (int h = own.begin; h < own.end; h++) {
            double sum = 0;
            for (int t = 0; t < T; t++) sum += (double)of_queries[((size_t)b * H + h) * T + t];
            dlogit_scale[h] += (real)sum;
        }
}

real weights_row(real *S, const WeightsOp *op, int seen, int stride) {
    const int n = seen - !op->own;
    op->forward(S, n);
    memset(S + n, 0, (size_t)(stride - n) * sizeof(real));
    return 0;
}

// Forward was P_j f_j with dropout factors f, so the gradient of P_j is f_j dP_j.
void weights_backward_row(real *S, real *dP, const WeightsOp *op, const QueryBlock *block, const Attention *a, int i,
                          int seen) {
    const int stride = round_up(block->columns), end = seen - !op->own;
    const int skipped = mask_left(S, seen, a->window);
    const bool drops = a->dropout.rate > 0;
    for (int j = 0; j < skipped; j++) S[j] = dP[j] = 0;
    for (int j = end; j < stride; j++) S[j] = dP[j] = 0;
    for (int j = skipped; drops && j < end; j++) dP[j] *= weight_dropout(block, a, i, j);
    op->backward(S + skipped, dP + skipped, end - skipped);
    for (int j = skipped; drops && j < end; j++) S[j] *= weight_dropout(block, a, i, j);
}
