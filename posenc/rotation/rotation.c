#include "posenc/rotation/angles.h"

#include "num/team.h"

#include <assert.h>

void rotation_fill(real *cosine, real *sine, double length, double angle) {
    double y[2];
    rope_pair_forward(y, (const double[2]){length, 0}, angle);
    *cosine = (real)y[0];
    *sine = (real)y[1];
}

// rope_pair_forward for all pairs of a head, with c and s from a table; and rope_pair_backward, which is the rotation
// by the negative angle, where `direction` is -1: cos(-phi) = cos(phi), sin(-phi) = -sin(phi). Two loops, because
// the compiler makes fast code only if the pairing is a constant.
void rotate_half(real *restrict x, const real *cosine, const real *sine, int pairs, real direction) {
    for (int i = 0; i < pairs; i++) {
        const real c = cosine[i], s = direction * sine[i], x0 = x[i], x1 = x[i + pairs];
        x[i] = x0 * c - x1 * s;
        x[i + pairs] = x0 * s + x1 * c;
    }
}

static void rotate_interleaved(real *restrict x, const real *cosine, const real *sine, int pairs, real direction) {
    for (int i = 0; i < pairs; i++) {
        const real c = cosine[i], s = direction * sine[i], x0 = x[2 * i], x1 = x[2 * i + 1];
        x[2 * i] = x0 * c - x1 * s;
        x[2 * i + 1] = x0 * s + x1 * c;
    }
}

void rotate(real *x, int stride, const Rotation *rotation, const Place *at, int rows, int direction) {
    const int pairs = rotation->turned / 2;
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const size_t angles = (size_t)place_on(&at[r], rotation->axis) * rotation->angles;
        const real *cos_r = rotation->cosine + angles, *sin_r = rotation->sine + angles;
        for (int h = 0; h < rotation->heads; h++) {
            real *x_rh = x + (size_t)r * stride + (size_t)h * rotation->head_width;
            if (rotation->pairing == PAIRING_HALF)
                rotate_half(x_rh, cos_r, sin_r, pairs, (real)direction);
            else
                rotate_interleaved(x_rh, cos_r, sin_r, pairs, (real)direction);
        }
    }
}

// --- the family ---

enum {
    COSINE,
    SINE,
    KEY_COSINE,
    KEY_SINE
}; // tables (layers, heads, positions, pairs); those of keys where they differ

static int columns_of_tables(const Position *pos) {
    return rotary_layers_apart(pos) * rotary_heads_apart(pos) * rotary_pairs(pos);
}

static int last_table(const Position *pos) {
    return angles_of(pos)->growth ? KEY_SINE : SINE;
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    assert(pos->scheme->recipe && angles_of(pos)->theta && "ROTATION_SCHEME: the scheme has no .theta");
    assert((!position_trained(pos) || angles_of(pos)->theta_backward) && "the scheme has no .theta_backward");
    for (int table = COSINE; table <= last_table(pos); table++)
        tables->table[table] = arena_reals(arena, (size_t)columns_of_tables(pos) * (size_t)tables->positions);
    if (training) dtheta_layout(tables, arena);
}

// Once, if no angle is trained.
static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const Angles *scheme = angles_of(pos);
    const int pairs = rotary_pairs(pos), columns = columns_of_tables(pos);
    if (tables->prepared && !position_learned(pos)) return;
    const double largest = pos->held_as == FORMAT_INT8 ? rotary_largest_angle(tables, columns) : 0;
#pragma omp parallel for
    for (int n = 0; n < columns; n++) {
        const int table = n / pairs, pair = n % pairs;
        const RotaryColumn column = rotary_column(tables, n);
        for (int t = 0; t < tables->positions; t++) {
            const size_t at = ((size_t)table * tables->positions + t) * pairs + pair;
            const double angle = rounded(rotary_angle(&column, t), pos->held_as, largest);
            double length = column.length;
            if (scheme->growth) {
                length = scheme->growth(pos, pair, t, tables->positions);
                tables->table[KEY_COSINE][at] = (real)(cos(angle) / length);
                tables->table[KEY_SINE][at] = (real)(sin(angle) / length);
            }
            rotation_fill(&tables->table[COSINE][at], &tables->table[SINE][at], length, angle);
        }
    }
    for (int table = COSINE; table <= last_table(pos); table++)
        round_all(tables->table[table], (size_t)columns * tables->positions, pos->held_as);
}

void rotary_turn(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), pairs = rotary_pairs(pos), apart = rotary_heads_apart(pos),
              heads = (keys ? key_heads(&pos->shape) : pos->shape.heads) / apart, kind = keys && angles_of(pos)->growth;
    Rotation rotation = {.angles = pairs, .pairing = (Pairing)rotary_of(pos)->pairing, .heads = heads, .head_width = d};
    for (int h = 0; h < apart; h++)
        for (int axis = 0; axis < rotary_axes(pos); axis++) {
            const int pair = rotary_first(pos, axis);
            const size_t table = (size_t)rotary_table(pos, layer) * apart + h,
                         first = table * tables->positions * pairs + pair;
            rotation.cosine = tables->table[kind ? KEY_COSINE : COSINE] + first;
            rotation.sine = tables->table[kind ? KEY_SINE : SINE] + first;
            rotation.turned = 2 * (rotary_first(pos, axis + 1) - pair);
            rotation.axis = rotary_axis(pos, axis);
            rotate(x + (size_t)h * heads * d + (size_t)2 * pair, stride, &rotation, at, rows, direction);
        }
}

static void rotary_forward(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    rotary_turn(tables, layer, q, false, stride, at, rows, +1);
    rotary_turn(tables, layer, k, true, stride, at, rows, +1);
}

// Forward was q' = R(t theta) q, so dq = R(-t theta) dq', in place; the same for k.
static void rotary_backward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k,
                            int stride, const Place *at, int rows) {
    dtheta_collect(tables, layer, dq, dk, q, k, stride, at, rows);
    rotary_turn(tables, layer, dq, false, stride, at, rows, -1);
    rotary_turn(tables, layer, dk, true, stride, at, rows, -1);
}

const Family rotation_family = {
    .layout = layout,
    .prepare = prepare,
    .rounds = "angles, and then their cosines and sines",
    .qk_forward = rotary_forward,
    .qk_backward = rotary_backward,
    .layer_backward = dtheta_layer_backward,
};
