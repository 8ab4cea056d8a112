// Schemes that exist only in tests: their scores depend on everything that a block says about itself, so that any wrong
// value is noticed.
#ifndef BITTER_PROBE_H
#define BITTER_PROBE_H

#include "posenc/posenc.h"

enum { PROBE_HEADS = 2, PROBE_WIDTH = 3 };

// S = U + sin(U) / 2 + q[0] f + probe, from the scaled product U and feature f of the key and head. Scratch holds U.
static real probe(int layer, int sequence, int head, const Place *query, const Place *key) {
    return (real)sin(0.3 * layer + sequence + 2 * head + 0.11 * query->t - 0.07 * key->t + 0.3 * query->line -
                     0.2 * key->line + 0.5 * query->column + 0.9 * key->column);
}

static int probe_features(const Position *pos) {
    return PROBE_HEADS;
}

static size_t probe_scratch(const Tables *tables, int rows, int columns, bool training) {
    return (size_t)rows * columns;
}

static void probe_forward(const Tables *tables, const ScoreBlock *block) {
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++) {
            real *S = &block->S[i * block->stride + j], *U = &block->scratch[i * block->columns + j];
            *U = *S;
            *S += sin(*U) / 2 + block->q[(size_t)i * block->q_stride] * block->features[j * PROBE_HEADS + block->head] +
                  probe(block->layer, block->sequence, block->head, &block->query_at[i], &block->key_at[j]);
        }
}

// Keeps dS (B, H, T, T), in dtable[0]. Row i of a block is the query of column columns - rows + i, and column 0 is the
// key of token columns_left.
static void probe_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    const int T = tables->positions, left = block->columns_left, head = block->head;
    const int first = left + block->columns - block->rows;
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++) {
            real *dS = &grad->dS[i * block->stride + j];
            tables->dtable[0][((size_t)(block->sequence * PROBE_HEADS + head) * T + first + i) * T + left + j] = *dS;
            grad->dq[(size_t)i * block->q_stride] += *dS * block->features[j * PROBE_HEADS + head];
            grad->dfeatures[j * PROBE_HEADS + head] += *dS * block->q[(size_t)i * block->q_stride];
            *dS *= 1 + cos(block->scratch[i * block->columns + j]) / 2;
        }
}

static const Family probe_family = {.score_forward = probe_forward, .score_backward = probe_backward};
static const Scheme probe_scheme = {.name = "probe",
                                    .family = &probe_family,
                                    .reads_queries = true,
                                    .feature_count = probe_features,
                                    .score_scratch = probe_scratch};

// The same scores, but the scheme takes the products itself, and their gradients.
static void alone_forward(const Tables *tables, const ScoreBlock *block) {
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++) {
            real sum = 0;
            for (int c = 0; c < PROBE_WIDTH; c++)
                sum += block->q[(size_t)i * block->q_stride + c] * block->k[(size_t)j * block->k_stride + c];
            block->S[i * block->stride + j] = block->scale * sum;
        }
    probe_forward(tables, block);
}

static void alone_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    probe_backward(tables, block, grad);
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            for (int c = 0; c < PROBE_WIDTH; c++) {
                const real dU = block->scale * grad->dS[i * block->stride + j];
                grad->dq[(size_t)i * block->q_stride + c] += dU * block->k[(size_t)j * block->k_stride + c];
                grad->dk[(size_t)j * block->k_stride + c] += dU * block->q[(size_t)i * block->q_stride + c];
            }
}

static const Family alone_family = {.score_forward = alone_forward, .score_backward = alone_backward};
static const Scheme alone_scheme = {.name = "alone",
                                    .family = &alone_family,
                                    .own_scores = true,
                                    .reads_queries = true,
                                    .feature_count = probe_features,
                                    .score_scratch = probe_scratch};

#endif
