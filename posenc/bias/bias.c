#include "posenc/bias/bias.h"
#include "posenc/slabs.h"

// Curves and gradients are stored by falling distance, positions-1 .. 0, because the keys of a row come that way: then
// the key at n reads entry n + positions-1 - m for the query at m. A curve goes on with zeros for keys that are still
// to come, which the causal mask takes away.
static real *curve_of(const Position *pos, int set, int head) {
    return pos->bias.curves + ((size_t)set * pos->shape.heads + head) * 2 * pos->positions;
}

static real *slab_of(const Position *pos, int sequence, int head) {
    return pos->bias.slabs + ((size_t)sequence * pos->shape.heads + head) * pos->positions;
}

void bias_layout(Position *pos, Arena *arena, bool training) {
    const size_t heads = (size_t)pos->shape.heads, P = (size_t)pos->positions;
    pos->bias.curves = arena_reals(arena, pos->sets * heads * 2 * P);
    if (!training || !pos->scheme->params) return;
    pos->bias.dcurves = arena_reals(arena, pos->sets * heads * P);
    pos->bias.slabs = arena_reals(arena, pos->batch * heads * P);
}

void bias_prepare(Position *pos, double (*curve)(const Position *pos, int set, int head, int distance)) {
    const int H = pos->shape.heads, P = pos->positions;
    for (int set = 0; set < pos->sets; set++)
        for (int h = 0; h < H; h++)
#pragma omp parallel for
            for (int distance = 0; distance < P; distance++)
                curve_of(pos, set, h)[P - 1 - distance] = (real)curve(pos, set, h, distance);
}

// Do the keys follow each other without gaps? Then a row reads its curve in one piece.
static bool is_run(const ScoreBlock *block) {
    return block->key_at[block->columns - 1].t - block->key_at[0].t == block->columns - 1;
}

void bias_forward(const Position *pos, const ScoreBlock *block) {
    const real *curve = curve_of(pos, position_set(pos, block->layer), block->head);
    const bool run = is_run(block);
    for (int i = 0; i < block->rows; i++) {
        real *S_i = block->S + (size_t)i * block->stride;
        const real *from = curve + pos->positions - 1 - block->query_at[i].t;
        if (run) {
            from += block->key_at[0].t;
            for (int j = 0; j < block->columns; j++) S_i[j] += from[j];
        } else {
            for (int j = 0; j < block->columns; j++) S_i[j] += from[block->key_at[j].t];
        }
    }
}

void bias_backward(const Position *pos, const ScoreBlock *block, const ScoreGradient *grad) {
    real *slab = slab_of(pos, block->sequence, block->head);
    const bool run = is_run(block);
    for (int i = 0; i < block->rows; i++) {
        const real *dS_i = grad->dS + (size_t)i * block->stride;
        const int start = pos->positions - 1 - block->query_at[i].t, seen = block->columns - block->rows + i + 1;
        if (run) {
            real *to = slab + start + block->key_at[0].t;
            for (int j = 0; j < seen; j++) to[j] += dS_i[j];
        } else {
            for (int j = 0; j < seen; j++) slab[start + block->key_at[j].t] += dS_i[j];
        }
    }
}

void bias_reduce(const Position *pos, int layer) {
    const int curves = pos->shape.heads * pos->positions;
    slabs_reduce(pos->bias.dcurves + (size_t)position_set(pos, layer) * curves, pos->bias.slabs, pos->batch, curves);
}

double bias_gradient(const Position *pos, int set, int head, int distance) {
    const size_t curve = (size_t)set * pos->shape.heads + head;
    return (double)pos->bias.dcurves[curve * pos->positions + pos->positions - 1 - distance];
}

void bias_forget(Position *pos) {
    memset(pos->bias.dcurves, 0, (size_t)pos->sets * pos->shape.heads * pos->positions * sizeof(real));
}

double alibi_slope(int head, int heads) {
    int power = 1;
    while (2 * power <= heads) power *= 2;
    // Heads past the power take every other slope of the next power of two.
    const double exponent = head < power ? 8.0 * (head + 1) / power : 8.0 * (2 * (head - power) + 1) / (2 * power);
    return exp2(-exponent);
}
