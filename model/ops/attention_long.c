#include "model/ops/attention_op.h"
#include "num/gemm.h"

bool goes_in_tiles(const Attention *a, const MixTables *tables, const QueryBlock *block) {
    const bool kept = a->lse || a->P || a->dropout.rate > 0;
    const LayerCalls *layer = &tables->layers[a->layer];
    return block->columns >= VERY_MANY && !kept && !layer->changes && !layer->own;
}

void block_forward_in_tiles(const Attention *a, const QueryBlock *block, real *S) {
    const int C = a->H * a->d, rows = block->rows;
    const real *q = a->q + block->q_at, scale = (real)(1 / sqrt(a->d));
    real most[TALL], *out = a->out + block->out_at;
    double sum[TALL] = {0};
    for (int i = 0; i < rows; i++) most[i] = -INFINITY;
    for (int first = 0; first < block->columns; first += TILE) {
        const int n = least(TILE, block->columns - first), stride = round_up(n);
        const size_t at = block->kv_at + (size_t)first * a->kv_stride;
        gemm(S, stride, 0, scale, rows_of(q, a->q_stride), columns_of(a->k + at, a->kv_stride), rows, n, a->d);
        for (int i = 0; i < rows; i++) {
            const int sees = block->columns - rows + i + 1 - first, seen = sees < 0 ? 0 : sees < n ? sees : n;
            real *S_i = S + (size_t)i * stride, *out_i = out + (size_t)i * C;
            if (a->logit_scale) scale_logits(S_i, n, a, block, first + sees);
            if (first == 0)
                for (int j = 0; j < left_window(sees, a->window); j++) S_i[j] = -INFINITY;
            if (seen > 0) {
                const real now = row_most(S_i, seen), before = most[i];
                most[i] = now > before ? now : before;
                // Of no consequence in the first tile, where sum is 0 and out is overwritten.
                const real shrunk = real_exp(before - most[i]);
                if (first > 0)
                    for (int c = 0; c < a->d; c++) out_i[c] *= shrunk;
                sum[i] = sum[i] * (double)shrunk + row_weights(S_i, S_i, seen, most[i]);
            }
            for (int j = round_up(seen); j < n; j++) S_i[j] = 0;
        }
        gemm(out, C, first > 0 ? 1 : 0, 1, rows_of(S, stride), rows_of(a->v + at, a->kv_stride), rows, a->d, n);
    }
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < a->d; c++) out[(size_t)i * C + c] *= (real)(1 / sum[i]);
}
