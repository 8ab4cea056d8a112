// FIRE: a small network computes the bias. Its input is the distance divided by the longest distance that the query can
// have, both on a logarithmic scale, so it is always between 0 and 1, however long the text is.
#include "posenc/scheme.h"

#include "base/random.h"

// params, with W hidden units
enum {
    W1,  // (sets, W)
    B1,  // (sets, W)
    W2,  // (sets, H, W)
    B2,  // (sets, H)
    C,   // (sets) the c of psi(x) = ln(|c| x + 1)
    MULT // (sets) the threshold L is |mult * option threshold|
};
// Tables (sets, positions): psi of each distance, and its derivative with respect to c. Entry e is of distance
// positions-1 - e, so that a row reads them from left to right.
enum { PSI, PSI_BY_C };
enum { SLABS }; // dtables, of the layer at work (B, H, 3W + 3): a Network of gradients

#define EPSILON      1e-6 // added to the denominator, as in the authors' code
#define IN_REGISTERS 32   // sums that stay in registers: of keys, or in backward of hidden units

typedef struct {
    long long width;
    double threshold;
    int layers;
} FireOptions;

static const Option fire_options[] = {
    {"width", OPTION_INTEGER, offsetof(FireOptions, width), "32", 1, 1024, NULL, "W", "hidden units of the network"},
    {"threshold", OPTION_NUMBER, offsetof(FireOptions, threshold), "512", 1, 1e9, NULL, "L",
     "initial value of the trained L: queries before L divide by psi(L), later ones by psi of their own position"},
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

// The network's weights start as in PyTorch: uniform within 1/sqrt(inputs) of 0.
static void init(Position *pos, uint64_t seed) {
    Random random = {position_key(pos, seed), 0};
    const int W = hidden(pos), H = pos->shape.heads;
    uniform(pos->params[W1], pos->sets * W, 1, &random);
    uniform(pos->params[B1], pos->sets * W, 1, &random);
    uniform(pos->params[W2], pos->sets * H * W, 1 / sqrt(W), &random);
    uniform(pos->params[B2], pos->sets * H, 1 / sqrt(W), &random);
    for (int set = 0; set < pos->sets; set++) pos->params[C][set] = (real)0.1;
}

// What one head uses of a set of parameters, or of their gradients.
typedef struct {
    real *w1, *b1, *w2, *b2, *c, *mult; // (W), (W), (W), one, one, one
} Network;

// w2 and b2 belong to a head, the rest is shared by all heads.
static Network network_of(const Position *pos, real *const *params, int set, int head) {
    const int W = hidden(pos), h = set * pos->shape.heads + head;
    return (Network){params[W1] + set * W, params[B1] + set * W, params[W2] + (size_t)h * W,
                     params[B2] + h,       params[C] + set,      params[MULT] + set};
}

static size_t slab_size(const Position *pos) {
    return 3 * (size_t)hidden(pos) + 3;
}

// Slab n = sequence * H + head: the sum of that sequence's gradients, for that head.
static Network slab_of(const Tables *tables, int n) {
    const int W = hidden(tables->pos);
    real *w1 = tables->dtable[SLABS] + n * slab_size(tables->pos), *b2 = w1 + 3 * W;
    return (Network){w1, w1 + W, w1 + 2 * W, b2, b2 + 1, b2 + 2};
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    tables->table[PSI] = arena_reals(arena, (size_t)pos->sets * tables->positions);
    tables->table[PSI_BY_C] = arena_reals(arena, (size_t)pos->sets * tables->positions);
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
    const int P = tables->positions;
    for (int set = 0; set < pos->sets; set++)
#pragma omp parallel for
        for (int distance = 0; distance < P; distance++) {
            const size_t entry = (size_t)set * P + P - 1 - distance;
            tables->table[PSI][entry] = (real)psi((double)pos->params[C][set], distance);
            tables->table[PSI_BY_C][entry] = (real)psi_by_c((double)pos->params[C][set], distance);
        }
    round_all(tables->table[PSI], (size_t)pos->sets * P, pos->held_as);
}

// What psi(distance) is divided by in one row.
typedef struct {
    double reach;        // max(position, threshold)
    double denominator;  // psi(reach) + EPSILON
    double by_threshold; // d reach / d threshold; 1/2 where position and threshold are equal, as in PyTorch
} Reach;

static Reach reach_of(const Position *pos, int set, int position) {
    const double threshold = fabs((double)pos->params[MULT][set] * scheme_options(pos, FireOptions)->threshold);
    const double reach = fmax(position, threshold);
    const double by_threshold = 0.5 * ((threshold > position) + (threshold >= position));
    return (Reach){reach, psi((double)pos->params[C][set], reach) + EPSILON, by_threshold};
}

// out_j = scale * table[i - j] for the keys that a query sees, and zeros up to a multiple of IN_REGISTERS.
static void look_up(real *out, const Tables *tables, int table, real scale, const ScoreBlock *block, int row) {
    const int seen = block_seen(block, row), start = tables->positions - 1 - block->query_at[row].t;
    const real *values = tables->table[table] + (size_t)position_set(tables->pos, block->layer) * tables->positions;
    if (block_consecutive(block)) {
        values += start + block->key_at[0].t;
        for (int j = 0; j < seen; j++) out[j] = scale * values[j];
    } else {
        for (int j = 0; j < seen; j++) out[j] = scale * values[start + block->key_at[j].t];
    }
    for (int j = seen; j % IN_REGISTERS; j++) out[j] = 0;
}

// Two rows of numbers, one for each key.
static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    return 2 * ((size_t)columns + IN_REGISTERS);
}

// The biases of IN_REGISTERS keys: w2 . relu(w1 ratio + b1) + b2. bias may be ratio.
static void network_forward(real *bias, const real *ratio, Network f, int W) {
    real sum[IN_REGISTERS];
    for (int j = 0; j < IN_REGISTERS; j++) sum[j] = *f.b2;
    for (int n = 0; n < W; n++)
        for (int j = 0; j < IN_REGISTERS; j++) {
            const real unit = f.w1[n] * ratio[j] + f.b1[n];
            sum[j] += f.w2[n] * (unit > 0 ? unit : 0);
        }
    memcpy(bias, sum, sizeof sum);
}

// S_ij += the network's output for ratio_ij = psi(i - j) / psi(reach of i)
static void score_forward(const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const int set = position_set(pos, block->layer);
    const Network f = network_of(pos, pos->params, set, block->head);
    real *ratio = block->scratch;
    for (int i = 0; i < block->rows; i++) {
        const int seen = block_seen(block, i);
        real *S_i = block->S + (size_t)i * block->stride;
        look_up(ratio, tables, PSI, (real)(1 / reach_of(pos, set, block->query_at[i].t).denominator), block, i);
        for (int j = 0; j < seen; j += IN_REGISTERS) network_forward(ratio + j, ratio + j, f, hidden(pos));
        for (int j = 0; j < seen; j++) S_i[j] += ratio[j];
    }
}

// One row. With unit = w1 ratio + b1 and a = relu(unit), forward was S += w2 . a + b2. So db2 = sum dS, dw2 = sum dS a;
// where unit > 0, dunit = dS w2, and dw1 = sum dunit ratio, db1 = sum dunit, dratio = sum over units of dunit w1. All
// this follows from three sums for each unit over the keys where it is > 0: of dS, of dS ratio (sum_r) and of dS
// ratio_by_c (sum_c). These sums also give by_ratio = sum of dratio ratio over all keys = sum of w1 w2 sum_r over all
// units, and by_c = sum of dratio ratio_by_c = sum of w1 w2 sum_c.
static void network_backward(Network d, double *by_ratio, double *by_c, const real *dS, const real *ratio,
                             const real *ratio_by_c, Network f, int W, int seen) {
    real db2 = 0;
#pragma omp simd reduction(+ : db2)
    for (int j = 0; j < seen; j++) db2 += dS[j];
    *d.b2 += db2;
    for (int first = 0; first < W; first += IN_REGISTERS) {
        const int units = W - first < IN_REGISTERS ? W - first : IN_REGISTERS;
        real w1[IN_REGISTERS] = {0}, b1[IN_REGISTERS] = {0}, sum[IN_REGISTERS] = {0}, sum_r[IN_REGISTERS] = {0},
             sum_c[IN_REGISTERS] = {0};
        memcpy(w1, f.w1 + first, (size_t)units * sizeof(real));
        memcpy(b1, f.b1 + first, (size_t)units * sizeof(real));
        for (int j = 0; j < seen; j++) {
            const real dS_j = dS[j], r = ratio[j], r_c = ratio_by_c[j];
            for (int n = 0; n < IN_REGISTERS; n++) {
                const real passed = w1[n] * r + b1[n] > 0 ? dS_j : 0;
                sum[n] += passed;
                sum_r[n] += passed * r;
                sum_c[n] += passed * r_c;
            }
        }
        for (int n = 0; n < units; n++) {
            const real w2 = f.w2[first + n];
            d.w1[first + n] += w2 * sum_r[n];
            d.b1[first + n] += w2 * sum[n];
            d.w2[first + n] += w1[n] * sum_r[n] + b1[n] * sum[n];
            *by_ratio += (double)(w1[n] * w2 * sum_r[n]);
            *by_c += (double)(w1[n] * w2 * sum_c[n]);
        }
    }
}

// One row. Forward was ratio = psi(distance) / denominator, denominator = psi(reach) + EPSILON: c is in numerator and
// denominator, mult only in the denominator, and only where the threshold is the reach. by_ratio and by_c are the sums
// over keys of dratio times ratio, and of dratio times dpsi(distance)/dc / denominator.
static void ratios_backward(Network d, double by_ratio, double by_c, Reach reach, const Position *pos, int set) {
    const double c = (double)pos->params[C][set], ddenominator = -by_ratio / reach.denominator;
    *d.c += (real)(by_c + ddenominator * psi_by_c(c, reach.reach));
    *d.mult += (real)(reach.by_threshold * ddenominator * fabs(c) / (1 + fabs(c) * reach.reach) *
                      copysign(scheme_options(pos, FireOptions)->threshold, (double)pos->params[MULT][set]));
}

static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    const Position *pos = tables->pos;
    const int set = position_set(pos, block->layer);
    const Network f = network_of(pos, pos->params, set, block->head);
    const Network d = slab_of(tables, block->sequence * pos->shape.heads + block->head);
    real *ratio = block->scratch, *ratio_by_c = ratio + block->columns + IN_REGISTERS;
    for (int i = 0; i < block->rows; i++) {
        const Reach reach = reach_of(pos, set, block->query_at[i].t);
        const real scale = (real)(1 / reach.denominator);
        double by_ratio = 0, by_c = 0;
        look_up(ratio, tables, PSI, scale, block, i);
        look_up(ratio_by_c, tables, PSI_BY_C, scale, block, i);
        network_backward(d, &by_ratio, &by_c, grad->dS + (size_t)i * block->stride, ratio, ratio_by_c, f, hidden(pos),
                         block_seen(block, i));
        ratios_backward(d, by_ratio, by_c, reach, pos, set);
    }
}

// With W hidden units, for each key that a query sees: 5 W + 2 forward (ratio; product, sum, relu, product and sum of a
// unit; score), 5 W + 2 backward (the other ratio; three sums and two products of a unit; db2). And for each query 14
// products and sums a unit, after the loop over keys.
static double operations(const Position *pos, int T) {
    return all_heads(pos) * (keys_seen(pos, T) * (10 * hidden(pos) + 4) + 14 * hidden(pos));
}

static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
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

static const Family family = {
    .layout = layout,
    .prepare = prepare,
    .rounds = "psi(i - j), not what it is divided by, nor the network's output",
    .score_forward = score_forward,
    .score_backward = score_backward,
    .layer_backward = layer_backward,
};

const Scheme scheme_fire = {
    .name = "fire",
    .formula = "S_ij += f(psi(i - j) / psi(max(i, L))), psi(x) = ln(|c| x + 1), f a network 1-W-H; all trained",
    .paper = "Li et al. 2023 (2310.04418)",
    .help = "The network's input is not the distance but its fraction of the longest distance that the query can have, "
            "on a logarithmic scale, so that no input is ever outside the range it was trained on. It can become a "
            "line, a logarithm or a step function.",
    .options = fire_options,
    .enters = ENTERS_BIAS,
    .has_corners = true,
    .operations = operations,
    .params = params,
    .init = init,
    .score_scratch = score_scratch,
    .family = &family,
};
