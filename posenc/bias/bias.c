#include "posenc/bias/bias.h"

#include "num/team.h"

#include <assert.h>
#include <limits.h>

enum { CURVES }; // tables (sets, H, 2 positions)
enum {
    DCURVES,
    SLABS
}; // dtables: (sets, or layers with gates, H, positions), and of the layer at work (B, H, positions)

// Entry e of a curve is the bias at distance positions-1 - e: the query at m and the key at n use entry
// n + positions-1 - m, so a row reads its curve from left to right. The entries of later keys (n > m) are 0; the causal
// mask removes their scores in any case.
static real *table_of(const Tables *tables, int set, int head) {
    return tables->table[CURVES] + ((size_t)set * tables->pos->shape.heads + head) * 2 * tables->positions;
}

// Gates need the gradient of each layer's curves, parameters the sum of a set's layers.
static real *dcurves_of(const Tables *tables, int layer) {
    const Position *pos = tables->pos;
    const int index = pos->gated ? layer : position_set(pos, layer);
    return tables->dtable[DCURVES] + (size_t)index * pos->shape.heads * tables->positions;
}

static real *slab_of(const Tables *tables, int sequence, int head) {
    return tables->dtable[SLABS] + ((size_t)sequence * tables->pos->shape.heads + head) * tables->positions;
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    const Curve *scheme = curve_of(pos);
    assert(scheme && scheme->curve && "BIAS_SCHEME: the scheme has no .curve");
    assert((scheme->curve != lookup_curve || scheme->bucket) && "LOOKUP_SCHEME: the scheme has no .bucket");
    assert(!pos->scheme->params == !scheme->curve_backward &&
           "BIAS_SCHEME: .params and .curve_backward need each other");
    const size_t heads = (size_t)pos->shape.heads, P = (size_t)tables->positions;
    tables->table[CURVES] = arena_reals(arena, pos->sets * heads * 2 * P);
    if (!training || !position_learned(pos)) return;
    tables->dtable[DCURVES] = arena_reals(arena, (size_t)(pos->gated ? pos->shape.layers : pos->sets) * heads * P);
    tables->dtable[SLABS] = arena_reals(arena, tables->batch * heads * P);
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, P = tables->positions;
    if (tables->prepared && !position_trained(pos)) return;
    for (int set = 0; set < pos->sets; set++)
        for (int h = 0; h < H; h++)
#pragma omp parallel for
            for (int distance = 0; distance < P; distance++)
                table_of(tables, set, h)[P - 1 - distance] = (real)curve_of(pos)->curve(pos, set, h, distance);
    round_all(tables->table[CURVES], (size_t)pos->sets * H * 2 * P, pos->held_as);
}

static void score_forward(const Tables *tables, const ScoreBlock *block) {
    const real *curve = table_of(tables, position_set(tables->pos, block->layer), block->head);
    const real gate = gate_of(tables->pos, block->layer);
    const bool consecutive = block_consecutive(block);
    for (int i = 0; i < block->rows; i++) {
        real *S_i = block->S + (size_t)i * block->stride;
        const real *curve_i = curve + tables->positions - 1 - block->query_at[i].t;
        if (consecutive) {
            curve_i += block->key_at[0].t;
            for (int j = 0; j < block->columns; j++) S_i[j] += gate * curve_i[j];
        } else {
            for (int j = 0; j < block->columns; j++) S_i[j] += gate * curve_i[block->key_at[j].t];
        }
    }
}

// The gradient takes three steps: score_backward adds dS_ij to entry i - j of the slab of its sequence and head;
// layer_backward adds the slabs of all sequences to dcurves, and, after the last layer, turns these into the gradients
// of parameters.
static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    if (!tables->dtable[SLABS]) return; // nothing is trained: dS goes on unchanged to q and k
    real *slab = slab_of(tables, block->sequence, block->head);
    const bool consecutive = block_consecutive(block);
    for (int i = 0; i < block->rows; i++) {
        const real *dS_i = grad->dS + (size_t)i * block->stride;
        const int start = tables->positions - 1 - block->query_at[i].t, seen = block_seen(block, i);
        if (consecutive) {
            real *slab_i = slab + start + block->key_at[0].t;
            for (int j = 0; j < seen; j++) slab_i[j] += dS_i[j];
        } else {
            for (int j = 0; j < seen; j++) slab[start + block->key_at[j].t] += dS_i[j];
        }
    }
}

// Forward added g_l curve in layer l. So dg_l = dcurve_l . curve, and dcurve = the sum of g_l dcurve_l, which is left
// in the place of the first layer that has this set.
static void gates_backward(const Tables *tables) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, P = tables->positions;
    for (int layer = 0; layer < pos->shape.layers; layer++) {
        const int set = position_set(pos, layer);
        real *dcurve = dcurves_of(tables, layer), *sum = dcurves_of(tables, set);
        double dgate = 0;
        for (int h = 0; h < H; h++)
            for (int e = 0; e < P; e++) {
                const size_t n = (size_t)h * P + e;
                dgate += (double)(dcurve[n] * table_of(tables, set, h)[e]);
                sum[n] = (sum == dcurve ? 0 : sum[n]) + gate_of(pos, layer) * dcurve[n];
            }
        *dgate_of(pos, layer) += (real)dgate;
    }
}

static void dcurves_backward(const Tables *tables) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads;
    if (pos->gated) gates_backward(tables);
    for (int set = 0; position_trained(pos) && set < pos->sets; set++)
        for (int h = 0; h < H; h++) curve_of(pos)->curve_backward(tables, set, h);
    const size_t kept = (size_t)(pos->gated ? pos->shape.layers : pos->sets);
    memset(tables->dtable[DCURVES], 0, kept * H * tables->positions * sizeof(real));
}

static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    const int curves = tables->pos->shape.heads * tables->positions;
    if (!tables->dtable[SLABS]) return;
    slabs_reduce(dcurves_of(tables, layer), tables->dtable[SLABS], tables->batch, curves);
    if (layer > 0) return;
    team_barrier();
#pragma omp single
    dcurves_backward(tables);
}

const Family bias_family = {
    .layout = layout,
    .prepare = prepare,
    .rounds = "biases",
    .score_forward = score_forward,
    .score_backward = score_backward,
    .layer_backward = layer_backward,
};

// The gradients of the sets lie at the front of dcurves, where gates_backward has left them.
double bias_gradient(const Tables *tables, int set, int head, int distance) {
    const size_t curve = (size_t)set * tables->pos->shape.heads + head;
    return (double)tables->dtable[DCURVES][curve * tables->positions + tables->positions - 1 - distance];
}

double bias_operations(const Position *pos, int T) {
    return (1 + position_learned(pos) + pos->gated) * all_heads(pos) * keys_seen(pos, T);
}

// The index of the number for this distance in params[0] (sets * H, buckets).
static size_t number_of(const Position *pos, int set, int head, int distance) {
    const size_t buckets = (size_t)curve_of(pos)->bucket(pos, INT_MAX) + 1;
    return ((size_t)set * pos->shape.heads + head) * buckets + (size_t)curve_of(pos)->bucket(pos, distance);
}

double lookup_curve(const Position *pos, int set, int head, int distance) {
    return (double)pos->params[0][number_of(pos, set, head, distance)];
}

// Forward was S_ij += beta[bucket(i - j)], so dbeta = the sum of dS_ij over all pairs whose distance is in the bucket.
void lookup_backward(const Tables *tables, int set, int head) {
    const Position *pos = tables->pos;
    for (int distance = 0; distance < tables->positions; distance++)
        pos->dparams[0][number_of(pos, set, head, distance)] += (real)bias_gradient(tables, set, head, distance);
}

double alibi_slope(int head, int heads) {
    int power = 1;
    while (2 * power <= heads) power *= 2;
    // Heads past the power take every other slope of the next power of two.
    const double exponent = head < power ? 8.0 * (head + 1) / power : 8.0 * (2 * (head - power) + 1) / (2 * power);
    return exp2(-exponent);
}
