#include "posenc/bias/bias.h"

#include "model/base/team.h"

#include <assert.h>
#include <limits.h>

// Entry e of a curve is the bias at distance positions-1 - e: the query at m and the key at n use entry
// n + positions-1 - m, so a row reads its curve from left to right. The entries of later keys (n > m) are 0; the causal
// mask removes their scores in any case.
static real *curve_of(const Tables *tables, int set, int head) {
    return tables->bias.curves + ((size_t)set * tables->pos->shape.heads + head) * 2 * tables->positions;
}

static real *slab_of(const Tables *tables, int sequence, int head) {
    return tables->bias.slabs + ((size_t)sequence * tables->pos->shape.heads + head) * tables->positions;
}

void bias_layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    const Scheme *scheme = pos->scheme;
    const bool trained = scheme->score_backward != NULL;
    assert(scheme->curve && "CURVE_HOOKS: the scheme has no .curve");
    assert((scheme->curve != lookup_curve || scheme->bucket) && "LOOKUP_HOOKS: the scheme has no .bucket");
    assert((!trained || scheme->params) && "TRAINED_CURVE_HOOKS: the scheme has no .params");
    assert((!trained || scheme->curve_backward) && "TRAINED_CURVE_HOOKS: the scheme has no .curve_backward");
    const size_t heads = (size_t)pos->shape.heads, P = (size_t)tables->positions;
    tables->bias.curves = arena_reals(arena, pos->sets * heads * 2 * P);
    if (!training || !scheme->params) return;
    tables->bias.dcurves = arena_reals(arena, pos->sets * heads * P);
    tables->bias.slabs = arena_reals(arena, tables->batch * heads * P);
}

void bias_prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, P = tables->positions;
    for (int set = 0; set < pos->sets; set++)
        for (int h = 0; h < H; h++)
#pragma omp parallel for
            for (int distance = 0; distance < P; distance++)
                curve_of(tables, set, h)[P - 1 - distance] = (real)pos->scheme->curve(pos, set, h, distance);
}

void bias_forward(const Tables *tables, const ScoreBlock *block) {
    const real *curve = curve_of(tables, position_set(tables->pos, block->layer), block->head);
    const bool consecutive = block_consecutive(block);
    for (int i = 0; i < block->rows; i++) {
        real *S_i = block->S + (size_t)i * block->stride;
        const real *curve_i = curve + tables->positions - 1 - block->query_at[i].t;
        if (consecutive) {
            curve_i += block->key_at[0].t;
            for (int j = 0; j < block->columns; j++) S_i[j] += curve_i[j];
        } else {
            for (int j = 0; j < block->columns; j++) S_i[j] += curve_i[block->key_at[j].t];
        }
    }
}

void bias_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
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

void bias_score_reduce(const Tables *tables, int layer) {
    const Position *pos = tables->pos;
    const int curves = pos->shape.heads * tables->positions;
    slabs_reduce(tables->bias.dcurves + (size_t)position_set(pos, layer) * curves, tables->bias.slabs, tables->batch,
                 curves);
}

double bias_gradient(const Tables *tables, int set, int head, int distance) {
    const size_t curve = (size_t)set * tables->pos->shape.heads + head;
    return (double)tables->bias.dcurves[curve * tables->positions + tables->positions - 1 - distance];
}

void bias_reduce(Tables *tables) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads;
    for (int set = 0; set < pos->sets; set++)
        for (int h = 0; h < H; h++) pos->scheme->curve_backward(tables, set, h);
    memset(tables->bias.dcurves, 0, (size_t)pos->sets * H * tables->positions * sizeof(real));
}

double bias_operations(const Position *pos, int T) {
    return (pos->scheme->score_backward ? 2 : 1) * all_heads(pos) * keys_seen(pos, T);
}

// The index of the number for this distance in params[0] (sets * H, buckets).
static size_t number_of(const Position *pos, int set, int head, int distance) {
    const size_t buckets = (size_t)pos->scheme->bucket(pos, INT_MAX) + 1;
    return ((size_t)set * pos->shape.heads + head) * buckets + (size_t)pos->scheme->bucket(pos, distance);
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
