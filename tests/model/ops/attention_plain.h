// Attention in the simplest way: the whole table of scores for each head, and nothing shared between heads, blocks or
// threads. model/ops/attention_blocks.c computes the same faster and in less memory; double_attention_plain.c compares
// the two. Not for layers in which a scheme has its own operation for scores or weights.
#ifndef BITTER_TESTS_ATTENTION_PLAIN_H
#define BITTER_TESTS_ATTENTION_PLAIN_H

#include "model/ops/attention.h"

// One head's memory: scores and weights S = P, their gradients dP = dS, and the scores before logit_scale, all
// (queries, keys); and what the position schemes need.
typedef struct {
    real *S, *dS, *raw;
    real *schemes[PARTS_CAPACITY];
} Memory;

static Memory memory_take(Arena *arena, const MixTables *tables, const Attention *a) {
    const size_t table = (size_t)a->queries * (size_t)a->keys;
    Memory memory = {.S = arena_reals(arena, table), .dS = arena_reals(arena, table), .raw = arena_reals(arena, table)};
    mix_scratch(memory.schemes, tables, arena, a->queries, a->keys, a->lse != NULL);
    return memory;
}

// Numbers of scratch memory.
static size_t attention_plain_scratch(const MixTables *tables, const Attention *a) {
    Arena counted = {0};
    memory_take(&counted, tables, a);
    return counted.used / sizeof(real);
}

// All queries and keys of head h of sequence b, as one block of scores.
static ScoreBlock plain_scores(const Attention *a, const MixTables *tables, const Memory *memory, int b, int h) {
    const size_t query = (size_t)b * a->queries, key = (size_t)b * a->key_batch;
    return (ScoreBlock){
        .S = memory->S,
        .stride = a->keys,
        .rows = a->queries,
        .columns = a->keys,
        .layer = a->layer,
        .sequence = b,
        .head = h,
        .query_at = a->query_at + query,
        .key_at = a->key_at + key,
        .q = a->q + query * a->q_stride + (size_t)h * a->d,
        .k = a->k + key * a->kv_stride + (size_t)(h / (a->H / a->K)) * a->d,
        .q_stride = a->q_stride,
        .k_stride = a->kv_stride,
        .scale = (real)(1 / sqrt(a->d)),
        .features = a->features + key * tables->mix->features,
    };
}

// exp(x), but 0 where attention_blocks.c has 0.
static real weight_of(real x) {
    return x < -60 ? 0 : real_exp(x);
}

static real dot(const real *x, const real *y, int d) {
    real sum = 0;
    for (int c = 0; c < d; c++) sum += x[c] * y[c];
    return sum;
}

// The first key that query i sees, and the key after the last.
static int first_key(const Attention *a, int i) {
    return left_window(a->keys - a->queries + i + 1, a->window);
}

static int end_key(const Attention *a, int i) {
    return a->keys - a->queries + i + 1;
}

// log n, if query i sees n keys.
static double log_keys(const Attention *a, int i) {
    return log(end_key(a, i) - first_key(a, i));
}

// S_ij = scale q_i . k_j, changed by the position schemes, times s log n if there is logit_scale; P_i = softmax over
// the keys that query i sees. Sets lse (queries), unless it is NULL, to the log of each softmax's denominator.
static void weights_forward(const ScoreBlock *s, const Attention *a, const MixTables *tables, const Memory *memory,
                            real *lse) {
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < s->columns; j++)
            s->S[(size_t)i * s->stride + j] =
                s->scale * dot(s->q + (size_t)i * s->q_stride, s->k + (size_t)j * s->k_stride, a->d);
    mix_score_forward(tables, s, memory->schemes);
    for (int i = 0; i < s->rows; i++) {
        real *P = s->S + (size_t)i * s->stride, most = -INFINITY;
        const int first = first_key(a, i), end = end_key(a, i);
        double sum = 0;
        memcpy(memory->raw + (size_t)i * s->stride, P, (size_t)end * sizeof(real));
        for (int j = first; a->logit_scale && j < end; j++) P[j] *= a->logit_scale[s->head] * (real)log_keys(a, i);
        for (int j = first; j < end; j++) most = P[j] > most ? P[j] : most;
        for (int j = 0; j < s->columns; j++) P[j] = j < first || j >= end ? 0 : weight_of(P[j] - most);
        for (int j = first; j < end; j++) sum += (double)P[j];
        for (int j = first; j < end; j++) P[j] = (real)((double)P[j] / sum);
        if (lse) lse[i] = (real)(log(sum) + (double)most);
    }
}

// The factor by which dropout multiplies weight (i, j) of a head.
static real kept(const Attention *a, int b, int h, int i, int j) {
    const uint64_t row = ((uint64_t)b * (uint64_t)a->H + (uint64_t)h) * (uint64_t)a->queries + (uint64_t)i;
    return a->dropout.rate > 0 ? dropout_factor(&a->dropout, row * (uint64_t)a->keys + (uint64_t)j) : 1;
}

static void attention_plain_forward(const Attention *a, const MixTables *tables, real *scratch) {
    const Memory memory = memory_take(&(Arena){.base = (unsigned char *)scratch}, tables, a);
    for (int b = 0; b < a->B; b++)
        for (int h = 0; h < a->H; h++) {
            const ScoreBlock s = plain_scores(a, tables, &memory, b, h);
            const real *v = a->v + (s.k - a->k);
            weights_forward(&s, a, tables, &memory, a->lse ? a->lse + ((size_t)b * a->H + h) * a->queries : NULL);
            for (int i = 0; i < a->queries; i++) {
                real *out = a->out + (((size_t)b * a->queries + i) * a->H + h) * a->d;
                memset(out, 0, (size_t)a->d * sizeof(real));
                for (int j = first_key(a, i); j < end_key(a, i); j++)
                    for (int c = 0; c < a->d; c++)
                        out[c] += s.S[(size_t)i * s.stride + j] * kept(a, b, h, i, j) * v[(size_t)j * a->kv_stride + c];
            }
        }
}

// Forward was out_i = sum of P_ij v_j, so dP_ij = dout_i . v_j and dv_j += P_ij dout_i. The softmax makes dS_ij = P_ij
// (dP_ij - sum over j of P_ij dP_ij), which overwrites dP.
static void weights_backward(real *dS, real *dv, const real *dout, const real *v, const ScoreBlock *s,
                             const Attention *a) {
    for (int i = 0; i < a->queries; i++, dout += (size_t)a->H * a->d) {
        const real *P = s->S + (size_t)i * s->stride;
        real *dS_i = dS + (size_t)i * s->stride, flow = 0;
        memset(dS_i, 0, (size_t)s->columns * sizeof(real));
        for (int j = first_key(a, i); j < end_key(a, i); j++) {
            const real factor = kept(a, s->sequence, s->head, i, j);
            dS_i[j] = factor * dot(dout, v + (size_t)j * a->kv_stride, a->d);
            for (int c = 0; c < a->d; c++) dv[(size_t)j * a->kv_stride + c] += P[j] * factor * dout[c];
            flow += P[j] * dS_i[j];
        }
        for (int j = first_key(a, i); j < end_key(a, i); j++) dS_i[j] = P[j] * (dS_i[j] - flow);
    }
}

// Forward was S_ij *= s log n. So dS_ij *= s log n, and ds += log n dS_ij S_ij.
static void logit_scale_backward(const AttentionGradient *grad, const ScoreBlock *s, const Attention *a,
                                 const Memory *memory) {
    for (int i = 0; i < s->rows; i++) {
        const size_t row = (size_t)i * s->stride;
        real ds = 0;
        for (int j = first_key(a, i); j < end_key(a, i); j++) {
            ds += (real)log_keys(a, i) * memory->dS[row + j] * memory->raw[row + j];
            memory->dS[row + j] *= a->logit_scale[s->head] * (real)log_keys(a, i);
        }
        grad->dlogit_scale[((size_t)s->sequence * a->H + s->head) * a->queries + i] = ds;
    }
}

// Forward was S_ij = scale q_i . k_j, then changed by the schemes, which therefore come first here.
static void scores_backward(const ScoreGradient *grad, const ScoreBlock *s, const Attention *a, const MixTables *tables,
                            const Memory *memory) {
    mix_score_backward(tables, s, grad, memory->schemes);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < end_key(a, i); j++)
            for (int c = 0; c < a->d; c++) {
                const real dS = s->scale * grad->dS[(size_t)i * s->stride + j];
                grad->dq[(size_t)i * s->q_stride + c] += dS * s->k[(size_t)j * s->k_stride + c];
                grad->dk[(size_t)j * s->k_stride + c] += dS * s->q[(size_t)i * s->q_stride + c];
            }
}

static void attention_plain_backward(const AttentionGradient *grad, const Attention *a, const MixTables *tables,
                                     real *scratch) {
    const Memory memory = memory_take(&(Arena){.base = (unsigned char *)scratch}, tables, a);
    for (int row = 0; row < a->B * a->queries; row++) {
        memset(grad->dq + (size_t)row * a->q_stride, 0, (size_t)a->H * a->d * sizeof(real));
        memset(grad->dk + (size_t)row * a->kv_stride, 0, (size_t)a->K * a->d * sizeof(real));
        memset(grad->dv + (size_t)row * a->kv_stride, 0, (size_t)a->K * a->d * sizeof(real));
    }
    for (int b = 0; b < a->B; b++)
        for (int h = 0; h < a->H; h++) {
            const ScoreBlock s = plain_scores(a, tables, &memory, b, h);
            const size_t q = (size_t)(s.q - a->q), k = (size_t)(s.k - a->k);
            const ScoreGradient of_scores = {memory.dS, grad->dq + q, grad->dk + k,
                                             grad->dfeatures + (s.features - a->features)};
            weights_forward(&s, a, tables, &memory, NULL);
            weights_backward(memory.dS, grad->dv + k, grad->dout + ((size_t)b * a->queries * a->H + h) * a->d, a->v + k,
                             &s, a);
            if (a->logit_scale) logit_scale_backward(grad, &s, a, &memory);
            scores_backward(&of_scores, &s, a, tables, &memory);
        }
}

#endif
