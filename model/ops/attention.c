#include "model/ops/ops.h"

#include <omp.h>

// What one thread needs: a block of scores, in training its gradient, and the scheme's scratch.
static size_t thread_scratch(const Tables *tables, int keys, bool training) {
    const Scheme *scheme = tables->pos->scheme;
    const size_t block = (size_t)QUERY_BLOCK * (size_t)keys;
    return (training ? 2 : 1) * block +
           (scheme->score_scratch ? scheme->score_scratch(tables, QUERY_BLOCK, keys, training) : 0);
}

size_t attention_scratch(const Tables *tables, int keys, bool training) {
    return (size_t)omp_get_max_threads() * thread_scratch(tables, keys, training);
}

// One block of queries of one head of one sequence.
typedef struct {
    int b, h, first, rows, columns; // queries first .. first+rows-1 see at most keys 0 .. columns-1
    int before;                     // keys of earlier tokens, from a cache
    size_t q_at, kv_at, out_at;     // offsets of the first query, of the head's first key, and of the first output
    size_t token;                   // row of the sequence's first key, counted over all sequences
} QueryBlock;

static QueryBlock block_of(const Attention *a, int b, int h, int first) {
    QueryBlock block = {.b = b, .h = h, .first = first, .before = a->keys - a->queries};
    block.rows = a->queries - first < QUERY_BLOCK ? a->queries - first : QUERY_BLOCK;
    block.columns = block.before + first + block.rows;
    block.token = (size_t)b * a->key_batch;
    block.q_at = ((size_t)b * a->queries + first) * a->q_stride + (size_t)h * a->d;
    block.kv_at = block.token * a->kv_stride + (size_t)h * a->d;
    block.out_at = ((size_t)b * a->queries + first) * a->H * a->d + (size_t)h * a->d;
    return block;
}

static ScoreBlock scores_of(real *S, real *scratch, const QueryBlock *block, const Attention *a, const Tables *tables) {
    return (ScoreBlock){
        .S = S,
        .stride = block->columns,
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
        .features = a->features + block->token * position_features(tables->pos),
        .scratch = scratch,
    };
}

void scores_forward(const Tables *tables, const ScoreBlock *block, int d) {
    const Scheme *scheme = tables->pos->scheme;
    if (!scheme->own_scores)
        gemm(block->S, block->stride, 0, block->scale, rows_of(block->q, block->q_stride),
             columns_of(block->k, block->k_stride), block->rows, block->columns, d);
    if (scheme->score_forward) scheme->score_forward(tables, block);
}

// Forward was S = scale q k^T, which the scheme then changed. So dq is zeroed, the scheme's hook may add to dq and dk
// and change dS, and then dq += scale dS k and dk += scale dS^T q.
static void scores_backward(const ScoreGradient *grad, const Tables *tables, const ScoreBlock *block, int d) {
    const Scheme *scheme = tables->pos->scheme;
    const int rows = block->rows, columns = block->columns, qs = block->q_stride, ks = block->k_stride;
    for (int i = 0; i < rows; i++) memset(grad->dq + (size_t)i * qs, 0, (size_t)d * sizeof(real));
    if (scheme->score_backward) scheme->score_backward(tables, block, grad);
    if (scheme->own_scores) return;
    gemm(grad->dq, qs, 1, block->scale, rows_of(grad->dS, columns), rows_of(block->k, ks), rows, d, columns);
    gemm(grad->dk, ks, 1, block->scale, columns_of(grad->dS, columns), rows_of(block->q, qs), columns, d, rows);
}

// The row's number among the rows of all heads: the index of its log-sum-exp, and, times the number of keys, that of
// its first dropout factor.
static size_t row_of(const QueryBlock *block, const Attention *a, int row) {
    return ((size_t)block->b * a->H + block->h) * a->queries + block->first + row;
}

// The factor by which dropout multiplies an attention weight.
static real weight_dropout(const QueryBlock *block, const Attention *a, int row, int key) {
    return dropout_factor(&a->dropout, (uint64_t)row_of(block, a, row) * (uint64_t)a->keys + (uint64_t)key);
}

// P = softmax of the first `seen` scores of a row, zeros after them; P may be S. Returns the log of the denominator.
static real softmax_row(real *P, const real *S, int seen, int columns) {
    real largest = S[0];
    double sum = 0;
#pragma omp simd reduction(max : largest)
    for (int j = 0; j < seen; j++) largest = S[j] > largest ? S[j] : largest;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < seen; j++) {
        P[j] = real_exp(S[j] - largest);
        sum += (double)P[j];
    }
    const real scale = (real)(1 / sum);
    for (int j = 0; j < seen; j++) P[j] *= scale;
    for (int j = seen; j < columns; j++) P[j] = 0;
    return (real)(log(sum) + (double)largest);
}

static void block_forward(const Attention *a, const Tables *tables, const QueryBlock *block, real *scratch) {
    const int columns = block->columns;
    real *S = scratch, *P = S; // (rows, columns): the weights overwrite the scores
    const ScoreBlock scores = scores_of(S, S + (size_t)QUERY_BLOCK * a->keys, block, a, tables);
    scores_forward(tables, &scores, a->d);
    for (int i = 0; i < block->rows; i++) {
        real *P_i = P + (size_t)i * columns;
        const int seen = block->before + block->first + i + 1;
        const size_t row = row_of(block, a, i);
        const real lse = softmax_row(P_i, S + (size_t)i * columns, seen, columns);
        if (a->lse) a->lse[row] = lse;
        if (a->P) memcpy(a->P + row * a->keys, P_i, (size_t)seen * sizeof(real));
        if (a->dropout.rate > 0)
            for (int j = 0; j < seen; j++) P_i[j] *= weight_dropout(block, a, i, j);
    }
    gemm(a->out + block->out_at, a->H * a->d, 0, 1, rows_of(P, columns), rows_of(a->v + block->kv_at, a->kv_stride),
         block->rows, a->d, columns);
}

void attention_forward(const Attention *a, const Tables *tables, real *scratch) {
#pragma omp for collapse(3) schedule(dynamic)
    for (int b = 0; b < a->B; b++) {
        for (int h = 0; h < a->H; h++) {
            for (int first = 0; first < a->queries; first += QUERY_BLOCK) {
                const QueryBlock block = block_of(a, b, h, first);
                block_forward(a, tables, &block,
                              scratch + (size_t)omp_get_thread_num() * thread_scratch(tables, a->keys, false));
            }
        }
    }
}

// Backward through the softmax of one row. In: its scores S, and dP, the gradient of the weights after dropout. Out:
// those weights P, and dS; P may be S, and dS may be dP. Without dropout, forward was P = softmax(S), so dS = P * (dP -
// flow) with flow = sum(P * dP) = dout . out (FlashAttention, eq. 4). With dropout, dP is first multiplied by the
// factors; flow is still dout . out.
static void softmax_backward_row(real *P, real *dS, const real *S, const real *dP, const real *dout,
                                 const QueryBlock *block, const Attention *a, int row) {
    const int seen = block->before + block->first + row + 1;
    const real *out = a->out + block->out_at + (size_t)row * a->H * a->d;
    const real lse = a->lse[row_of(block, a, row)];
    real flow = 0;
    for (int c = 0; c < a->d; c++) flow += dout[c] * out[c];
    if (a->dropout.rate > 0) {
        for (int j = 0; j < seen; j++) {
            const real factor = weight_dropout(block, a, row, j), weight = real_exp(S[j] - lse);
            P[j] = weight * factor;
            dS[j] = weight * (factor * dP[j] - flow);
        }
    } else {
#pragma omp simd
        for (int j = 0; j < seen; j++) {
            P[j] = real_exp(S[j] - lse);
            dS[j] = P[j] * (dP[j] - flow);
        }
    }
    for (int j = seen; j < block->columns; j++) P[j] = dS[j] = 0;
}

// One block of queries: adds to dk, dv and dfeatures, overwrites dq.
static void block_backward(const AttentionGradient *grad, const Attention *a, const Tables *tables,
                           const QueryBlock *block, real *scratch) {
    const int C = a->H * a->d, rows = block->rows, columns = block->columns;
    const size_t size = (size_t)QUERY_BLOCK * a->keys;
    real *S = scratch, *P = S;           // (rows, columns): the weights overwrite the scores
    real *dP = scratch + size, *dS = dP; // (rows, columns): dS overwrites dP
    const real *dout = grad->dout + block->out_at;
    const ScoreBlock scores = scores_of(S, scratch + 2 * size, block, a, tables);
    scores_forward(tables, &scores, a->d);
    // Forward was out = P v, so dP = dout v^T and dv += P^T dout.
    gemm(dP, columns, 0, 1, rows_of(dout, C), columns_of(a->v + block->kv_at, a->kv_stride), rows, columns, a->d);
    for (int i = 0; i < rows; i++) {
        const size_t row = (size_t)i * columns;
        softmax_backward_row(P + row, dS + row, S + row, dP + row, dout + (size_t)i * C, block, a, i);
    }
    gemm(grad->dv + block->kv_at, a->kv_stride, 1, 1, columns_of(P, columns), rows_of(dout, C), columns, a->d, rows);
    const ScoreGradient score_gradient = {dS, grad->dq + block->q_at, grad->dk + block->kv_at,
                                          grad->dfeatures + block->token * position_features(tables->pos)};
    scores_backward(&score_gradient, tables, &scores, a->d);
}

void attention_backward(const AttentionGradient *grad, const Attention *a, const Tables *tables, real *scratch) {
    // All blocks of a head add to the same dk and dv, so one thread does them, in order.
#pragma omp for collapse(2) schedule(dynamic)
    for (int b = 0; b < a->B; b++) {
        for (int h = 0; h < a->H; h++) {
            for (int t = 0; t < a->keys; t++) {
                const size_t row = ((size_t)b * a->key_batch + t) * a->kv_stride + (size_t)h * a->d;
                memset(grad->dk + row, 0, (size_t)a->d * sizeof(real));
                memset(grad->dv + row, 0, (size_t)a->d * sizeof(real));
            }
            for (int first = 0; first < a->queries; first += QUERY_BLOCK) {
                const QueryBlock block = block_of(a, b, h, first);
                block_backward(grad, a, tables, &block,
                               scratch + (size_t)omp_get_thread_num() * thread_scratch(tables, a->keys, true));
            }
        }
    }
}
