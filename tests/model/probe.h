// Schemes that exist only in tests: their scores depend on all fields of a block, so that any wrong value is noticed.
#ifndef BITTER_PROBE_H
#define BITTER_PROBE_H

#include "posenc/scheme.h"

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

// Stores dS (B, H, T, T) in dtable[0]; dtable[1] holds the address of the first key's coordinates. Row i of a block is
// the query of column columns - rows + i.
static void probe_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    const Place *first_key = (const Place *)(const void *)tables->dtable[1];
    const int T = tables->positions, left = (int)(block->key_at - first_key) % T, head = block->head;
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

#endif
