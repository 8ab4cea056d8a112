#include "model/ops/attention.h"

#include <omp.h>

#define STRIP 32 // rows of a block whose products go only as far as the last key that one of them sees

static Scratch scratch_layout(Arena *arena, const MixTables *tables, int keys, int d, bool training) {
    const size_t across = gemm_packed_size(d, keys), down = gemm_packed_size(keys, d);
    Scratch scratch = {.S = arena_reals(arena, ((size_t)QUERY_BLOCK + 1) * round_up(keys))};
    if (training) scratch.dS = arena_reals(arena, (size_t)QUERY_BLOCK * round_up(keys));
    mix_scratch(scratch.schemes, tables, arena, QUERY_BLOCK, keys, training);
    if (training)
        for (int i = 0; i < 5; i++) scratch.packed[i] = arena_reals(arena, across > down ? across : down);
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

Scratch own_scratch(real *scratch, const Attention *a, const MixTables *tables) {
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

QueryBlock query_block_of(const Attention *a, int b, int h, int first, int most_rows) {
    QueryBlock block = {.b = b, .h = h, .first = first, .from = first_key(a, first)};
    block.rows = least(most_rows, a->queries - first);
    block.columns = a->keys - a->queries + first + block.rows - block.from;
    block.token = (size_t)b * a->key_batch + (size_t)block.from;
    block.q_at = ((size_t)b * a->queries + first) * a->q_stride + (size_t)h * a->d;
    block.kv_at = block.token * a->kv_stride + (size_t)(h / (a->H / a->K)) * a->d;
    block.out_at = ((size_t)b * a->queries + first) * a->H * a->d + (size_t)h * a->d;
    return block;
}

ScoreBlock scores_of(const Scratch *scratch, const QueryBlock *block, const Attention *a, const MixTables *tables) {
    return (ScoreBlock){
        .S = scratch->S,
        .stride = round_up(block->columns),
        .rows = block->rows,
        .columns = block->columns,
        .window = a->window,
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

// A block's products are made in strips of STRIP rows, because causality makes later keys useless, and windows earlier
// ones.
typedef struct {
    int rows; // of the block
    int left; // keys at the left that have left the window of every row of the strip
    int keys; // up to the last that one of them sees
} Strip;

// Without packed operands, strips would cost more than they save.
static Strip strip_of(int first, int rows, int columns, int window, bool packed) {
    const int length = packed && rows - first > STRIP ? STRIP : rows - first, seen = columns - rows + first + 1;
    const int left = packed ? left_window(seen, window) / PACKED_COLUMNS * PACKED_COLUMNS : 0;
    return (Strip){length, left, seen - 1 + length};
}

void product_to_keys(real *C, int ldc, real alpha, Matrix A, const Packed *packed, int rows, int columns, int window) {
    for (int i = 0; i < rows;) {
        const Strip strip = strip_of(i, rows, columns, window, packed->at);
        const Packed keys = gemm_packed_from(packed, strip.left);
        gemm_packed(C + (size_t)i * ldc + strip.left, ldc, 0, alpha, matrix_from(A, i, 0), &keys, 0, packed->K,
                    strip.rows, strip.keys - strip.left);
        for (int end = i + strip.rows; i < end; i++) {
            memset(C + (size_t)i * ldc, 0, (size_t)strip.left * sizeof(real));
            memset(C + (size_t)i * ldc + strip.keys, 0, (size_t)(columns - strip.keys) * sizeof(real));
        }
    }
}

void product_of_keys(real *C, int ldc, real beta, real alpha, Matrix A, const Packed *packed, int from, int rows,
                     int columns, int window) {
    for (int i = 0; i < rows;) {
        const Strip strip = strip_of(i, rows, columns, window, packed->at);
        gemm_packed(C + (size_t)i * ldc, ldc, beta, alpha, matrix_from(A, i, strip.left), packed, from + strip.left,
                    from + strip.keys, strip.rows, packed->N);
        i += strip.rows;
    }
}

void scores_forward(const MixTables *tables, const ScoreBlock *block, const Packed *keys,
                    real *const scratch[PARTS_CAPACITY]) {
    product_to_keys(block->S, block->stride, block->scale, rows_of(block->q, block->q_stride), keys, block->rows,
                    block->columns, block->window);
    mix_score_forward(tables, block, scratch);
}

size_t attention_row(const QueryBlock *block, const Attention *a, int row) {
    return ((size_t)block->b * a->H + block->h) * a->queries + block->first + row;
}

real weight_dropout(const QueryBlock *block, const Attention *a, int row, int column) {
    const uint64_t key = (uint64_t)block->from + (uint64_t)column;
    return dropout_factor(&a->dropout, (uint64_t)attention_row(block, a, row) * (uint64_t)a->keys + key);
}

// Copy the weights of a row to where the caller wants them; keys before the block's first have none.
static void keep_weights(const Attention *a, const QueryBlock *block, int row, const real *P, int seen) {
    const int before = a->forgotten + block->from;
    real *kept = a->P + attention_row(block, a, row) * (size_t)(a->forgotten + a->keys);
    memset(kept, 0, (size_t)before * sizeof(real));
    memcpy(kept + before, P, (size_t)seen * sizeof(real));
}

void block_outputs(const Attention *a, const MixTables *tables, const QueryBlock *block, const ScoreBlock *scores,
                   const Packed *values, int from) {
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
    product_of_keys(a->out + block->out_at, C, 0, 1, rows_of(P, stride), values, from, block->rows, block->columns,
                    a->window);
}

// Queries first to end of one head: all of them in training, at most TALL in inference.
static void queries_forward(const Attention *a, const MixTables *tables, int b, int h, int first, int end,
                            real *memory) {
    const Scratch scratch = own_scratch(memory, a, tables);
    const QueryBlock start = query_block_of(a, b, h, first, end - first);
    if (goes_in_tiles(a, tables, &start)) {
        block_forward_in_tiles(a, &start, &scratch);
        return;
    }
    const Packed keys = gemm_pack(scratch.packed[0], columns_of(a->k + start.kv_at, a->kv_stride), a->d, start.columns);
    const Packed values = gemm_pack(scratch.packed[1], rows_of(a->v + start.kv_at, a->kv_stride), start.columns, a->d);
    for (int i = first; i < end; i += QUERY_BLOCK) {
        const QueryBlock block = query_block_of(a, b, h, i, QUERY_BLOCK);
        const ScoreBlock scores = scores_of(&scratch, &block, a, tables);
        const Packed own_keys = gemm_packed_from(&keys, block.from - start.from);
        scores_forward(tables, &scores, &own_keys, scratch.schemes);
        block_outputs(a, tables, &block, &scores, &values, block.from - start.from);
    }
}

void attention_forward(const Attention *a, const MixTables *tables, real *scratch) {
    const Call *own = tables->layers[a->layer].own;
    // In training, heads are shared out: there are many, and a head's keys and values are packed once. Inference may
    // have few heads and one long sequence, so there blocks are shared out.
    const int share = a->lse ? a->queries : a->keys >= VERY_MANY && !own ? TALL : QUERY_BLOCK;
#pragma omp for collapse(3) schedule(dynamic)
    for (int b = 0; b < a->B; b++)
        for (int h = 0; h < a->H; h++)
            for (int first = 0; first < a->queries; first += share) {
                const int end = least(first + share, a->queries);
                if (own)
                    own->attention->forward(a, tables, own, b, h, first, end, scratch);
                else
                    queries_forward(a, tables, b, h, first, end, scratch);
            }
}

// Backward through the softmax of one row. In: its scores S, and dP, the gradient of the weights after dropout. Out:
// those weights P, and dS; P may be S, and dS may be dP. Without dropout, forward was P = softmax(S), so dS = P * (dP -
// flow) with flow = sum(P * dP). Because out_c = sum of P_j v_jc and dP_j = sum of dout_c v_jc, flow is dout . out,
// which is known before any dP_j (FlashAttention, eq. 4). With dropout factors f, out_c = sum of f_j P_j
// v_jc, and the gradient of the weight before dropout is f_j dP_j: their sum(P * f * dP) is the same dout . out.
static void softmax_backward_row(real *P, real *dS, real *S, const real *dP, const real *dout, const QueryBlock *block,
                                 const Attention *a, int row) {
    const real *out = a->out + block->out_at + (size_t)row * a->H * a->d;
    const int seen = block->columns - block->rows + row + 1, end = round_up(seen), stride = round_up(block->columns);
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

// The packed operands of a head's backward pass.
typedef struct {
    Packed q, k, dout, k_transposed, v_transposed; // (queries, d), (keys, d), (queries, d); k^T and v^T (d, keys)
} HeadOperands;

// The same as add_transposed, where a key is seen by a window of queries: STRIP keys at a time, by these queries.
static void add_transposed_in_window(real *out, int stride, real scale, const real *grad, const Packed *rows,
                                     const QueryBlock *block, int window) {
    const int row_stride = round_up(block->columns), before = block->columns - block->rows; // row i has column before+i
    for (int key = 0; key < block->columns; key += STRIP) {
        const int n = least(STRIP, block->columns - key), begin = key > before ? key - before : 0;
        const int end = least(block->rows, key + n - 1 + window - before);
        const Matrix A = columns_of(grad + (size_t)begin * row_stride + key, row_stride);
        gemm_packed(out + (size_t)key * stride, stride, 1, scale, A, rows, block->first + begin, block->first + end, n,
                    rows->N);
    }
}

// The first strip adds to all keys before it, too, because all rows see them; each later strip only to its own keys,
// from its own rows on.
void add_transposed(real *out, int stride, real scale, const real *grad, const Packed *rows, const QueryBlock *block,
                    int window) {
    if (window > 0 && window < block->columns) {
        add_transposed_in_window(out, stride, scale, grad, rows, block, window);
        return;
    }
    for (int i = 0, key = 0; i < block->rows;) {
        const Strip strip = strip_of(i, block->rows, block->columns, 0, rows->at);
        const Matrix A = columns_of(grad + (size_t)i * round_up(block->columns) + key, round_up(block->columns));
        gemm_packed(out + (size_t)key * stride, stride, 1, scale, A, rows, block->first + i, block->first + block->rows,
                    strip.keys - key, rows->N);
        i += strip.rows;
        key = strip.keys;
    }
}

// Forward was S = scale q k^T, which the schemes then changed. So the schemes' hooks may add to dq and dk and change
// dS, and then dq += scale dS k and dk += scale dS^T q.
static void scores_backward(const ScoreGradient *grad, const MixTables *tables, const ScoreBlock *scores,
                            const QueryBlock *block, const HeadOperands *head, const Scratch *scratch) {
    const bool reads_queries = tables->layers[scores->layer].reads_queries;
    const int qs = scores->q_stride, stride = scores->stride;
    if (reads_queries)
        for (int i = 0; i < block->rows; i++) memset(grad->dq + (size_t)i * qs, 0, (size_t)head->q.N * sizeof(real));
    mix_score_backward(tables, scores, grad, scratch->schemes);
    product_of_keys(grad->dq, qs, reads_queries ? 1 : 0, scores->scale, rows_of(grad->dS, stride), &head->k,
                    block->from, block->rows, block->columns, scores->window);
    add_transposed(grad->dk, scores->k_stride, scores->scale, grad->dS, &head->q, block, scores->window);
}

void block_outputs_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables,
                            const QueryBlock *block, const ScoreBlock *scores, real *dP, const Packed *v_transposed,
                            const Packed *dout) {
    const WeightsOp *weights = tables->layers[a->layer].weights;
    const int C = a->H * a->d, rows = block->rows, stride = scores->stride;
    real *S = scores->S, *P = S; // (rows, columns): the weights overwrite the scores
    real *dS = dP;               // (rows, columns): dS overwrites dP
    const real *dout_block = grad->dout + block->out_at;
    const Packed own_v = gemm_packed_from(v_transposed, block->from);
    // Forward was out = P v, so dP = dout v^T and dv += P^T dout.
    product_to_keys(dP, stride, 1, rows_of(dout_block, C), &own_v, rows, block->columns, a->window);
    real *raw = S + (size_t)QUERY_BLOCK * stride; // (columns) one row's scores before logit_scale
    for (int i = 0; i < rows; i++) {
        const size_t row = (size_t)i * stride;
        const int seen = block_seen(scores, i);
        if (a->logit_scale) {
            memcpy(raw, S + row, (size_t)seen * sizeof(real));
            scale_logits(S + row, seen, a, block, seen);
        }
        if (weights)
            weights_backward_row(S + row, dP + row, weights, block, a, i);
        else
            softmax_backward_row(P + row, dS + row, S + row, dP + row, dout_block + (size_t)i * C, block, a, i);
        if (a->logit_scale) scale_logits_backward(grad, dS + row, raw, a, block, i, seen);
    }
    add_transposed(grad->dv + block->kv_at, a->kv_stride, 1, P, dout, block, a->window);
}

ScoreGradient score_gradient_of(const AttentionGradient *grad, const QueryBlock *block, real *dS,
                                const MixTables *tables) {
    return (ScoreGradient){dS, grad->dq + block->q_at, grad->dk + block->kv_at,
                           grad->dfeatures + block->token * tables->mix->features};
}

// One block of queries: adds to dk, dv and dfeatures, overwrites dq.
static void block_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables,
                           const QueryBlock *block, const HeadOperands *head, const Scratch *scratch) {
    const Packed k_transposed = gemm_packed_from(&head->k_transposed, block->from);
    const ScoreBlock scores = scores_of(scratch, block, a, tables);
    scores_forward(tables, &scores, &k_transposed, scratch->schemes);
    block_outputs_backward(grad, a, tables, block, &scores, scratch->dS, &head->v_transposed, &head->dout);
    const ScoreGradient score_gradient = score_gradient_of(grad, block, scratch->dS, tables);
    scores_backward(&score_gradient, tables, &scores, block, head, scratch);
}

// All blocks of queries of one head, in order.
static void head_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables, int b, int h,
                          real *memory) {
    const Scratch scratch = own_scratch(memory, a, tables);
    const QueryBlock start = query_block_of(a, b, h, 0, QUERY_BLOCK);
    const Matrix q = rows_of(a->q + start.q_at, a->q_stride), k = rows_of(a->k + start.kv_at, a->kv_stride);
    const Matrix k_transposed = columns_of(k.at, k.stride), dout = rows_of(grad->dout + start.out_at, a->H * a->d);
    const HeadOperands head = {
        gemm_pack(scratch.packed[0], q, a->queries, a->d), gemm_pack(scratch.packed[1], k, a->keys, a->d),
        gemm_pack(scratch.packed[2], dout, a->queries, a->d), gemm_pack(scratch.packed[3], k_transposed, a->d, a->keys),
        gemm_pack(scratch.packed[4], columns_of(a->v + start.kv_at, a->kv_stride), a->d, a->keys)};
    for (QueryBlock block = start; block.first < a->queries;
         block = query_block_of(a, b, h, block.first + QUERY_BLOCK, QUERY_BLOCK))
        block_backward(grad, a, tables, &block, &head, &scratch);
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
    const Call *own = tables->layers[a->layer].own;
    // All blocks of all heads that share keys add to the same dk and dv, so one thread does them, in order.
#pragma omp for collapse(2) schedule(dynamic)
    for (int b = 0; b < a->B; b++)
        for (int kv = 0; kv < a->K; kv++) {
            keys_zero(grad, a, b, kv);
            for (int h = kv * a->H / a->K; h < (kv + 1) * a->H / a->K; h++)
                if (own)
                    own->attention->backward(grad, a, tables, own, b, h, memory);
                else
                    head_backward(grad, a, tables, b, h, memory);
        }
}
