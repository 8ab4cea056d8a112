#include "lab/eval/scheme_probe.h"

#include "base/random.h"
#include "lab/stats/spectrum.h"
#include "lab/stats/statistics.h"

#include <stdlib.h>

#define PAST_TRAINING 4
#define TOKEN_RMS     0.02 // root mean square of token embeddings before training, to which codes are added

enum { WORDS = 5 }; // of the sentence that measure_twins reads

// Schemes with tables of their own, and room for one sequence.
typedef struct {
    MixTables tables;
    Arena arena;
    int T, C, H, d;
    int layer;     // that is measured
    int positions; // coordinates: four times the trained ones, if the scheme is defined that far
    uint64_t seed;
    Place *at;                     // (T)
    real *x, *q, *k;               // (T, C)
    real *S;                       // (T, T) of the head at work; directly behind x, q and k
    real *kept;                    // a copy of x, q, k and S
    real *features;                // (T, F)
    real *scratch[PARTS_CAPACITY]; // for scores
    real *W, *v;                   // (C, C), (WORDS, C)
    double *by_distance;           // (T) sums of scores
} Probe;

static void layout(Probe *probe, const Mix *pos) {
    Arena *arena = &probe->arena;
    const size_t T = (size_t)probe->T, C = (size_t)probe->C;
    mix_layout(&probe->tables, pos, arena, probe->positions, 1, false);
    probe->at = arena_take(arena, T * sizeof *probe->at);
    probe->x = arena_reals(arena, T * (3 * C + T));
    probe->kept = arena_reals(arena, T * (3 * C + T));
    probe->features = arena_reals(arena, T * (size_t)mix_features(pos));
    mix_scratch(probe->scratch, &probe->tables, arena, (int)T, (int)T, false);
    probe->W = arena_reals(arena, C * C);
    probe->v = arena_reals(arena, WORDS * C);
    probe->by_distance = arena_take(arena, T * sizeof *probe->by_distance);
}

static bool probe_create(Probe *probe, const Gpt *gpt, int layer, uint64_t seed, Error *error) {
    const Shape *shape = &gpt->shape;
    *probe = (Probe){.T = shape->context, .C = shape->width, .H = shape->heads, .layer = layer, .seed = seed};
    probe->d = head_width(shape);
    const int most = mix_max_length(&gpt->pos), wanted = PAST_TRAINING * mix_span(&gpt->pos);
    probe->positions = most && most < wanted ? most : wanted;
    layout(probe, &gpt->pos);
    if (!arena_allocate(&probe->arena, "the measurements of a scheme", error)) return false;
    layout(probe, &gpt->pos);
    const size_t rows = (size_t)probe->T * (size_t)probe->C;
    probe->q = probe->x + rows;
    probe->k = probe->q + rows;
    probe->S = probe->k + rows;
    mix_prepare(&probe->tables);
    return true;
}

// Place tokens `first`, first + 1 ... at t, line and column times their number; 1, 0, 1 is one line of text.
static void place(Probe *probe, int first, int t, int line, int column) {
    for (int i = 0; i < probe->T; i++) {
        const int n = first + i;
        probe->at[i] = (Place){t * n, line * n, column * n};
    }
}

// The same random row (C) T times, with this root mean square.
static void repeat_row(real *rows, const Probe *probe, const char *purpose, double scale) {
    const uint64_t key = random_key(probe->seed, purpose);
    for (int t = 0; t < probe->T; t++)
        for (int c = 0; c < probe->C; c++)
            rows[(size_t)t * probe->C + c] = (real)(scale * random_normal(key, (uint64_t)c));
}

static double norm_of(const real *x, int count) {
    double squares = 0;
    for (int c = 0; c < count; c++) squares += (double)x[c] * (double)x[c];
    return sqrt(squares);
}

static double distance_of(const real *x, const real *y, int count) {
    double squares = 0;
    for (int c = 0; c < count; c++) squares += ((double)x[c] - (double)y[c]) * ((double)x[c] - (double)y[c]);
    return sqrt(squares);
}

// The same token, query and key at every place.
static void repeat_rows(Probe *probe, const char *key) {
    repeat_row(probe->x, probe, "token", TOKEN_RMS);
    repeat_row(probe->q, probe, "query", 1);
    repeat_row(probe->k, probe, key, 1);
}

// The hooks between the embedding and the scores, on `count` tokens with q, k and the layer's input x.
static void apply_hooks(Probe *probe, int count) {
    mix_input_forward(&probe->tables, probe->layer, probe->features, probe->x, count);
    mix_qk_forward(&probe->tables, probe->layer, probe->q, probe->k, probe->C, probe->at, count);
}

// The scores S (count, count) of one head, from q and k.
static void scores(Probe *probe, int head, int count) {
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
    const Packed keys = gemm_pack(NULL, columns_of(block.k, probe->C), probe->d, count);
    scores_forward(&probe->tables, &block, &keys, probe->scratch);
}

static bool any_embeds(const Mix *mix) {
    for (int p = 0; p < mix->parts; p++)
        if (mix->part[p].scheme->code) return true;
    return false;
}

static bool any_turns(const Mix *mix, int layer) {
    for (int p = 0; p < mix->parts; p++)
        if (mix->part[p].scheme->enters == ENTERS_ROTATION && position_layer(&mix->part[p], layer) >= 0) return true;
    return false;
}

static bool all_placeless(const Mix *mix, int layer) {
    for (int p = 0; p < mix->parts; p++)
        if (!mix->part[p].scheme->placeless && position_layer(&mix->part[p], layer) >= 0) return false;
    return true;
}

// The codes (T, C) into x: what the embedding adds, or what a rotation makes of one query.
static void codes(Probe *probe) {
    place(probe, 0, 1, 0, 1);
    memset(probe->x, 0, (size_t)probe->T * probe->C * sizeof(real));
    if (any_embeds(probe->tables.mix)) {
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
        squares += norm_of(code, probe->C) * norm_of(code, probe->C) / probe->T;
        for (int other = 0; other < p; other++)
            nearest = fmin(nearest, distance_of(code, probe->x + (size_t)other * probe->C, probe->C));
    }
    return squares > 0 ? nearest / sqrt(squares) : 0;
}

// Squares of the scores' differences from the mean of their distance (within) and from the mean of all (all).
typedef struct {
    double within, all;
} Spread;

// Add what one head's scores have, and to by_distance (T) their mean at each distance.
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
    const Mix *mix = probe->tables.mix;
    const size_t codes = (size_t)probe->T * probe->C * sizeof(real);
    Spread spread = {0};
    place(probe, 0, 1, 0, 1);
    repeat_rows(probe, mix_scores(&probe->tables, probe->layer).own ? "key" : "query");
    if (any_embeds(mix)) {
        memset(probe->q, 0, codes);
        mix_embed_forward(&probe->tables, probe->q, probe->at, probe->T);
        memcpy(probe->k, probe->q, codes);
    }
    apply_hooks(probe, probe->T);
    for (int h = 0; h < probe->H; h++) {
        scores(probe, h, probe->T);
        add_scores(&spread, probe->by_distance, probe->S, probe->T);
    }
    // Scores that are equal but for rounding have no spread.
    const bool flat = spread.all < 1e-9 * probe->T * probe->T;
    // To a scheme that reads no coordinates, equal tokens say nothing of the distance between others.
    p->absolute = flat || all_placeless(mix, probe->layer) ? NAN : sqrt(spread.within / spread.all);
    p->trend = flat ? NAN : rank_correlation(probe->by_distance, probe->T);
}

// The same token, query and key everywhere, through all hooks, to the scores of the first head.
static void run_hooks(Probe *probe, int count) {
    repeat_rows(probe, "key");
    mix_embed_forward(&probe->tables, probe->x, probe->at, count);
    apply_hooks(probe, count);
    scores(probe, 0, count);
}

// The largest relative change of the length of a token or a query.
static double measure_norm(Probe *probe) {
    double worst = 0;
    place(probe, 0, 1, 0, 1);
    repeat_rows(probe, "key");
    const double token = norm_of(probe->x, probe->C), query = norm_of(probe->q, probe->C);
    run_hooks(probe, probe->T);
    for (int t = 0; t < probe->T; t++) {
        worst = fmax(worst, fabs(norm_of(probe->x + (size_t)t * probe->C, probe->C) / token - 1));
        worst = fmax(worst, fabs(norm_of(probe->q + (size_t)t * probe->C, probe->C) / query - 1));
    }
    return worst;
}

// Write the words' embeddings with the scheme's code to x, each normalised to mean 0 and variance 1, as by a layer
// norm.
static void read_sentence(Probe *probe) {
    static const int words[WORDS] = {0, 1, 2, 0, 3};
    const int C = probe->C;
    place(probe, 0, 1, 0, 1);
    for (int t = 0; t < WORDS; t++) {
        const uint64_t key = random_bits(random_key(probe->seed, "words"), (uint64_t)words[t]);
        for (int c = 0; c < C; c++) probe->x[t * C + c] = (real)(TOKEN_RMS * random_normal(key, (uint64_t)c));
    }
    mix_embed_forward(&probe->tables, probe->x, probe->at, WORDS);
    for (int t = 0; t < WORDS; t++) {
        double mean = 0, variance = 0;
        for (int c = 0; c < C; c++) mean += (double)probe->x[t * C + c] / C;
        for (int c = 0; c < C; c++) variance += pow((double)probe->x[t * C + c] - mean, 2) / C;
        for (int c = 0; c < C; c++) probe->x[t * C + c] = (real)(((double)probe->x[t * C + c] - mean) / sqrt(variance));
    }
}

// weights (WORDS) = softmax(scores (WORDS) of a word).
static void attend(double *weights, const real *scores) {
    double sum = 0;
    for (int j = 0; j < WORDS; j++) sum += weights[j] = exp((double)scores[j]);
    for (int j = 0; j < WORDS; j++) weights[j] /= sum;
}

// rows (WORDS, C) = x W^T with a random W.
static void project(real *rows, Probe *probe, const char *purpose) {
    const uint64_t key = random_key(probe->seed, purpose);
    const int C = probe->C;
    for (size_t n = 0; n < (size_t)C * C; n++) probe->W[n] = (real)(random_normal(key, n) / sqrt(C));
    gemm(rows, C, 0, 1, rows_of(probe->x, C), rows_of(probe->W, C), WORDS, C, C);
}

// Attention without a mask in a layer of random weights, on "the cat saw the dog": does it tell the two "the" apart?
static double measure_twins(Probe *probe) {
    double apart = 0, length = 0, first[WORDS], second[WORDS];
    read_sentence(probe);
    project(probe->q, probe, "query matrix");
    project(probe->k, probe, "key matrix");
    project(probe->v, probe, "value matrix");
    apply_hooks(probe, WORDS);
    for (int h = 0; h < probe->H; h++) {
        scores(probe, h, WORDS);
        attend(first, probe->S);
        attend(second, probe->S + 3 * WORDS);
        for (int c = h * probe->d; c < (h + 1) * probe->d; c++) {
            double out = 0, other = 0;
            for (int j = 0; j < WORDS; j++) {
                out += first[j] * (double)probe->v[j * probe->C + c];
                other += second[j] * (double)probe->v[j * probe->C + c];
            }
            apart += pow(out - other, 2);
            length += pow(out, 2);
        }
    }
    return sqrt(apart / length);
}

// Does anything change when tokens stand at `t`, `line`, `column` times their number instead of all at 0?
static bool axis_matters(Probe *probe, int t, int line, int column) {
    const size_t size = (size_t)probe->T * (size_t)(3 * probe->C + probe->T) * sizeof(real); // of x, q, k and S
    place(probe, 0, 0, 0, 0);
    run_hooks(probe, WORDS);
    memcpy(probe->kept, probe->x, size);
    place(probe, 0, t, line, column);
    run_hooks(probe, WORDS);
    return memcmp(probe->kept, probe->x, size) != 0;
}

// Are codes and scores finite past the trained positions?
static bool finite_past_training(Probe *probe) {
    place(probe, probe->positions - probe->T, 1, 1, 1);
    run_hooks(probe, probe->T);
    for (int i = 0; i < probe->T; i++) {
        for (int j = 0; j <= i; j++)
            if (!isfinite(probe->S[(size_t)i * probe->T + j])) return false;
        for (int c = 0; c < probe->C; c++)
            if (!isfinite(probe->x[(size_t)i * probe->C + c])) return false;
    }
    return true;
}

bool scheme_probe(SchemeProperties *p, const Gpt *gpt, int layer, uint64_t seed, Error *error) {
    Probe probe;
    if (gpt->shape.context < PROBE_CONTEXT_LEAST)
        return fail_input(error, "a context of %d is too short to measure anything; it takes %d or more",
                          gpt->shape.context, PROBE_CONTEXT_LEAST);
    if (!probe_create(&probe, gpt, layer, seed, error)) return false;
    *p = (SchemeProperties){.distinct = NAN, .nonlinear = NAN};
    if (any_embeds(&gpt->pos) || any_turns(&gpt->pos, layer)) {
        codes(&probe);
        p->distinct = measure_unique(&probe);
        p->nonlinear = shift_residual(probe.x, probe.T, probe.C, CODE_SHIFT);
    }
    measure_scores(p, &probe);
    p->resizing = measure_norm(&probe);
    p->longest = finite_past_training(&probe) ? mix_max_length(&gpt->pos) : gpt->shape.context;
    p->axes = axis_matters(&probe, 1, 0, 0) + axis_matters(&probe, 0, 1, 0) + axis_matters(&probe, 0, 0, 1);
    p->twins = measure_twins(&probe);
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

bool scheme_bias(double *curves, const Gpt *gpt, Error *error) {
    Probe probe;
    if (!probe_create(&probe, gpt, 0, 0, error)) return false;
    const size_t T = (size_t)probe.T, rows = T * (size_t)probe.C;
    place(&probe, 0, 1, 0, 1);
    memset(probe.x, 0, 3 * rows * sizeof(real)); // and q and k
    apply_hooks(&probe, probe.T);
    for (int h = 0; h < probe.H; h++) {
        scores(&probe, h, probe.T);
        const real *last = probe.S + (T - 1) * T; // the only query that has keys at all distances
        for (size_t distance = 0; distance < T; distance++)
            curves[(size_t)h * T + distance] = (double)last[T - 1 - distance];
    }
    arena_free(&probe.arena);
    return true;
}
