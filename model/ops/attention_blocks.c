#include "model/ops/attention_more.h"

#include <omp.h>

// One thread's scratch memory, for one head at a time.
typedef struct {
    real *S;                       // (QUERY_BLOCK + 1, keys) a block of scores, and room for a copy of one row
    real *dS;                      // (QUERY_BLOCK, keys) in training: their gradients
    real *schemes[PARTS_CAPACITY]; // (mix_scratch) of the position schemes
    real *packed[5];               // in training: operands that all blocks of a head share
    real *tile[2];                 // in inference: the packed keys and values of a tile
} Scratch;

static Scratch scratch_layout(Arena *arena, const MixTables *tables, int keys, int d, bool training) {
    const size_t across = gemm_packed_size(d, keys), down = gemm_packed_size(keys, d);
    Scratch scratch = {.S = arena_reals(arena, ((size_t)QUERY_BLOCK + 1) * round_up(keys))};
    if (training) scratch.dS = arena_reals(arena, (size_t)QUERY_BLOCK * round_up(keys));
    mix_scratch(scratch.schemes, tables, arena, QUERY_BLOCK, keys, training);
    if (training)
        for (int i = 0; i < 5; i++) scratch.packed[i] = arena_reals(arena, across > down ? across : down);
    if (!training && keys >= VERY_MANY) {
        scratch.tile[0] = arena_reals(arena, gemm_packed_size(d, TILE));
        scratch.tile[1] = arena_reals(arena, gemm_packed_size(TILE, d));
    }
    return scratch;
}

static size_t thread_scratch(const MixTables *tables, int keys, int d, bool training) {
    Arena counted = {0};
    scratch_layout(&counted, tables, keys, d, training);
    return counted.used / sizeof(real);
}

size_t attention_scratch(const MixTables *tables, int keys, int d, bool training) {
    return (size_t)omp_get_max_threads() * thread_scratch(tables, keys, d, training);
}

// The calling thread's part of the scratch that attention has.
static Scratch own_scratch(real *scratch, const Attention *a, const MixTables *tables) {
    const bool training = a->lse != NULL;
    real *own = scratch + (size_t)omp_get_thread_num() * thread_scratch(tables, a->keys, a->d, training);
    return scratch_layout(&(Arena){.base = (unsigned char *)own}, tables, a->keys, a->d, training);
}

// The first key that a query sees, or one a little before it where products begin with whole panels.
static int first_key(const Attention *a, int query) {
    const int left = a->keys - a->queries + query + 1 - a->window;
    if (a->window == 0 || left <= 0) return 0;
    return a->lse ? left / PACKED_COLUMNS * PACKED_COLUMNS : left;
}

// The block of at most `most_rows` queries that begins with query `first`. In training, `from` is a multiple of
// PACKED_COLUMNS.
static QueryBlock query_block_of(const Attention *a, int b, int h, int first, int most_rows) {
    QueryBlock block = {.b = b, .h = h, .first = first, .from = first_key(a, first)};
    block.rows = least(most_rows, a->queries - first);
    block.columns = a->keys - a->queries + first + block.rows - block.from;
    block.token = (size_t)b * a->key_batch + (size_t)block.from;
    block.q_at = ((size_t)b * a->queries + first) * a->q_stride + (size_t)h * a->d;
    block.kv_at = block.token * a->kv_stride + (size_t)(h / (a->H / a->K)) * a->d;
    block.out_at = ((size_t)b * a->queries + first) * a->H * a->d + (size_t)h * a->d;
    return block;
}

// A block's scores, in scratch->S, for the hooks of schemes.
static ScoreBlock scores_of(const Scratch *scratch, const QueryBlock *block, const Attention *a,
                            const MixTables *tables) {
    return (ScoreBlock){
        .S = scratch->S,
        .stride = round_up(block->columns),
        .rows = block->rows,
        .columns = block->columns,
        .layer = a->layer,
        .sequence = block->b,
        .head = block->h,
        .query_at = a->query_at + (size_t)block->b * a->queries + block->first,
        .key_at = a->key_at + block->token,
        .q = a->q + block->q_at,
        .k = a->k + block->kv_at,
        .q_stride = a->q_stride,
        .k_stride = a->kv_stride,
        .scale = (real)(1 / sqrt(a->d)),
        .features = a->features + block->token * tables->mix->features,
    };
}

// --- the scores of a head's blocks: scaled products of q and k, unless the layer has an op of a scheme's own ---
typedef struct {
    Matrix q, k; // (queries, width), (keys, width): the model's, or those that the op computes from them
    int width;
    real *dq, *dk;                           // their gradients
    real *room[3];                           // memory for packed operands
    Packed packed_q, packed_k, k_transposed; // q and k, packed; the first two for backward
    const Call *call;                        // of the scheme that has an op; NULL = none
    OwnHead own;                             // the argument of its op
} Head;

// The head with these queries and keys, whose blocks have at most `rows` queries; `before` as in OwnHead.
static Head head_begin(const MixTables *tables, const ScoreBlock *all, int rows, int before, const Scratch *scratch) {
    const Call *call = tables->layers[all->layer].own;
    Head head = {.call = call,
                 .q = rows_of(all->q, all->q_stride),
                 .k = rows_of(all->k, all->k_stride),
                 .width = head_width(&tables->mix->shape)};
    memcpy(head.room, scratch->packed, sizeof head.room);
    if (call) {
        head.own = (OwnHead){&tables->part[call->part], mix_block(call, all, scratch->schemes), rows, before,
                             scratch->dS != NULL};
        const Operands o = call->attention->begin(&head.own);
        head.q = rows_of(o.q, o.width);
        head.k = rows_of(o.k, o.width);
        head.width = o.width;
        head.dq = o.dq;
        head.dk = o.dk;
        memcpy(head.room, o.packed, sizeof head.room);
    }
    if (head.k.at)
        head.k_transposed = gemm_pack(head.room[0], columns_of(head.k.at, head.k.stride), head.width, all->columns);
    return head;
}

// The scores of a block that begins at this row and column of the head.
static void block_scores(const Head *head, const MixTables *tables, const ScoreBlock *block, int row, int column,
                         const Scratch *scratch) {
    if (head->k.at) {
        const Packed keys = gemm_packed_from(&head->k_transposed, column);
        gemm_packed(block->S, block->stride, 0, block->scale, matrix_from(head->q, row, 0), &keys, 0, head->width,
                    block->rows, block->columns);
    } else {
        head->call->attention->scores(&head->own, block, column);
    }
    mix_score_forward(tables, block, scratch->schemes);
}

void scores_forward(const MixTables *tables, const ScoreBlock *block, real *const scratch[PARTS_CAPACITY]) {
    Scratch only_schemes = {0};
    memcpy(only_schemes.schemes, scratch, sizeof only_schemes.schemes);
    const Head head = head_begin(tables, block, block->rows, 0, &only_schemes);
    block_scores(&head, tables, block, 0, 0, &only_schemes);
}

// --- from scores to outputs ---

size_t attention_row(const QueryBlock *block, const Attention *a, int row) {
    return ((size_t)block->b * a->H + block->h) * a->queries + block->first + row;
}

int mask_left(real *S, int seen, int window) {
    const int left = left_window(seen, window), skipped = left / TOGETHER * TOGETHER;
    for (int j = skipped; j < left; j++) S[j] = -INFINITY;
    return skipped;
}

// exp(x), but 0 where that is less than 1e-26: gradients of such small weights would be denormal numbers, with which
// some processors multiply a hundred times slower. Biases that fall with distance make many of them.
static inline real weight_of(real x) {
    const real weight = real_exp(x);
    return x < -60 ? 0 : weight; // NaN stays NaN
}

// LANES maxima and sums side by side fill whole vectors, if `omp simd` keeps gcc from unrolling them.
enum { LANES = 16 };

real row_most(const real *S, int seen) {
    const int end = round_up(seen);
    real most[LANES];
    for (int l = 0; l < LANES; l++) most[l] = S[0];
    for (int j = 0; j < end; j += LANES)
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            const real any = S[j + l], score = j + l < seen ? any : -INFINITY;
            most[l] = score > most[l] ? score : most[l];
        }
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) most[l] = most[l + half] > most[l] ? most[l + half] : most[l];
    return most[0];
}

double row_weights(real *P, const real *S, int seen, real most) {
    enum { PART = 256 }; // sums in parts, so that rounding errors stay small in long rows
    const int end = round_up(seen);
    double sum = 0;
    for (int first = 0; first < end; first += PART) {
        real part[LANES] = {0};
        for (int j = first; j < end && j < first + PART; j += LANES)
#pragma omp simd
            for (int l = 0; l < LANES; l++) {
                const real weight = weight_of(S[j + l] - most);
                P[j + l] = j + l < seen ? weight : 0;
                part[l] += P[j + l];
            }
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++) part[l] += part[l + half];
        sum += (double)part[0];
    }
    return sum;
}

real softmax_row(real *P, const real *S, int seen, int stride) {
    const int end = round_up(seen);
    const real most = row_most(S, seen);
    const double sum = row_weights(P, S, seen, most);
    const real scale = (real)(1 / sum);
#pragma omp simd
    for (int j = 0; j < end; j++) P[j] *= scale;
    for (int j = end; j < stride; j++) P[j] = 0;
    return (real)(log(sum) + (double)most); // sum is at least 1, the largest score's
}

// From a block's scores to its outputs: logit_scale, mask, softmax or the layer's WeightsOp (which overwrite the
// scores), dropout, P v. `values` is v (keys, d) of the head, whose row `from` is the block's first key.
static void block_outputs(const Attention *a, const MixTables *tables, const QueryBlock *block,
                          const ScoreBlock *scores, const Packed *values, int from) {
    const WeightsOp *weights = tables->layers[a->layer].weights;
    const int stride = scores->stride, C = a->H * a->d;
    real *P = scores->S; // (rows, columns), rows `stride` apart: the weights overwrite the scores
    for (int i = 0; i < block->rows; i++) {
        real *P_i = P + (size_t)i * stride;
        const int seen = block_seen(scores, i);
        if (a->logit_scale) scale_logits(P_i, seen, a, block, seen);
        const int skipped = mask_left(P_i, seen, a->window);
        memset(P_i, 0, (size_t)skipped * sizeof(real));
        const real lse = weights ? weights_row(P_i + skipped, weights, seen - skipped, stride - skipped)
                                 : softmax_row(P_i + skipped, P_i + skipped, seen - skipped, stride - skipped);
        if (a->lse) a->lse[attention_row(block, a, i)] = lse;
        if (a->P) keep_weights(a, block, i, P_i, seen);
        if (a->dropout.rate > 0)
            for (int j = skipped; j < seen; j++) P_i[j] *= weight_dropout(block, a, i, j);
    }
    gemm_packed(a->out + block->out_at, C, 0, 1, rows_of(P, stride), values, from, from + block->columns, block->rows,
                a->d);
}

// Queries first to end of one head: all of them in training, at most TALL in inference.
static void queries_forward(const Attention *a, const MixTables *tables, int b, int h, int first, int end,
                            real *memory) {
    const Scratch scratch = own_scratch(memory, a, tables);
    const QueryBlock all = query_block_of(a, b, h, first, end - first);
    if (goes_in_tiles(a, tables, &all)) {
        block_forward_in_tiles(a, &all, scratch.S, scratch.tile);
        return;
    }
    const ScoreBlock all_scores = scores_of(&scratch, &all, a, tables);
    const Head head = head_begin(tables, &all_scores, QUERY_BLOCK, all.from, &scratch);
    const Packed values = gemm_pack(scratch.packed[3], rows_of(a->v + all.kv_at, a->kv_stride), all.columns, a->d);
    for (int i = first; i < end; i += QUERY_BLOCK) {
        const QueryBlock block = query_block_of(a, b, h, i, least(QUERY_BLOCK, end - i));
        const ScoreBlock scores = scores_of(&scratch, &block, a, tables);
        block_scores(&head, tables, &scores, i - first, block.from - all.from, &scratch);
        block_outputs(a, tables, &block, &scores, &values, block.from - all.from);
    }
}

void attention_forward(const Attention *a, const MixTables *tables, real *scratch) {
    // In training, heads are shared out: there are many, and a head's keys and values are packed once. Inference may
    // have few heads and one long sequence, so there blocks are shared out.
    const bool own = tables->layers[a->layer].own;
    const int share = a->lse ? a->queries : a->keys >= VERY_MANY && !own ? TALL : QUERY_BLOCK;
#pragma omp for collapse(3) schedule(dynamic)
    for (int b = 0; b < a->B; b++)
        for (int h = 0; h < a->H; h++)
            for (int first = 0; first < a->queries; first += share)
                queries_forward(a, tables, b, h, first, least(first + share, a->queries), scratch);
}

// --- backward ---

// Backward through the softmax of one row. In: the `seen` scores S, and dP, the gradient of the weights after dropout.
// Out, in their places: those weights P, and dS. Without dropout, forward was P = softmax(S), so dS = P * (dP - flow)
// with flow = sum(P * dP). Because out_c = sum of P_j v_jc and dP_j = sum of dout_c v_jc, flow is dout . out, which is
// known before any dP_j (FlashAttention, eq. 4). With dropout factors f, out_c = sum of f_j P_j v_jc, and the gradient
// of the weight before dropout is f_j dP_j: their sum(P * f * dP) is the same dout . out.
static void softmax_backward_row(real *S, real *dP, const real *dout, const QueryBlock *block, const Attention *a,
                                 int row, int seen) {
    real *P = S, *dS = dP;
    const real *out = a->out + block->out_at + (size_t)row * a->H * a->d;
    const int end = round_up(seen), stride = round_up(block->columns);
    const int skipped = mask_left(S, seen, a->window);
    const real lse = a->lse[attention_row(block, a, row)];
    real flow = 0;
#pragma omp simd reduction(+ : flow)
    for (int c = 0; c < a->d; c++) flow += dout[c] * out[c];
    for (int j = 0; j < skipped; j++) P[j] = dS[j] = 0;
    if (a->dropout.rate > 0) {
        for (int j = skipped; j < seen; j++) {
            const real factor = weight_dropout(block, a, row, j), weight = weight_of(S[j] - lse);
            P[j] = weight * factor;
            dS[j] = weight * (factor * dP[j] - flow);
        }
        for (int j = seen; j < end; j++) P[j] = dS[j] = 0;
    } else {
#pragma omp simd
        for (int j = skipped; j < end; j++) {
            const real weight = weight_of(S[j] - lse), gradient = weight * (dP[j] - flow);
            P[j] = j < seen ? weight : 0;
            dS[j] = j < seen ? gradient : 0;
        }
    }
    for (int j = end; j < stride; j++) P[j] = dS[j] = 0;
}

// Backward of block_outputs, in training, from the recomputed scores: dP (rows, columns) becomes dS, and dv +=. The
// packed operands are v^T (d, keys) and dout (queries, d) of the head.
static void block_outputs_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables,
                                   const QueryBlock *block, const ScoreBlock *scores, real *dP,
                                   const Packed *v_transposed, const Packed *dout) {
    const WeightsOp *weights = tables->layers[a->layer].weights;
    const int C = a->H * a->d, rows = block->rows, stride = scores->stride;
    real *S = scores->S, *P = S; // (rows, columns): the weights overwrite the scores
    real *dS = dP;               // (rows, columns): dS overwrites dP
    const real *dout_block = grad->dout + block->out_at;
    const Packed own_v = gemm_packed_from(v_transposed, block->from);
    // Forward was out = P v, so dP = dout v^T and dv += P^T dout.
    gemm_packed(dP, stride, 0, 1, rows_of(dout_block, C), &own_v, 0, a->d, rows, block->columns);
    real *raw = S + (size_t)QUERY_BLOCK * stride; // (columns) one row's scores before logit_scale
    for (int i = 0; i < rows; i++) {
        const size_t row = (size_t)i * stride;
        const int seen = block_seen(scores, i);
        if (a->logit_scale) {
            memcpy(raw, S + row, (size_t)seen * sizeof(real));
            scale_logits(S + row, seen, a, block, seen);
        }
        if (weights)
            weights_backward_row(S + row, dP + row, weights, block, a, i, seen);
        else
            softmax_backward_row(S + row, dP + row, dout_block + (size_t)i * C, block, a, i, seen);
        if (a->logit_scale) scale_logits_backward(grad, dS + row, raw, a, block, i, seen);
    }
    gemm_packed(grad->dv + block->kv_at, a->kv_stride, 1, 1, columns_of(P, stride), dout, block->first,
                block->first + rows, block->columns, a->d);
}

// The gradients of a block's scores, queries, keys and features, for the hooks of schemes.
static ScoreGradient score_gradient_of(const AttentionGradient *grad, const QueryBlock *block, real *dS,
                                       const MixTables *tables) {
    return (ScoreGradient){dS, grad->dq + block->q_at, grad->dk + block->kv_at,
                           grad->dfeatures + block->token * tables->mix->features};
}

// Forward was S = scale q k^T, which the schemes then changed. So the schemes first add to dq and change dS; then dq +=
// scale dS k and dk += scale dS^T q.
static void block_scores_backward(const ScoreGradient *grad, const Head *head, const MixTables *tables,
                                  const ScoreBlock *scores, const QueryBlock *block, const Scratch *scratch) {
    const bool added = tables->layers[scores->layer].reads_queries; // do schemes add to the model's dq?
    const int stride = scores->q_stride, d = head_width(&tables->mix->shape);
    for (int i = 0; (added || head->call) && i < block->rows; i++)
        memset(grad->dq + (size_t)i * stride, 0, (size_t)d * sizeof(real));
    mix_score_backward(tables, scores, grad, scratch->schemes);
    if (!head->k.at) {
        const ScoreGradient own = {grad->dS, grad->dq, grad->dk, grad->dfeatures + head->call->feature};
        head->call->attention->scores_backward(&head->own, &own, scores, block->from);
        return;
    }
    gemm_packed(head->dq + (size_t)block->first * head->q.stride, head->q.stride, added && !head->call ? 1 : 0,
                scores->scale, rows_of(grad->dS, scores->stride), &head->packed_k, block->from,
                block->from + block->columns, block->rows, head->width);
    gemm_packed(head->dk + (size_t)block->from * head->k.stride, head->k.stride, 1, scores->scale,
                columns_of(grad->dS, scores->stride), &head->packed_q, block->first, block->first + block->rows,
                block->columns, head->width);
}

// The gradients of a head: overwrites dq, and adds to dk, dv and dfeatures, because heads may share these.
static void head_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables, int b, int h,
                          real *memory) {
    const Scratch scratch = own_scratch(memory, a, tables);
    const QueryBlock all = query_block_of(a, b, h, 0, a->queries);
    const ScoreBlock all_scores = scores_of(&scratch, &all, a, tables);
    ScoreGradient of_head = score_gradient_of(grad, &all, NULL, tables);
    Head head = head_begin(tables, &all_scores, QUERY_BLOCK, 0, &scratch);
    if (head.call) {
        of_head.dfeatures += head.call->feature;
        head.call->attention->begin_backward(&head.own);
    } else {
        head.dq = of_head.dq;
        head.dk = of_head.dk;
    }
    if (head.k.at) {
        head.packed_q = gemm_pack(head.room[1], head.q, a->queries, head.width);
        head.packed_k = gemm_pack(head.room[2], head.k, a->keys, head.width);
    }
    const Packed dout = gemm_pack(scratch.packed[3], rows_of(grad->dout + all.out_at, a->H * a->d), a->queries, a->d);
    const Packed v_transposed = gemm_pack(scratch.packed[4], columns_of(a->v + all.kv_at, a->kv_stride), a->d, a->keys);
    for (int i = 0; i < a->queries; i += QUERY_BLOCK) {
        const QueryBlock block = query_block_of(a, b, h, i, QUERY_BLOCK);
        const ScoreBlock scores = scores_of(&scratch, &block, a, tables);
        const ScoreGradient of_scores = score_gradient_of(grad, &block, scratch.dS, tables);
        block_scores(&head, tables, &scores, i, block.from, &scratch);
        block_outputs_backward(grad, a, tables, &block, &scores, scratch.dS, &v_transposed, &dout);
        block_scores_backward(&of_scores, &head, tables, &scores, &block, &scratch);
    }
    if (head.call) head.call->attention->end_backward(&head.own, &of_head);
}

// dk = dv = 0 of a sequence's head of keys.
static void keys_zero(const AttentionGradient *grad, const Attention *a, int b, int kv) {
    for (int t = 0; t < a->keys; t++) {
        const size_t row = ((size_t)b * a->key_batch + t) * a->kv_stride + (size_t)kv * a->d;
        memset(grad->dk + row, 0, (size_t)a->d * sizeof(real));
        memset(grad->dv + row, 0, (size_t)a->d * sizeof(real));
    }
}

void attention_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables, real *memory) {
    // All blocks of all heads that share keys add to the same dk and dv, so one thread does them, in order.
#pragma omp for collapse(2) schedule(dynamic)
    for (int b = 0; b < a->B; b++)
        for (int kv = 0; kv < a->K; kv++) {
            keys_zero(grad, a, b, kv);
            for (int h = kv * a->H / a->K; h < (kv + 1) * a->H / a->K; h++)
                head_backward(grad, a, tables, b, h, memory);
        }
}
