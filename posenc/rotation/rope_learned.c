// RoPE whose frequencies are trained, for each head: gradient descent chooses how fast each pair turns.
#include "posenc/rotation/angles.h"

#include "base/random.h"
#include "num/team.h"

enum { RHO, A };     // params (sets * H, d/2) each; RHO has fewer rows where heads share frequencies
enum { SCALES = 4 }; // tables (sets, H*d), after those of rotation.c
typedef enum { START_ROPE, START_RANDOM, START_WIDE } Start;

typedef struct {
    Rotary rotary;
    int start, layers, heads, scale;
    double rate;
} RopeLearnedOptions;

static const Option rope_learned_options[] = {
    {"start", OPTION_CHOICE, offsetof(RopeLearnedOptions, start), "rope", 0, 0, "rope|random|wide", "HOW",
     "initial frequencies: RoPE's; random ones from RoPE's slowest to its fastest; or (wide) from 1/base to 1"},
    {"rate", OPTION_NUMBER, offsetof(RopeLearnedOptions, rate), "1", 0, 1000, NULL, "X",
     "learning rate of the frequencies, as a multiple of --lr"},
    LAYERS_OPTION_ROW(RopeLearnedOptions, "own"),
    ROTARY_OPTION_ROWS(RopeLearnedOptions, "10000", "(i, i+d/2)"),
    {"heads", OPTION_CHOICE, offsetof(RopeLearnedOptions, heads), "own", 0, 0, "shared|own", "WHOSE",
     "own: frequencies for each head, or for each of --kv-heads; shared: the same for all heads"},
    {"scale", OPTION_CHOICE, offsetof(RopeLearnedOptions, scale), "none", 0, 0, "none|trained", "HOW",
     "trained: each head weighs each pair's share of a score, by 1 at the start"},
    {0},
};

static bool by_head(const Position *pos) {
    return scheme_options(pos, RopeLearnedOptions)->heads;
}

static bool has_scales(const Position *pos) {
    return scheme_options(pos, RopeLearnedOptions)->scale;
}

// --- frequencies ---

// theta = exp(rho): frequencies stay positive, and gradient descent changes each in proportion to itself.
static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "rho", pos->sets * rotary_heads_apart(pos), rotary_pairs(pos), INIT_ZERO, 0);
    if (has_scales(pos))
        position_param(pos, table, "scale", pos->sets * pos->shape.heads, rotary_pairs(pos), INIT_ZERO, 0);
    if (table->failed) return; // there was no memory for these tensors
    table->items[pos->tensors[RHO]].rate = scheme_options(pos, RopeLearnedOptions)->rate;
}

// Random frequencies are log-uniform over the whole range, whatever the head or pair.
static void init(Position *pos, uint64_t seed) {
    const Start start = (Start)scheme_options(pos, RopeLearnedOptions)->start;
    Random random = {position_key(pos, seed), 0};
    const int pairs = rotary_pairs(pos);
    const double slowest = start == START_WIDE ? -log(rotary_of(pos)->base) : log(rotary_theta(pos, 0, 0, pairs - 1));
    for (int n = 0; n < pos->sets * rotary_heads_apart(pos) * pairs; n++) {
        const double designed = log(rotary_theta(pos, 0, 0, n % pairs)), drawn = slowest * random_next(&random);
        pos->params[RHO][n] = (real)(start == START_ROPE ? designed : drawn);
    }
}

static size_t number_of(const Position *pos, int set, int head, int pair) {
    const int heads = rotary_heads_apart(pos);
    return (size_t)(set * heads + head / (pos->shape.heads / heads)) * rotary_pairs(pos) + pair;
}

static double theta(const Position *pos, int set, int head, int pair) {
    return exp((double)pos->params[RHO][number_of(pos, set, head, pair)]);
}

// theta = exp(rho), so drho = theta dtheta.
static void theta_backward(const Position *pos, int set, int head, const real *dtheta) {
    for (int i = 0; i < rotary_pairs(pos); i++)
        pos->dparams[RHO][number_of(pos, set, head, i)] += (real)theta(pos, set, head, i) * dtheta[i];
}

// --- scales: how much each pair counts in the scores of a head, S_ij = the sum over pairs of e^a q_i . k_j ---
//
// Queries are multiplied by them, after the rotation, so that heads can share keys.

static void layout(Tables *tables, Arena *arena, bool training) {
    const Shape *shape = &tables->pos->shape;
    rotation_family.layout(tables, arena, training);
    if (has_scales(tables->pos))
        tables->table[SCALES] = arena_reals(arena, (size_t)tables->pos->sets * shape->heads * head_width(shape));
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), pairs = d / 2;
    const bool half = rotary_of(pos)->pairing == PAIRING_HALF;
    rotation_family.prepare(tables);
    for (int head = 0; has_scales(pos) && head < pos->sets * pos->shape.heads; head++)
        for (int c = 0; c < d; c++) {
            const int i = half ? c % pairs : c / 2;
            tables->table[SCALES][head * d + c] = (real)exp((double)pos->params[A][head * pairs + i]);
        }
}

// x (rows, H*d), queries of a layer or their gradients, in place.
static void multiply(const Tables *tables, int layer, real *x, int stride, int rows) {
    const Position *pos = tables->pos;
    const int channels = pos->shape.heads * head_width(&pos->shape);
    const Share own = share_rows(rows);
    const real *scale = tables->table[SCALES] + (size_t)position_set(pos, layer) * channels;
    for (int r = own.begin; r < own.end; r++)
        for (int c = 0; c < channels; c++) x[(size_t)r * stride + c] *= scale[c];
}

static void qk_forward(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    rotation_family.qk_forward(tables, layer, q, k, stride, at, rows);
    if (has_scales(tables->pos)) multiply(tables, layer, q, stride, rows);
}

// Forward was y0 = e^a x0 and y1 = e^a x1 for the channels x of each pair, so da = dy0 y0 + dy1 y1. One thread adds up
// each head, in order. Ends in a barrier.
static void scales_backward(const Tables *tables, int layer, const real *dq, const real *q, int stride, int rows) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, d = head_width(&pos->shape), pairs = d / 2;
    const bool half = rotary_of(pos)->pairing == PAIRING_HALF;
#pragma omp for
    for (int h = 0; h < H; h++) {
        real *da = pos->dparams[A] + ((size_t)position_set(pos, layer) * H + h) * pairs;
        for (int r = 0; r < rows; r++) {
            const real *y = q + (size_t)r * stride + (size_t)h * d, *dy = dq + (size_t)r * stride + (size_t)h * d;
            for (int i = 0; i < pairs; i++) {
                const int c0 = half ? i : 2 * i, c1 = half ? i + pairs : 2 * i + 1;
                da[i] += dy[c0] * y[c0] + dy[c1] * y[c1];
            }
        }
    }
}

// Both channels of a pair have the same scale, so that dq = e^a R(-t theta) dq'.
static void qk_backward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const Place *at, int rows) {
    const bool scaled = has_scales(tables->pos);
    if (scaled) scales_backward(tables, layer, dq, q, stride, rows);
    rotation_family.qk_backward(tables, layer, dq, dk, q, k, stride, at, rows);
    if (scaled) multiply(tables, layer, dq, stride, rows);
}

static const Family family = {
    .layout = layout,
    .prepare = prepare,
    .rounds = "angles, and then their cosines and sines",
    .qk_forward = qk_forward,
    .qk_backward = qk_backward,
    .layer_backward = dtheta_layer_backward,
};

// Scales cost each pair of a query two products forward and two backward, and their gradients two products and two
// sums.
static double operations(const Position *pos, int T) {
    return rotary_operations(pos, T) + (has_scales(pos) ? 8 : 0) * all_heads(pos) * rotary_pairs(pos);
}

const Scheme scheme_rope_learned = {
    .name = "rope-learned",
    .formula = "q_t, k_t: pair i of head h turned by t exp(rho_hi), rho trained",
    .paper = "after Heo et al. 2024 (2403.13298), RoPE-Mixed",
    .help = "RoPE with its own frequencies for each layer, head and pair, found by gradient descent from RoPE's "
            "frequencies or from random ones. The gradient of an angle is a torque, and costs two products per pair. "
            "With --kv-heads, heads that share a key share its frequencies. scale=trained weighs pair i of head h by "
            "exp(a_hi) in the score, a trained from 0; gates weigh the angles alone.",
    .options = rope_learned_options,
    .family = &family,
    .operations = operations,
    ROTATION_RECIPE(.theta = theta, .theta_backward = theta_backward, .by_head = by_head),
    .params = params,
    .init = init,
};
