#include "posenc/rotation/rotate.h"

#include "model/base/team.h"

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
static void rotate_half(real *x, const real *cosine, const real *sine, int pairs, real direction) {
    for (int i = 0; i < pairs; i++) {
        const real c = cosine[i], s = direction * sine[i], x0 = x[i], x1 = x[i + pairs];
        x[i] = x0 * c - x1 * s;
        x[i + pairs] = x0 * s + x1 * c;
    }
}

static void rotate_interleaved(real *x, const real *cosine, const real *sine, int pairs, real direction) {
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
        const size_t angles = (size_t)place_on(&at[r], rotation->axis) * pairs;
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

int rotary_pairs(const Position *pos) {
    const double fraction = rotary_of(pos)->fraction;
    const int pairs = head_width(&pos->shape) / 2;
    return fraction > 0 ? (int)(fraction * pairs) : pairs;
}

const char *rotary_check(const Position *pos) {
    return head_width(&pos->shape) % 2
               ? "rotations turn pairs of channels, so the head width (--width / --heads) must be even"
           : rotary_pairs(pos) < 1 ? "that fraction of a head is not one pair of channels"
                                   : NULL;
}

void rotary_layout(Tables *tables, Arena *arena, bool training) {
    assert(tables->pos->scheme->theta && "ROTARY_HOOKS: the scheme has no .theta");
    const Position *pos = tables->pos;
    const size_t pairs = (size_t)rotary_pairs(pos);
    tables->rotary.cosine = arena_reals(arena, tables->positions * pairs);
    tables->rotary.sine = arena_reals(arena, tables->positions * pairs);
    if (!training || !tables->stretch->learns) return;
    tables->rotary.dtheta = arena_reals(arena, pairs);
    tables->rotary.slabs = arena_reals(arena, (size_t)tables->batch * pos->shape.heads * pairs);
}

int rotary_length_class(const Tables *tables, int length) {
    return stretch_length_class(tables->stretch, length);
}

// The angle by which a pair turns from one token to the next, beyond the unscaled tokens.
static double stretched(const Position *pos, const Stretch *stretch, int pair) {
    return pos->scheme->theta(pos, pair) / (stretch ? stretch->factors[pair] : 1);
}

void rotary_fill(real *cosine, real *sine, const Tables *tables, double turn) {
    const Position *pos = tables->pos;
    const int pairs = rotary_pairs(pos);
    Stretch made;
    const Stretch *stretch = stretch_of_window(&made, tables->stretch, tables->window, pairs);
    const int unscaled = stretch ? stretch->unscaled : 0;
    const double attention = stretch ? stretch->attention : 1,
                 at_start = stretch && stretch->bare_start ? 1 : attention;
#pragma omp parallel for
    for (int t = 0; t < tables->positions; t++) {
        const double length = t < unscaled ? at_start : attention;
        for (int i = 0; i < pairs; i++) {
            const double angle = turn * (t * (t < unscaled ? pos->scheme->theta(pos, i) : stretched(pos, stretch, i)));
            const size_t n = (size_t)t * pairs + i;
            rotation_fill(&cosine[n], &sine[n], length, angle);
        }
    }
}

void rotary_prepare(Tables *tables) {
    rotary_fill(tables->rotary.cosine, tables->rotary.sine, tables, 1);
}

double rotary_theta(const Position *pos, int pair) {
    return rope_theta(rotary_of(pos)->base, pair, 2 * rotary_pairs(pos));
}

int rotary_fast_pairs(const Position *pos, int length) {
    int fast = 0;
    for (int i = 0; i < rotary_pairs(pos); i++) fast += length * pos->scheme->theta(pos, i) >= 2 * M_PI;
    return fast;
}

// rope_pair_torque for all pairs of a head, times t: dtheta of one token.
static void add_torque(real *dtheta, const real *dy, const real *y, int t, int pairs, bool half) {
    for (int i = 0; i < pairs; i++) {
        const int c0 = half ? i : 2 * i, c1 = half ? i + pairs : 2 * i + 1;
        dtheta[i] += (real)t * (dy[c1] * y[c0] - dy[c0] * y[c1]);
    }
}

// One thread adds up each sequence and head, in order, so that any number of threads gives the same bits.
void rotary_torque(real *dtheta, const Tables *tables, const real *dy, const real *y, bool keys, int stride,
                   const Place *at, int rows, int from) {
    const Position *pos = tables->pos;
    const int H = pos->shape.heads, heads = keys ? key_heads(&pos->shape) : H, d = head_width(&pos->shape),
              pairs = rotary_pairs(pos), T = rows / tables->batch;
    const bool half = rotary_of(pos)->pairing == PAIRING_HALF;
#pragma omp for collapse(2)
    for (int b = 0; b < tables->batch; b++)
        for (int h = 0; h < heads; h++)
            for (int r = b * T; r < (b + 1) * T; r++) {
                const size_t row = (size_t)r * stride + (size_t)h * d;
                if (at[r].t >= from)
                    add_torque(dtheta + ((size_t)b * H + h) * pairs, dy + row, y + row, at[r].t, pairs, half);
            }
}

Rotation rotary_rotation(const Position *pos, bool keys, const real *cosine, const real *sine) {
    return (Rotation){
        .cosine = cosine,
        .sine = sine,
        .axis = AXIS_T,
        .pairing = (Pairing)rotary_of(pos)->pairing,
        .heads = keys ? key_heads(&pos->shape) : pos->shape.heads,
        .head_width = head_width(&pos->shape),
        .turned = 2 * rotary_pairs(pos),
    };
}

void rotary_turn(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction) {
    const Rotation rotation = rotary_rotation(tables->pos, keys, tables->rotary.cosine, tables->rotary.sine);
    rotate(x, stride, &rotation, at, rows, direction);
}

void rotary_forward(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    if (rotary_skips(tables->pos, layer)) return;
    tables->pos->scheme->turn(tables, layer, q, false, stride, at, rows, +1);
    tables->pos->scheme->turn(tables, layer, k, true, stride, at, rows, +1);
}

// Forward was q' = R(t theta) q, so dq = R(-t theta) dq', in place; the same for k.
void rotary_backward(const Tables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                     const Place *at, int rows) {
    const Position *pos = tables->pos;
    if (rotary_skips(pos, layer)) return;
    if (tables->rotary.dtheta) {
        const int from = tables->stretch->long_stretch.unscaled;
        rotary_torque(tables->rotary.slabs, tables, dq, q, false, stride, at, rows, from);
        rotary_torque(tables->rotary.slabs, tables, dk, k, true, stride, at, rows, from);
        slabs_reduce(tables->rotary.dtheta, tables->rotary.slabs, tables->batch * pos->shape.heads, rotary_pairs(pos));
    }
    pos->scheme->turn(tables, layer, dq, false, stride, at, rows, -1);
    pos->scheme->turn(tables, layer, dk, true, stride, at, rows, -1);
}

double rotary_all_pairs(const Position *pos) {
    int layers = 0;
    for (int l = 0; l < pos->shape.layers; l++) layers += !rotary_skips(pos, l);
    return (double)layers * (pos->shape.heads + key_heads(&pos->shape)) * rotary_pairs(pos);
}

// Four products and two sums turn a pair, forward and backward.
double rotary_operations(const Position *pos, int T) {
    return 6 * 2 * rotary_all_pairs(pos);
}

// Forward was theta' = theta / factor, so d/dlog factor = -theta' d/dtheta'.
void rotary_dfactors(double *dfactors, Tables *tables) {
    const Position *pos = tables->pos;
    for (int i = 0; i < rotary_pairs(pos); i++) {
        dfactors[i] = -stretched(pos, &tables->stretch->long_stretch, i) * (double)tables->rotary.dtheta[i];
        tables->rotary.dtheta[i] = 0;
    }
}
