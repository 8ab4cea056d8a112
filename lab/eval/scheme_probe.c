#include "lab/eval/scheme_probe.h"

#include "base/random.h"
#include "lab/stats/statistics.h"
#include "model/ops/attention_more.h"

#include <stdlib.h>

#define TOKEN_RMS 0.02 // root mean square of token embeddings before training

// Schemes with tables of their own, and room for one sequence.
typedef struct {
    MixTables tables;
    Arena arena;
    int T, C, H, d;
    int layer; // that is measured
    uint64_t seed;
    Place *at;                     // (T), on one line of text
    real *x, *q, *k;               // (T, C)
    real *S;                       // (T, T) of the head at work
    real *features;                // (T, F)
    real *scratch[PARTS_CAPACITY]; // for scores
    double *by_distance;           // (T) sums of scores
} Probe;

static void layout(Probe *probe, const Mix *pos) {
    Arena *arena = &probe->arena;
    const size_t T = (size_t)probe->T, C = (size_t)probe->C;
    mix_layout(&probe->tables, pos, arena, mix_span(pos), 1, false);
    probe->at = arena_take(arena, T * sizeof *probe->at);
    probe->x = arena_reals(arena, T * C);
    probe->q = arena_reals(arena, T * C);
    probe->k = arena_reals(arena, T * C);
    probe->S = arena_reals(arena, T * T);
    probe->features = arena_reals(arena, T * (size_t)pos->features);
    mix_scratch(probe->scratch, &probe->tables, arena, (int)T, (int)T, false);
    probe->by_distance = arena_take(arena, T * sizeof *probe->by_distance);
}

static bool probe_create(Probe *probe, const Gpt *gpt, int layer, uint64_t seed, Error *error) {
    const Shape *shape = &gpt->shape;
    *probe = (Probe){.T = shape->context, .C = shape->width, .H = shape->heads, .layer = layer, .seed = seed};
    probe->d = head_width(shape);
    layout(probe, &gpt->pos);
    if (!arena_allocate(&probe->arena, "the measurements of a scheme", error)) return false;
    layout(probe, &gpt->pos);
    mix_prepare(&probe->tables);
    for (int t = 0; t < probe->T; t++) probe->at[t] = (Place){.t = t, .column = t};
    return true;
}

// The same random row (C) T times, with this root mean square.
static void repeat_row(real *rows, const Probe *probe, const char *purpose, double scale) {
    const uint64_t key = random_key(probe->seed, purpose);
    for (int t = 0; t < probe->T; t++)
        for (int c = 0; c < probe->C; c++)
            rows[(size_t)t * probe->C + c] = (real)(scale * random_normal(key, (uint64_t)c));
}

// The squared distance of x from y (count), or from 0 where y is NULL.
static double squares_of(const real *x, const real *y, int count) {
    double squares = 0;
    for (int c = 0; c < count; c++) squares += pow((double)x[c] - (y ? (double)y[c] : 0), 2);
    return squares;
}

// The hooks between the embedding and the scores, on q, k and the layer's input x.
static void apply_hooks(Probe *probe) {
    mix_input_forward(&probe->tables, probe->layer, probe->features, probe->x, probe->T);
    mix_qk_forward(&probe->tables, probe->layer, probe->q, probe->k, probe->C, probe->at, probe->T);
}

// The scores S (T, T) of one head, from q and k.
static void scores(Probe *probe, int head) {
    const int count = probe->T;
    const ScoreBlock block = {
        .S = probe->S,
        .stride = count,
        .rows = count,
        .columns = count,
        .layer = probe->layer,
        .head = head,
        .query_at = probe->at,
        .key_at = probe->at,
        .q = probe->q + (size_t)head * probe->d,
        .k = probe->k + (size_t)key_head_of(&probe->tables.mix->shape, head) * probe->d,
        .q_stride = probe->C,
        .k_stride = probe->C,
        .scale = (real)(1 / sqrt(probe->d)),
        .features = probe->features,
    };
    scores_forward(&probe->tables, &block, probe->scratch);
}

// Replace the scores by the logarithms of the weights, if a scheme makes these otherwise than by a softmax.
static void logs_of_weights(Probe *probe) {
    const WeightsOp *op = probe->tables.layers[probe->layer].weights;
    for (int i = 0; op && i < probe->T; i++) op->logs(probe->S + (size_t)i * probe->T, i + op->own);
}

// What the schemes of a layer do.
typedef struct {
    bool embed, turn, add, read_positions;
} Does;

static Does what_schemes_do(const Mix *mix, int layer) {
    Does does = {0};
    for (int p = 0; p < mix->parts; p++) {
        const Scheme *scheme = mix->part[p].scheme;
        const bool here = position_layer(&mix->part[p], layer) >= 0;
        does.embed |= position_embeds(&mix->part[p]);
        does.turn |= here && scheme->enters == ENTERS_ROTATION;
        does.add |= here && scheme->enters == ENTERS_BIAS;
        does.read_positions |= here && !scheme->position_free;
    }
    return does;
}

// The codes (T, C) into x: what the embedding adds, or what a rotation makes of one query.
static void codes(Probe *probe) {
    memset(probe->x, 0, (size_t)probe->T * probe->C * sizeof(real));
    if (what_schemes_do(probe->tables.mix, probe->layer).embed) {
        mix_embed_forward(&probe->tables, probe->x, probe->at, probe->T);
    } else {
        repeat_row(probe->x, probe, "query", 1);
        repeat_row(probe->k, probe, "key", 1);
        mix_qk_forward(&probe->tables, probe->layer, probe->x, probe->k, probe->C, probe->at, probe->T);
    }
}

// Distance between the two most similar codes, divided by the root mean square of all codes.
static double measure_unique(const Probe *probe) {
    double nearest = INFINITY, squares = 0;
    for (int p = 0; p < probe->T; p++) {
        const real *code = probe->x + (size_t)p * probe->C;
        squares += squares_of(code, NULL, probe->C) / probe->T;
        for (int other = 0; other < p; other++)
            nearest = fmin(nearest, squares_of(code, probe->x + (size_t)other * probe->C, probe->C));
    }
    return squares > 0 ? sqrt(nearest / squares) : 0;
}

// Squares of the scores' differences from the mean of their distance (within) and from the mean of all (all).
typedef struct {
    double within, all;
} Spread;

// Add the spread of one head's scores, and to by_distance (T) their mean at each distance.
static void add_scores(Spread *spread, double *by_distance, const real *S, int T) {
    double total = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) total += (double)S[(size_t)i * T + j];
    const double mean_of_all = total / (0.5 * T * (T + 1));
    for (int distance = 0; distance < T; distance++) {
        double mean = 0;
        for (int i = distance; i < T; i++) mean += (double)S[(size_t)i * T + i - distance] / (T - distance);
        for (int i = distance; i < T; i++) {
            const double score = (double)S[(size_t)i * T + i - distance];
            spread->within += (score - mean) * (score - mean);
            spread->all += (score - mean_of_all) * (score - mean_of_all);
        }
        by_distance[distance] += mean;
    }
}

static void measure_scores(SchemeProperties *p, Probe *probe) {
    const Does does = what_schemes_do(probe->tables.mix, probe->layer);
    const size_t codes = (size_t)probe->T * probe->C * sizeof(real);
    Spread spread = {0};
    // The same token, query and key at every place.
    repeat_row(probe->x, probe, "token", TOKEN_RMS);
    repeat_row(probe->q, probe, "query", 1);
    repeat_row(probe->k, probe, probe->tables.layers[probe->layer].own ? "key" : "query", 1);
    if (does.embed) {
        memset(probe->q, 0, codes);
        mix_embed_forward(&probe->tables, probe->q, probe->at, probe->T);
        memcpy(probe->k, probe->q, codes);
    }
    apply_hooks(probe);
    for (int h = 0; h < probe->H; h++) {
        scores(probe, h);
        logs_of_weights(probe);
        add_scores(&spread, probe->by_distance, probe->S, probe->T);
    }
    // Scores that are equal but for rounding have no spread.
    const bool flat = spread.all < 1e-9 * probe->T * probe->T;
    // If a scheme reads no coordinates, its scores of equal tokens say nothing about distances between other tokens.
    p->absolute = flat || !does.read_positions ? NAN : sqrt(spread.within / spread.all);
    p->trend = flat ? NAN : rank_correlation(probe->by_distance, probe->T);
}

bool scheme_probe(SchemeProperties *p, const Gpt *gpt, int layer, uint64_t seed, Error *error) {
    Probe probe;
    if (gpt->shape.context < PROBE_CONTEXT_LEAST)
        return fail_input(error, "a context of %d is too short to measure anything; it takes %d or more",
                          gpt->shape.context, PROBE_CONTEXT_LEAST);
    if (!probe_create(&probe, gpt, layer, seed, error)) return false;
    *p = (SchemeProperties){.distinct = NAN};
    const Does does = what_schemes_do(&gpt->pos, layer);
    if (does.embed || does.turn) {
        codes(&probe);
        p->distinct = measure_unique(&probe);
    }
    measure_scores(p, &probe);
    p->longest = mix_max_length(&gpt->pos);
    char why[WRITTEN_WHY];
    const int most = p->longest ? p->longest : 16 * probe.T; // longer inputs are not tried
    const int finite = mix_finite_length(why, &gpt->pos, most);
    if (finite < most) p->longest = finite;
    arena_free(&probe.arena);
    return true;
}

bool scheme_codes(real *table, const Gpt *gpt, Error *error) {
    Probe probe;
    if (!probe_create(&probe, gpt, 0, 0, error)) return false;
    codes(&probe);
    memcpy(table, probe.x, (size_t)probe.T * (size_t)probe.C * sizeof *table);
    arena_free(&probe.arena);
    return true;
}

bool scheme_bias(double *curves, int *layer, const Gpt *gpt, Error *error) {
    Probe probe;
    for (*layer = 0; *layer < gpt->shape.layers - 1 && !what_schemes_do(&gpt->pos, *layer).add;) ++*layer;
    if (!probe_create(&probe, gpt, *layer, 0, error)) return false;
    const size_t T = (size_t)probe.T, bytes = T * (size_t)probe.C * sizeof(real);
    memset(probe.x, 0, bytes);
    memset(probe.q, 0, bytes);
    memset(probe.k, 0, bytes);
    apply_hooks(&probe);
    for (int h = 0; h < probe.H; h++) {
        scores(&probe, h);
        const real *last = probe.S + (T - 1) * T; // the only query that has keys at all distances
        for (size_t distance = 0; distance < T; distance++)
            curves[(size_t)h * T + distance] = (double)last[T - 1 - distance];
    }
    arena_free(&probe.arena);
    return true;
}
