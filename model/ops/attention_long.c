#include "model/ops/attention_more.h"
#include "num/gemm.h"

bool goes_in_tiles(const Attention *a, const MixTables *tables, const QueryBlock *block) {
    const bool kept = a->lse || a->P || a->dropout.rate > 0;
    const LayerCalls *layer = &tables->layers[a->layer];
    return block->columns >= VERY_MANY && !kept && !layer->changes && !layer->own;
}

// A row's largest score so far, and its sum of exp(score - most).
typedef struct {
    real most;
    double sum;
} SoftmaxSoFar;

// Some keys of a block and their values.
typedef struct {
    int first, n; // keys first .. first+n-1 of the block's
    Packed keys, values;
} Tile;

// The weights of a row that sees `seen` > 0 of a tile's n keys, exp(S - most) in place of its scores S. What earlier
// tiles have added to the row's output (d) is scaled down where this one has a larger score.
static void tile_weights(real *S, real *out, SoftmaxSoFar *row, int seen, int n, int d) {
    const real now = row_most(S, seen), before = row->most;
    row->most = now > before ? now : before;
    const real shrunk = real_exp(before - row->most); // of no consequence in the first tile, where out and sum are 0
    for (int c = 0; shrunk < 1 && c < d; c++) out[c] *= shrunk;
    row->sum = row->sum * (double)shrunk + row_weights(S, S, seen, row->most);
    for (int j = round_up(seen); j < n; j++) S[j] = 0;
}

// A tile's part of the outputs of `count` queries of the block, from number `low` on.
static void strip_forward(const Attention *a, const QueryBlock *block, SoftmaxSoFar *rows, real *S, const Tile *tile,
                          int low, int count) {
    const int C = a->H * a->d, n = tile->n, stride = round_up(n);
    const int before = block->columns - block->rows + low - tile->first; // row i of these sees keys up to before + i
    const int end = least(n, before + count);                            // up to the last key that one of them sees
    const Matrix q = rows_of(a->q + block->q_at + (size_t)low * a->q_stride, a->q_stride);
    real *out = a->out + block->out_at + (size_t)low * C;
    gemm_packed(S, stride, 0, (real)(1 / sqrt(a->d)), q, &tile->keys, 0, a->d, count, end);
    for (int i = 0; i < count; i++) {
        const int seen = least(before + i + 1, n), left = left_window(before + i + 1, a->window);
        real *S_i = S + (size_t)i * stride;
        if (seen <= 0) {
            memset(S_i, 0, (size_t)n * sizeof(real));
            continue;
        }
        if (a->logit_scale) scale_logits(S_i, seen, a, block, tile->first + before + i + 1);
        for (int j = 0; tile->first == 0 && j < left; j++) S_i[j] = -INFINITY;
        tile_weights(S_i, out + (size_t)i * C, &rows[low + i], seen, n, a->d);
    }
    gemm_packed(out, C, 1, 1, rows_of(S, stride), &tile->values, 0, end, count, a->d);
}

void block_forward_in_tiles(const Attention *a, const QueryBlock *block, real *S, real *const packed[2]) {
    const int C = a->H * a->d, before = block->columns - block->rows;
    const bool few = block->rows < LOW; // not worth packing for
    real *out = a->out + block->out_at;
    SoftmaxSoFar rows[TALL];
    for (int i = 0; i < block->rows; i++) {
        rows[i] = (SoftmaxSoFar){-INFINITY, 0};
        memset(out + (size_t)i * C, 0, (size_t)a->d * sizeof(real));
    }
    for (int first = 0; first < block->columns; first += TILE) {
        const int n = least(TILE, block->columns - first), unseen = first > before ? (first - before) / LOW * LOW : 0;
        const size_t at = block->kv_at + (size_t)first * a->kv_stride;
        const Tile tile = {first, n, gemm_pack(few ? NULL : packed[0], columns_of(a->k + at, a->kv_stride), a->d, n),
                           gemm_pack(few ? NULL : packed[1], rows_of(a->v + at, a->kv_stride), n, a->d)};
        for (int low = unseen; low < block->rows; low += LOW)
            strip_forward(a, block, rows, S, &tile, low, least(LOW, block->rows - low));
    }
    for (int i = 0; i < block->rows; i++)
        for (int c = 0; c < a->d; c++) out[(size_t)i * C + c] *= (real)(1 / rows[i].sum);
}
