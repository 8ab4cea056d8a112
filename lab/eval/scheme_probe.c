#include "lab/eval/scheme_probe.h"

#include "base/random.h"
#include "lab/stats/fit.h"

#include <stdlib.h>

#define PAST_TRAINING 4
#define TOKEN_RMS     0.02 // root mean square of token embeddings before training, to which codes are added

// A scheme with tables of its own, and room for one sequence.
typedef struct {
    Tables tables;
    Arena arena;
    int T, C, H, d;
    int positions; // coordinates: four times the trained ones, if the scheme is defined that far
    uint64_t seed;
    Place *at;      // (T)
    real *x;        // (T, C)
    real *q, *k;    // (T, C)
    real *features; // (T, F)
    real *S;        // (T, T) of the head at work
    real *scratch;
} Probe;

static void layout(Probe *probe, const Position *pos) {
    Arena *arena = &probe->arena;
    const size_t T = (size_t)probe->T, C = (size_t)probe->C;
    tables_layout(&probe->tables, pos, arena, probe->positions, 1, false);
    probe->at = arena_take(arena, T * sizeof *probe->at);
    probe->x = arena_reals(arena, T * C);
    probe->q = arena_reals(arena, T * C);
    probe->k = arena_reals(arena, T * C);
    probe->features = arena_reals(arena, T * (size_t)position_features(pos));
    probe->S = arena_reals(arena, T * T);
    probe->scratch = arena_reals(
        arena, pos->scheme->score_scratch ? pos->scheme->score_scratch(&probe->tables, (int)T, (int)T, false) : 0);
}

static bool probe_create(Probe *probe, const Gpt *gpt, uint64_t seed, Error *error) {
    const Shape *shape = &gpt->shape;
    *probe = (Probe){.T = shape->context, .C = shape->width, .H = shape->heads, .seed = seed};
    probe->d = head_width(shape);
    const int most = position_max_length(&gpt->pos), wanted = PAST_TRAINING * position_span(&gpt->pos);
    probe->positions = most && most < wanted ? most : wanted;
    layout(probe, &gpt->pos);
    if (!arena_allocate(&probe->arena, "the measurements of a scheme", error)) return false;
    layout(probe, &gpt->pos);
    tables_prepare(&probe->tables);
    return true;
}

// The tokens of one line of text.
static void place_in_order(Probe *probe) {
    for (int t = 0; t < probe->T; t++) probe->at[t] = (Place){t, 0, t};
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
    const Scheme *scheme = probe->tables.pos->scheme;
    if (scheme->input_forward) scheme->input_forward(&probe->tables, 0, probe->features, probe->x, count);
    if (scheme->qk_forward) scheme->qk_forward(&probe->tables, 0, probe->q, probe->k, probe->C, probe->at, count);
}

// The scores S (count, count) of one head, from q and k.
static void scores(Probe *probe, int head, int count) {
    const ScoreBlock block = {
        .S = probe->S,
        .stride = count,
        .rows = count,
        .columns = count,
        .head = head,
        .query_at = probe->at,
        .key_at = probe->at,
        .q = probe->q + (size_t)head * probe->d,
        .k = probe->k + (size_t)head * probe->d,
        .q_stride = probe->C,
        .k_stride = probe->C,
        .scale = (real)(1 / sqrt(probe->d)),
        .features = probe->features,
        .scratch = probe->scratch,
    };
    scores_forward(&probe->tables, &block, probe->d);
}

// The codes (T, C) into x: what the embedding adds, or what a rotation makes of one query.
static void codes(Probe *probe) {
    const Scheme *scheme = probe->tables.pos->scheme;
    place_in_order(probe);
    memset(probe->x, 0, (size_t)probe->T * probe->C * sizeof(real));
    if (scheme->embed_forward) {
        scheme->embed_forward(&probe->tables, probe->x, probe->at, probe->T);
    } else {
        repeat_row(probe->x, probe, "query", 1);
        repeat_row(probe->k, probe, "key", 1);
        scheme->qk_forward(&probe->tables, 0, probe->x, probe->k, probe->C, probe->at, probe->T);
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

// Sums over heads: the mean score at each distance, and squares of the scores' differences from the mean of their
// distance (within) and from the mean of all (all).
typedef struct {
    double *sum; // (T) by distance, over heads
    double within, all;
} ScoreSums;

static void add_scores(ScoreSums *sums, const real *S, int T) {
    double total = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) total += (double)S[(size_t)i * T + j];
    const double mean_of_all = total / (0.5 * T * (T + 1));
    for (int distance = 0; distance < T; distance++) {
        double mean = 0;
        for (int i = distance; i < T; i++) mean += (double)S[(size_t)i * T + i - distance] / (T - distance);
        for (int i = distance; i < T; i++) {
            const double score = (double)S[(size_t)i * T + i - distance];
            sums->within += (score - mean) * (score - mean);
            sums->all += (score - mean_of_all) * (score - mean_of_all);
        }
        sums->sum[distance] += mean;
    }
}

static bool measure_scores(SchemeProperties *p, Probe *probe, Error *error) {
    const Scheme *scheme = probe->tables.pos->scheme;
    ScoreSums sums = {.sum = calloc((size_t)probe->T, sizeof *sums.sum)};
    if (!sums.sum) return fail_run(error, "no memory for sums over %d distances", probe->T);
    place_in_order(probe);
    repeat_rows(probe, scheme->own_scores ? "key" : "query");
    if (scheme->embed_forward) {
        memset(probe->q, 0, (size_t)probe->T * probe->C * sizeof(real));
        scheme->embed_forward(&probe->tables, probe->q, probe->at, probe->T);
        memcpy(probe->k, probe->q, (size_t)probe->T * probe->C * sizeof(real));
    }
    apply_hooks(probe, probe->T);
    for (int h = 0; h < probe->H; h++) {
        scores(probe, h, probe->T);
        add_scores(&sums, probe->S, probe->T);
    }
    // Scores that are equal but for rounding have no spread.
    const bool flat = sums.all < 1e-9 * probe->T * probe->T;
    p->distance = flat ? NAN : sqrt(sums.within / sums.all);
    p->falls = flat ? NAN : rank_correlation(sums.sum, probe->T);
    free(sums.sum);
    return true;
}

// The largest relative change of the length of a token or a query.
static double measure_norm(Probe *probe) {
    const Scheme *scheme = probe->tables.pos->scheme;
    double worst = 0;
    place_in_order(probe);
    repeat_rows(probe, "key");
    const double token = norm_of(probe->x, probe->C), query = norm_of(probe->q, probe->C);
    if (scheme->embed_forward) scheme->embed_forward(&probe->tables, probe->x, probe->at, probe->T);
    if (scheme->qk_forward) scheme->qk_forward(&probe->tables, 0, probe->q, probe->k, probe->C, probe->at, probe->T);
    for (int t = 0; t < probe->T; t++) {
        worst = fmax(worst, fabs(norm_of(probe->x + (size_t)t * probe->C, probe->C) / token - 1));
        worst = fmax(worst, fabs(norm_of(probe->q + (size_t)t * probe->C, probe->C) / query - 1));
    }
    return worst;
}

// Attention without a mask in a layer of random weights, on "the cat saw the dog": does it tell the two "the" apart?
enum { WORDS = 5, FIRST_THE = 0, SECOND_THE = 3 };

static void random_matrix(real *W, const Probe *probe, const char *purpose) {
    const uint64_t key = random_key(probe->seed, purpose);
    for (size_t n = 0; n < (size_t)probe->C * probe->C; n++) W[n] = (real)(random_normal(key, n) / sqrt(probe->C));
}

// Write the words' embeddings with the scheme's code to x, each normalised to mean 0 and variance 1, as by a layer
// norm.
static void read_sentence(Probe *probe) {
    static const int words[WORDS] = {0, 1, 2, 0, 3};
    const int C = probe->C;
    for (int t = 0; t < WORDS; t++) {
        const uint64_t key = random_bits(random_key(probe->seed, "words"), (uint64_t)words[t]);
        probe->at[t] = (Place){t, 0, t};
        for (int c = 0; c < C; c++) probe->x[t * C + c] = (real)(TOKEN_RMS * random_normal(key, (uint64_t)c));
    }
    if (probe->tables.pos->scheme->embed_forward)
        probe->tables.pos->scheme->embed_forward(&probe->tables, probe->x, probe->at, WORDS);
    for (int t = 0; t < WORDS; t++) {
        double mean = 0, variance = 0;
        for (int c = 0; c < C; c++) mean += (double)probe->x[t * C + c] / C;
        for (int c = 0; c < C; c++) variance += pow((double)probe->x[t * C + c] - mean, 2) / C;
        for (int c = 0; c < C; c++) probe->x[t * C + c] = (real)(((double)probe->x[t * C + c] - mean) / sqrt(variance));
    }
}

// out (d) = softmax(scores of word t) v, over all words.
static void attend(double *out, const Probe *probe, const real *v, int t) {
    double weight[WORDS], sum = 0;
    for (int j = 0; j < WORDS; j++) sum += weight[j] = exp((double)probe->S[t * WORDS + j]);
    for (int c = 0; c < probe->d; c++) {
        out[c] = 0;
        for (int j = 0; j < WORDS; j++) out[c] += weight[j] / sum * (double)v[j * probe->C + c];
    }
}

static double measure_twins(Probe *probe, real *W, real *v, double *out) {
    const int C = probe->C, d = probe->d;
    double apart = 0, length = 0;
    read_sentence(probe);
    random_matrix(W, probe, "query matrix");
    gemm(probe->q, C, 0, 1, rows_of(probe->x, C), rows_of(W, C), WORDS, C, C);
    random_matrix(W, probe, "key matrix");
    gemm(probe->k, C, 0, 1, rows_of(probe->x, C), rows_of(W, C), WORDS, C, C);
    random_matrix(W, probe, "value matrix");
    gemm(v, C, 0, 1, rows_of(probe->x, C), rows_of(W, C), WORDS, C, C);
    apply_hooks(probe, WORDS);
    for (int h = 0; h < probe->H; h++) {
        scores(probe, h, WORDS);
        attend(out, probe, v + h * d, FIRST_THE);
        attend(out + d, probe, v + h * d, SECOND_THE);
        for (int c = 0; c < d; c++) {
            apart += pow(out[c] - out[d + c], 2);
            length += pow(out[c], 2);
        }
    }
    return sqrt(apart / length);
}

// The same token, query and key everywhere, through all hooks, to the scores of the first head.
static void run_hooks(Probe *probe, int count) {
    const Scheme *scheme = probe->tables.pos->scheme;
    repeat_rows(probe, "key");
    if (scheme->embed_forward) scheme->embed_forward(&probe->tables, probe->x, probe->at, count);
    apply_hooks(probe, count);
    scores(probe, 0, count);
}

// Does anything change when tokens stand at `t`, `line`, `column` times their number instead of all at 0?
static bool axis_matters(Probe *probe, real *before, int t, int line, int column) {
    const size_t row = (size_t)probe->C;
    bool differs = false;
    for (int moved = 0; moved <= 1; moved++) {
        for (int n = 0; n < WORDS; n++) probe->at[n] = (Place){moved * t * n, moved * line * n, moved * column * n};
        run_hooks(probe, WORDS);
        real *parts[] = {probe->x, probe->q, probe->k, probe->S};
        const size_t sizes[] = {WORDS * row, WORDS * row, WORDS * row, (size_t)WORDS * WORDS};
        real *kept = before;
        for (int part = 0; part < 4; kept += sizes[part], part++) {
            if (moved)
                differs = differs || memcmp(kept, parts[part], sizes[part] * sizeof(real)) != 0;
            else
                memcpy(kept, parts[part], sizes[part] * sizeof(real));
        }
    }
    return differs;
}

// Are codes and scores finite past the trained positions?
static bool finite_past_training(Probe *probe) {
    const int past = probe->positions - probe->T;
    for (int t = 0; t < probe->T; t++) probe->at[t] = (Place){past + t, past + t, past + t};
    run_hooks(probe, probe->T);
    for (int i = 0; i < probe->T; i++) {
        for (int j = 0; j <= i; j++)
            if (!isfinite(probe->S[(size_t)i * probe->T + j])) return false;
        for (int c = 0; c < probe->C; c++)
            if (!isfinite(probe->x[(size_t)i * probe->C + c])) return false;
    }
    return true;
}

bool scheme_probe(SchemeProperties *p, const Gpt *gpt, uint64_t seed, Error *error) {
    const Scheme *scheme = gpt->pos.scheme;
    Probe probe;
    if (gpt->shape.context < PROBE_CONTEXT_LEAST)
        return fail_input(error, "a context of %d is too short to measure anything; it takes %d or more",
                          gpt->shape.context, PROBE_CONTEXT_LEAST);
    if (!probe_create(&probe, gpt, seed, error)) return false;
    const size_t C = (size_t)probe.C;
    real *W = malloc(C * C * sizeof *W), *rows = malloc((4 * C + WORDS) * WORDS * sizeof *rows);
    double *out = malloc(2 * C * sizeof *out);
    bool ok = (W && rows && out) || fail_run(error, "no memory to look at a scheme of width %zu", C);
    *p = (SchemeProperties){.unique = NAN, .linear = NAN};
    if (ok && (scheme->embed_forward || scheme->qk_forward)) {
        codes(&probe);
        p->unique = measure_unique(&probe);
        p->linear = shift_residual(probe.x, probe.T, probe.C, CODE_SHIFT);
    }
    ok = ok && measure_scores(p, &probe, error);
    if (scheme->placeless) p->distance = NAN; // of equal tokens; others are further apart than they stand
    if (ok) {
        p->norm = measure_norm(&probe);
        p->defined = finite_past_training(&probe) ? position_max_length(&gpt->pos) : gpt->shape.context;
        p->axes = axis_matters(&probe, rows, 1, 0, 0) + axis_matters(&probe, rows, 0, 1, 0) +
                  axis_matters(&probe, rows, 0, 0, 1);
        p->twins = measure_twins(&probe, W, rows, out);
    }
    free(W);
    free(rows);
    free(out);
    arena_free(&probe.arena);
    return ok;
}

bool scheme_codes(real *table, const Gpt *gpt, Error *error) {
    Probe probe;
    if (!probe_create(&probe, gpt, 0, error)) return false;
    codes(&probe);
    memcpy(table, probe.x, (size_t)probe.T * (size_t)probe.C * sizeof *table);
    arena_free(&probe.arena);
    return true;
}

bool scheme_bias(double *curves, const Gpt *gpt, Error *error) {
    Probe probe;
    if (!probe_create(&probe, gpt, 0, error)) return false;
    const size_t T = (size_t)probe.T, rows = T * (size_t)probe.C;
    place_in_order(&probe);
    memset(probe.q, 0, rows * sizeof(real));
    memset(probe.k, 0, rows * sizeof(real));
    memset(probe.x, 0, rows * sizeof(real));
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
