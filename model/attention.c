#include "model/ops.h"

#include <omp.h>

// Of one thread: S, dP if training, and the scheme's.
static size_t thread_scratch(const Tables *tables, int keys, bool training) {
    const size_t block = (size_t)QUERY_BLOCK * (size_t)keys;
    const size_t scheme = tables->pos->scheme->score_scratch
                              ? tables->pos->scheme->score_scratch(tables, QUERY_BLOCK, keys, training)
                              : 0;
    return (training ? 2 : 1) * block + scheme;
}

size_t attention_scratch(const Tables *tables, int keys, bool training) {
    return (size_t)omp_get_max_threads() * thread_scratch(tables, keys, training);
}

// One block of queries of one head of one sequence.
typedef struct {
    int b, h, first, rows, columns; // queries first .. first+rows-1 see at most keys 0 .. columns-1
    int before;                     // keys that stand before query 0
    size_t q, kv, out;              // where the block's first query, the head's first key and the block's output start
    size_t token;                   // the sequence's first key, counted over all sequences
} Block;

static Block block_of(const AttentionShape *shape, int b, int h, int first) {
    Block block = {.b = b, .h = h, .first = first, .before = shape->keys - shape->queries};
    block.rows = shape->queries - first < QUERY_BLOCK ? shape->queries - first : QUERY_BLOCK;
    block.columns = block.before + first + block.rows;
    block.q = b * shape->q_batch + (size_t)first * shape->q_stride + (size_t)h * shape->d;
    block.kv = b * shape->kv_batch + (size_t)h * shape->d;
    block.token = (size_t)b * (size_t)shape->key_batch;
    block.out = ((size_t)b * shape->queries + first) * shape->H * shape->d + (size_t)h * shape->d;
    return block;
}

// S (rows, columns) = pos.score(q k^T / sqrt(d)). Columns after a query's own position are not masked yet.
static ScoreBlock scores(real *S, real *scratch, const Block *block, const real *q, const real *k, const Tables *tables,
                         const AttentionShape *shape) {
    const ScoreBlock score = {
        .S = S,
        .stride = block->columns,
        .rows = block->rows,
        .columns = block->columns,
        .layer = shape->layer,
        .sequence = block->b,
        .head = block->h,
        .query_at = shape->query_at + (size_t)block->b * shape->queries + block->first,
        .key_at = shape->key_at + block->token,
        .q = q + block->q,
        .k = k + block->kv,
        .q_stride = shape->q_stride,
        .k_stride = shape->kv_stride,
        .scale = (real)(1 / sqrt(shape->d)),
        .features = shape->features + block->token * position_features(tables->pos),
        .scratch = scratch,
    };
    if (!tables->pos->scheme->own_scores)
        gemm(S, score.stride, 0, score.scale, rows_of(score.q, score.q_stride), columns_of(score.k, score.k_stride),
             score.rows, score.columns, shape->d);
    if (tables->pos->scheme->score_forward) tables->pos->scheme->score_forward(tables, &score);
    return score;
}

// The dropout counter of this block's first weight; weights of a row follow each other.
static uint64_t dropout_counter(const Block *block, const AttentionShape *shape, int row) {
    const uint64_t head = (uint64_t)block->b * (uint64_t)shape->H + (uint64_t)block->h;
    return (head * (uint64_t)shape->queries + (uint64_t)(block->first + row)) * (uint64_t)shape->keys;
}

// P = softmax of the first `seen` scores of a row, in place, zeros after them; returns the log of the denominator.
static real softmax_row(real *S, int seen, int columns) {
    real largest = S[0];
    double sum = 0;
#pragma omp simd reduction(max : largest)
    for (int j = 0; j < seen; j++) largest = S[j] > largest ? S[j] : largest;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < seen; j++) {
        S[j] = real_exp(S[j] - largest);
        sum += (double)S[j];
    }
    const real scale = (real)(1 / sum);
    for (int j = 0; j < seen; j++) S[j] *= scale;
    for (int j = seen; j < columns; j++) S[j] = 0;
    return (real)(log(sum) + (double)largest);
}

void attention_forward(real *out, real *lse, const real *q, const real *k, const real *v, const Tables *tables,
                       const AttentionShape *shape, real *scratch) {
    const int C = shape->H * shape->d;
#pragma omp for collapse(3) schedule(dynamic)
    for (int b = 0; b < shape->B; b++) {
        for (int h = 0; h < shape->H; h++) {
            for (int first = 0; first < shape->queries; first += QUERY_BLOCK) {
                const Block block = block_of(shape, b, h, first);
                real *S = scratch + (size_t)omp_get_thread_num() * thread_scratch(tables, shape->keys, false);
                scores(S, S + (size_t)QUERY_BLOCK * shape->keys, &block, q, k, tables, shape);
                for (int i = 0; i < block.rows; i++) {
                    real *P_i = S + (size_t)i * block.columns;
                    const int seen = block.before + first + i + 1;
                    const size_t row = ((size_t)b * shape->H + h) * shape->queries + first + i;
                    const real row_lse = softmax_row(P_i, seen, block.columns);
                    if (lse) lse[row] = row_lse;
                    if (shape->P) memcpy(shape->P + row * shape->keys, P_i, (size_t)seen * sizeof(real));
                    if (shape->dropout.rate > 0)
                        for (int j = 0; j < seen; j++)
                            P_i[j] *= dropout_factor(&shape->dropout, dropout_counter(&block, shape, i) + (uint64_t)j);
                }
                // out = P v
                gemm(out + block.out, C, 0, 1, rows_of(S, block.columns), rows_of(v + block.kv, shape->kv_stride),
                     block.rows, shape->d, block.columns);
            }
        }
    }
}

// From scores and dP (the gradient by the weights after dropout) to the weights after dropout, in S's place, and dS, in
// dP's place. Forward was P = softmax(S), so dS = P * (dP - sum(P * dP)), and that sum is dout . out (FlashAttention,
// eq. 4).
static void softmax_backward_row(real *S, real *dP, const real *dout, const real *out, real lse, const Block *block,
                                 const AttentionShape *shape, int row) {
    const int seen = block->before + block->first + row + 1;
    real flow = 0;
    for (int c = 0; c < shape->d; c++) flow += dout[c] * out[c];
    if (shape->dropout.rate > 0) {
        for (int j = 0; j < seen; j++) {
            const real factor = dropout_factor(&shape->dropout, dropout_counter(block, shape, row) + (uint64_t)j);
            const real P = real_exp(S[j] - lse);
            S[j] = P * factor;
            dP[j] = P * (factor * dP[j] - flow);
        }
    } else {
#pragma omp simd
        for (int j = 0; j < seen; j++) {
            S[j] = real_exp(S[j] - lse);
            dP[j] = S[j] * (dP[j] - flow);
        }
    }
    for (int j = seen; j < block->columns; j++) S[j] = dP[j] = 0;
}

// One block of queries: dk, dv and dfeatures are added to, dq is overwritten.
static void block_backward(real *dq, real *dk, real *dv, real *dfeatures, const real *dout, const real *q,
                           const real *k, const real *v, const real *out, const real *lse, const Tables *tables,
                           const AttentionShape *shape, const Block *block, real *S) {
    const int C = shape->H * shape->d, d = shape->d, rows = block->rows, columns = block->columns;
    const int qs = shape->q_stride, kvs = shape->kv_stride;
    real *dP = S + (size_t)QUERY_BLOCK * shape->keys, *scratch = dP + (size_t)QUERY_BLOCK * shape->keys;
    const ScoreBlock score = scores(S, scratch, block, q, k, tables, shape);
    // Forward was out = P v, so dP = dout v^T and dv = P^T dout.
    gemm(dP, columns, 0, 1, rows_of(dout + block->out, C), columns_of(v + block->kv, kvs), rows, columns, d);
    for (int i = 0; i < rows; i++) {
        const size_t row = block->out + (size_t)i * C;
        softmax_backward_row(S + (size_t)i * columns, dP + (size_t)i * columns, dout + row, out + row,
                             lse[((size_t)block->b * shape->H + block->h) * shape->queries + block->first + i], block,
                             shape, i);
    }
    gemm(dv + block->kv, kvs, 1, 1, columns_of(S, columns), rows_of(dout + block->out, C), columns, d, rows);
    const ScoreGradient grad = {dP, dq + block->q, dk + block->kv,
                                dfeatures + block->token * position_features(tables->pos)};
    for (int i = 0; i < rows; i++) memset(grad.dq + (size_t)i * qs, 0, (size_t)d * sizeof(real));
    if (tables->pos->scheme->score_backward) tables->pos->scheme->score_backward(tables, &score, &grad);
    if (tables->pos->scheme->own_scores) return;
    // Forward was S = scale q k^T, so dq = scale dS k and dk = scale dS^T q.
    const Matrix dS = rows_of(grad.dS, columns), dS_transposed = columns_of(grad.dS, columns);
    gemm(grad.dq, qs, 1, score.scale, dS, rows_of(score.k, kvs), rows, d, columns);
    gemm(grad.dk, kvs, 1, score.scale, dS_transposed, rows_of(score.q, qs), columns, d, rows);
}

void attention_backward(real *dq, real *dk, real *dv, real *dfeatures, const real *dout, const real *q, const real *k,
                        const real *v, const real *out, const real *lse, const Tables *tables,
                        const AttentionShape *shape, real *scratch) {
    // All blocks of a head add to the same dk and dv, so one thread does them, in order.
#pragma omp for collapse(2) schedule(dynamic)
    for (int b = 0; b < shape->B; b++) {
        for (int h = 0; h < shape->H; h++) {
            real *S = scratch + (size_t)omp_get_thread_num() * thread_scratch(tables, shape->keys, true);
            for (int t = 0; t < shape->keys; t++) {
                const size_t row = b * shape->kv_batch + (size_t)t * shape->kv_stride + (size_t)h * shape->d;
                memset(dk + row, 0, (size_t)shape->d * sizeof(real));
                memset(dv + row, 0, (size_t)shape->d * sizeof(real));
            }
            for (int first = 0; first < shape->queries; first += QUERY_BLOCK) {
                const Block block = block_of(shape, b, h, first);
                block_backward(dq, dk, dv, dfeatures, dout, q, k, v, out, lse, tables, shape, &block, S);
            }
        }
    }
}
