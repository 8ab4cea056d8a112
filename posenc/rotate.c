#include "posenc/rotate.h"

#include "model/team.h"

enum { COSINE, SINE }; // tables

// y0 = x0 cos - x1 sin,  y1 = x0 sin + x1 cos
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

void rotary_layout(Position *pos, Arena *arena, bool training) {
    (void)training;
    const size_t numbers = (size_t)pos->positions * rotary_pairs(pos);
    pos->tables[COSINE] = arena_reals(arena, numbers); // (positions, pairs)
    pos->tables[SINE] = arena_reals(arena, numbers);   // (positions, pairs)
}

// Angles in double: at position 131072 a float angle is already 0.004 rad off.
void rotary_prepare(Position *pos, double (*theta)(const Position *pos, int pair)) {
    const int pairs = rotary_pairs(pos);
#pragma omp parallel for
    for (int t = 0; t < pos->positions; t++) {
        for (int i = 0; i < pairs; i++) {
            const double angle = t * theta(pos, i);
            pos->tables[COSINE][(size_t)t * pairs + i] = (real)cos(angle);
            pos->tables[SINE][(size_t)t * pairs + i] = (real)sin(angle);
        }
    }
}

double rotary_theta(const Position *pos, int pair) {
    return pow(rotary_of(pos)->base, -(double)pair / rotary_pairs(pos));
}

static void turn(const Position *pos, real *x, int stride, const Place *at, int rows, int direction) {
    const Rotation rotation = {
        .cosine = pos->tables[COSINE],
        .sine = pos->tables[SINE],
        .axis = AXIS_T,
        .pairing = (Pairing)rotary_of(pos)->pairing,
        .heads = pos->shape.heads,
        .head_width = head_width(&pos->shape),
        .turned = 2 * rotary_pairs(pos),
    };
    rotate(x, stride, &rotation, at, rows, direction);
}

void rotary_forward(const Position *pos, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    if (rotary_skips(pos, layer)) return;
    turn(pos, q, stride, at, rows, +1);
    turn(pos, k, stride, at, rows, +1);
}

// Forward was q = R(t theta) q: a rotation matrix has R^T = R^-1, so the gradient is turned back by the same angle.
// Its length is kept, and the product of a turned query with a turned key sees only the difference of their angles.
void rotary_backward(const Position *pos, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                     const Place *at, int rows) {
    (void)q, (void)k;
    if (rotary_skips(pos, layer)) return;
    turn(pos, dq, stride, at, rows, -1);
    turn(pos, dk, stride, at, rows, -1);
}
