// Rotations whose angles are weighed by trained gates: in layer l by g_l t theta. Each layer has tables of its own.
#include "posenc/gate.h"
#include "posenc/rotation/rotate.h"

#include "model/base/team.h"

// Numbers of a layer's table of cosines, or of sines.
static size_t angles(const Tables *tables) {
    return (size_t)tables->positions * rotary_pairs(tables->pos);
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    const size_t pairs = (size_t)rotary_pairs(pos), L = (size_t)pos->shape.layers;
    tables->gate.cosine = arena_reals(arena, L * angles(tables));
    tables->gate.sine = arena_reals(arena, L * angles(tables));
    if (!training) return;
    tables->gate.slabs = arena_reals(arena, (size_t)tables->batch * pos->shape.heads * pairs);
    tables->gate.sums = arena_reals(arena, L * pairs);
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    for (int l = 0; l < pos->shape.layers; l++)
        rotary_fill(tables->gate.cosine + l * angles(tables), tables->gate.sine + l * angles(tables), tables,
                    (double)gates_of(pos)[l]);
}

// The tables as the scheme knows them, with the angles of this layer.
static Tables layer_tables(const Tables *tables, int layer) {
    Tables own = *tables;
    own.rotary.cosine = tables->gate.cosine + layer * angles(tables);
    own.rotary.sine = tables->gate.sine + layer * angles(tables);
    return own;
}

static void qk_forward(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    const Tables own = layer_tables(tables, layer);
    tables->pos->scheme->qk_forward(&own, layer, q, k, stride, at, rows);
}

// Nothing would train the gates of layers without rotations.
static const char *complaint(const Position *pos) {
    for (int l = 0; l < pos->shape.layers; l++)
        if (rotary_skips(pos, l))
            return "skip leaves out layers, whose gates nothing would train; name the layers instead, as in "
                   "'rope:gate=trained*3,none'";
    return NULL;
}

// Forward turned by t (g theta), so d(g theta) of a pair is t times the torque, summed over tokens and heads.
static void qk_backward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const Place *at, int rows) {
    const Position *pos = tables->pos;
    const Tables own = layer_tables(tables, layer);
    const int pairs = rotary_pairs(pos);
    real *slabs = tables->gate.slabs;
    rotary_torque(slabs, tables, dq, q, false, stride, at, rows, 0);
    rotary_torque(slabs, tables, dk, k, true, stride, at, rows, 0);
    slabs_reduce(tables->gate.sums + (size_t)layer * pairs, slabs, tables->batch * pos->shape.heads, pairs);
    pos->scheme->qk_backward(&own, layer, dq, dk, q, k, stride, at, rows);
}

// And dg is the sum of theta d(g theta) over the pairs.
static void reduce(Tables *tables) {
    const Position *pos = tables->pos;
    const int pairs = rotary_pairs(pos);
    for (int l = 0; l < pos->shape.layers; l++) {
        real *sums = tables->gate.sums + (size_t)l * pairs;
        double dg = 0;
        for (int i = 0; i < pairs; i++) dg += pos->scheme->theta(pos, i) * (double)sums[i];
        dgates_of(pos)[l] += (real)dg;
        memset(sums, 0, (size_t)pairs * sizeof(real));
    }
}

// The torque: see add_torque of rotate.c.
static double operations(const Position *pos, int T) {
    return 5 * rotary_all_pairs(pos);
}

const Gated rotary_gated = {
    .layout = layout,
    .prepare = prepare,
    .reduce = reduce,
    .operations = operations,
    .complaint = complaint,
    .qk_forward = qk_forward,
    .qk_backward = qk_backward,
};
