// FIRE: a little network decides the bias, and what it is shown is the distance as a share of how far back the query
// can look, on a logarithmic scale: always between 0 and 1, however long the text.
#include "posenc/posenc.h"

#include "base/random.h"

enum { W1, B1, W2, B2, SLOPE, MULT }; // params, by sets: (W), (W), (H, W), (H), one, one; W hidden units
enum { PSI };                         // tables (sets, positions)
enum { SLABS };                       // dtables, of the layer at work (B, H, 3W + 3): a Network of gradients

#define EPSILON 1e-6

typedef struct {
    long long width;
    double threshold;
    int layers;
} FireOptions;

static const Option fire_options[] = {
    {"width", OPTION_INTEGER, offsetof(FireOptions, width), "32", 1, 1024, NULL, "W", "hidden units of the network"},
    {"threshold", OPTION_NUMBER, offsetof(FireOptions, threshold), "512", 1, 1e9, NULL, "L",
     "initial value of a trained position: for queries before it, distances are fractions of it"},
    LAYERS_OPTION_ROW(FireOptions, "own"),
    {0},
};

static int hidden(const Position *pos) {
    return (int)scheme_options(pos, FireOptions)->width;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "w1", pos->sets, hidden(pos), INIT_ZERO, 0);
    position_param(pos, table, "b1", pos->sets, hidden(pos), INIT_ZERO, 0);
    position_param(pos, table, "w2", pos->sets * pos->shape.heads, hidden(pos), INIT_ZERO, 0);
    position_param(pos, table, "b2", pos->sets, pos->shape.heads, INIT_ZERO, 0);
    position_param(pos, table, "c", pos->sets, 1, INIT_ZERO, 0);
    position_param(pos, table, "mult", pos->sets, 1, INIT_ONE, 0);
}

static void uniform(real *values, int count, double most, Random *random) {
    for (int n = 0; n < count; n++) values[n] = (real)(most * (2 * random_next(random) - 1));
}

// Layers start as PyTorch's do, within 1/sqrt(inputs) of 0.
static void init(Position *pos, uint64_t seed) {
    Random random = {random_key(seed, "fire"), 0};
    const int W = hidden(pos), H = pos->shape.heads;
    uniform(pos->params[W1], pos->sets * W, 1, &random);
    uniform(pos->params[B1], pos->sets * W, 1, &random);
    uniform(pos->params[W2], pos->sets * H * W, 1 / sqrt(W), &random);
    uniform(pos->params[B2], pos->sets * H, 1 / sqrt(W), &random);
    for (int set = 0; set < pos->sets; set++) pos->params[SLOPE][set] = (real)0.1;
}

// What one head uses of a set of parameters, or of their gradients.
typedef struct {
    real *w1, *b1, *w2, *b2, *c, *mult; // (W), (W), (W), one, one, one
} Network;

// w2 and b2 belong to a head, the rest is shared by all heads.
static Network network_of(const Position *pos, real *const *params, int set, int head) {
    const int W = hidden(pos), h = set * pos->shape.heads + head;
    return (Network){params[W1] + set * W, params[B1] + set * W, params[W2] + (size_t)h * W,
                     params[B2] + h,       params[SLOPE] + set,  params[MULT] + set};
}

static size_t slab_size(const Position *pos) {
    return 3 * (size_t)hidden(pos) + 3;
}

// Slab n = sequence * H + head, of that head's gradients by that sequence.
static Network slab_of(const Tables *tables, int n) {
    const int W = hidden(tables->pos);
    real *w1 = tables->dtable[SLABS] + n * slab_size(tables->pos), *b2 = w1 + 3 * W;
    return (Network){w1, w1 + W, w1 + 2 * W, b2, b2 + 1, b2 + 2};
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    tables->table[PSI] = arena_reals(arena, (size_t)pos->sets * tables->positions);
    if (training) tables->dtable[SLABS] = arena_reals(arena, (size_t)tables->batch * pos->shape.heads * slab_size(pos));
}

static double psi(double c, double distance) {
    return log1p(fabs(c) * distance);
}

static double psi_by_c(double c, double distance) {
    return copysign(distance / (1 + fabs(c) * distance), c);
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    for (int set = 0; set < pos->sets; set++)
#pragma omp parallel for
        for (int distance = 0; distance < tables->positions; distance++)
            tables->table[PSI][(size_t)set * tables->positions + distance] =
                (real)psi((double)pos->params[SLOPE][set], distance);
}

// What the share of a row is taken of: psi(max(position, threshold)).
typedef struct {
    double reach;        // max(position, threshold)
    double of;           // psi of it
    double by_threshold; // the maximum's derivative: where the two are equal, half, as PyTorch has it
} Reach;

static Reach reach_of(const Position *pos, int set, int position) {
    const double threshold = fabs((double)pos->params[MULT][set] * scheme_options(pos, FireOptions)->threshold);
    const double reach = fmax(position, threshold);
    const double by_threshold = 0.5 * ((threshold > position) + (threshold >= position));
    return (Reach){reach, psi((double)pos->params[SLOPE][set], reach) + EPSILON, by_threshold};
}

// share_j = psi(i - j) / psi(reach of i), for the keys that a query sees.
static void shares(real *share, const Tables *tables, const ScoreBlock *block, int set, int row, int seen) {
    const real *table = tables->table[PSI] + (size_t)set * tables->positions;
    const int here = block->query_at[row].t;
    const real scale = (real)(1 / reach_of(tables->pos, set, here).of);
    for (int j = 0; j < seen; j++) share[j] = scale * table[here - block->key_at[j].t];
}

static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    return 2 * (size_t)columns;
}

// S_ij += w2 . relu(w1 share_ij + b1) + b2
static void score_forward(const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const int set = position_set(pos, block->layer);
    const Network f = network_of(pos, pos->params, set, block->head);
    const real b2 = *f.b2;
    real *share = block->scratch;
    for (int i = 0; i < block->rows; i++) {
        const int seen = block_seen(block, i);
        real *S_i = block->S + (size_t)i * block->stride;
        shares(share, tables, block, set, i, seen);
        for (int j = 0; j < seen; j++) S_i[j] += b2;
        for (int n = 0; n < hidden(pos); n++)
            for (int j = 0; j < seen; j++) {
                const real unit = f.w1[n] * share[j] + f.b1[n];
                S_i[j] += f.w2[n] * (unit > 0 ? unit : 0);
            }
    }
}

// One row: with unit = w1 share + b1 and a = relu(unit), forward was S += w2 . a + b2. So db2 = sum dS, dw2 = sum dS a;
// where unit > 0, dunit = dS w2, and dw1 = sum dunit share, db1 = sum dunit, dshare = sum over units of dunit w1.
static void network_backward(Network d, real *dshare, const real *dS, const real *share, Network f, int W, int seen) {
    memset(dshare, 0, (size_t)seen * sizeof(real));
    for (int j = 0; j < seen; j++) *d.b2 += dS[j];
    for (int n = 0; n < W; n++) {
        real dw1 = 0, db1 = 0, dw2 = 0;
#pragma omp simd reduction(+ : dw1, db1, dw2)
        for (int j = 0; j < seen; j++) {
            const real unit = f.w1[n] * share[j] + f.b1[n];
            const real dunit = unit > 0 ? dS[j] * f.w2[n] : 0;
            dw2 += dS[j] * (unit > 0 ? unit : 0);
            dw1 += dunit * share[j];
            db1 += dunit;
            dshare[j] += dunit * f.w1[n];
        }
        d.w1[n] += dw1;
        d.b1[n] += db1;
        d.w2[n] += dw2;
    }
}

// share = psi(distance) / of, of = psi(reach) + epsilon: c is in both, mult only where the threshold is the reach.
static void shares_backward(Network d, const real *dshare, const real *share, const Position *pos,
                            const ScoreBlock *block, int set, int row, int seen) {
    const int here = block->query_at[row].t;
    const double c = (double)pos->params[SLOPE][set];
    const Reach reach = reach_of(pos, set, here);
    double dof = 0, sum = 0;
    for (int j = 0; j < seen; j++) {
        sum += (double)dshare[j] * psi_by_c(c, here - block->key_at[j].t) / reach.of;
        dof -= (double)dshare[j] * (double)share[j] / reach.of;
    }
    *d.c += (real)(sum + dof * psi_by_c(c, reach.reach));
    *d.mult += (real)(reach.by_threshold * dof * fabs(c) / (1 + fabs(c) * reach.reach) *
                      copysign(scheme_options(pos, FireOptions)->threshold, (double)pos->params[MULT][set]));
}

static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    const Position *pos = tables->pos;
    const int set = position_set(pos, block->layer);
    const Network f = network_of(pos, pos->params, set, block->head);
    const Network d = slab_of(tables, block->sequence * pos->shape.heads + block->head);
    real *share = block->scratch, *dshare = share + block->columns;
    for (int i = 0; i < block->rows; i++) {
        const int seen = block_seen(block, i);
        shares(share, tables, block, set, i, seen);
        network_backward(d, dshare, grad->dS + (size_t)i * block->stride, share, f, hidden(pos), seen);
        shares_backward(d, dshare, share, pos, block, set, i, seen);
    }
}

static void score_reduce(const Tables *tables, int layer) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads;
#pragma omp single
    for (int n = 0; n < tables->batch * H; n++) {
        const Network d = network_of(pos, pos->dparams, position_set(pos, layer), n % H), slab = slab_of(tables, n);
        for (int unit = 0; unit < hidden(pos); unit++) {
            d.w1[unit] += slab.w1[unit];
            d.b1[unit] += slab.b1[unit];
            d.w2[unit] += slab.w2[unit];
        }
        *d.b2 += *slab.b2;
        *d.c += *slab.c;
        *d.mult += *slab.mult;
        memset(slab.w1, 0, slab_size(pos) * sizeof(real));
    }
}

const Scheme scheme_fire = {
    .name = "fire",
    .formula = "S_ij += f(psi(i - j) / psi(max(i, L))), psi(x) = ln(|c| x + 1), f a network 1-W-H; all trained",
    .paper = "Li et al. 2023 (2310.04418)",
    .help = "The network's input is not the distance but its fraction of the longest distance that the query can have, "
            "on a logarithmic scale, so that no input is ever outside the range it was trained on. It can become a "
            "line, a logarithm or a step function.",
    .options = fire_options,
    .layers = &fire_options[2],
    .enters = ENTERS_BIAS,
    .compared_with = "alibi",
    .has_corners = true,
    .params = params,
    .init = init,
    .layout = layout,
    .prepare = prepare,
    .score_scratch = score_scratch,
    .score_forward = score_forward,
    .score_backward = score_backward,
    .score_reduce = score_reduce,
};
