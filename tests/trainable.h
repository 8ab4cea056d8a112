// Two schemes that exist only here, to try the hooks that carry gradients to a scheme's own parameters.
#ifndef BITTER_TRAINABLE_H
#define BITTER_TRAINABLE_H

#include "posenc/posenc.h"
#include "posenc/rotate.h"

// --- a rotation whose frequencies are trained: pair i turns by theta_i = 10000^(-2i/d) exp(rho_i) a token ---
enum { TURN_COSINE, TURN_SINE, TURN_THETA };

static void turn_params(Position *pos, TensorTable *table) {
    position_param(pos, table, "rho", 1, head_width(&pos->shape) / 2, INIT_ZERO, 0);
}

static void turn_layout(Position *pos, Arena *arena, bool training) {
    const size_t pairs = (size_t)head_width(&pos->shape) / 2;
    pos->tables[TURN_COSINE] = arena_reals(arena, pos->positions * pairs);           // (positions, d/2)
    pos->tables[TURN_SINE] = arena_reals(arena, pos->positions * pairs);             // (positions, d/2)
    pos->tables[TURN_THETA] = arena_reals(arena, pairs);                             // (d/2)
    if (training) pos->dtables[TURN_THETA] = arena_reals(arena, pos->batch * pairs); // a slab for each sequence
}

static void turn_prepare(Position *pos) {
    const int d = head_width(&pos->shape), pairs = d / 2;
    for (int i = 0; i < pairs; i++) {
        const real theta = (real)pow(1e4, -2.0 * i / d) * real_exp(pos->params[0][i]);
        pos->tables[TURN_THETA][i] = theta;
        for (int t = 0; t < pos->positions; t++) {
            pos->tables[TURN_COSINE][(size_t)t * pairs + i] = (real)cos(t * (double)theta);
            pos->tables[TURN_SINE][(size_t)t * pairs + i] = (real)sin(t * (double)theta);
        }
    }
}

static void turn(const Position *pos, real *x, int stride, const int *at, int rows, int direction) {
    rotate(x, stride, pos->tables[TURN_COSINE], pos->tables[TURN_SINE], at, rows, pos->shape.heads,
           head_width(&pos->shape), PAIRING_HALF, direction);
}

static void turn_forward(const Position *pos, int layer, real *q, real *k, int stride, const int *at, int rows) {
    (void)layer;
    turn(pos, q, stride, at, rows, +1);
    turn(pos, k, stride, at, rows, +1);
}

// Forward was y = R(at theta) x, so dphi = dy[1] y[0] - dy[0] y[1] and dtheta = sum of at * dphi.
static void turn_dtheta(real *dtheta, const real *dy, const real *y, const int *at, int rows, int stride, int heads,
                        int pairs) {
    for (int r = 0; r < rows; r++)
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < pairs; i++) {
                const size_t first = (size_t)r * stride + (size_t)h * 2 * pairs + i, second = first + pairs;
                dtheta[i] += at[r] * (dy[second] * y[first] - dy[first] * y[second]);
            }
}

static void turn_backward(const Position *pos, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                          const int *at, int rows) {
    (void)layer;
    const int pairs = head_width(&pos->shape) / 2, T = rows / pos->batch, heads = pos->shape.heads;
#pragma omp for
    for (int b = 0; b < pos->batch; b++) {
        real *dtheta = pos->dtables[TURN_THETA] + (size_t)b * pairs;
        const size_t start = (size_t)b * T * stride;
        turn_dtheta(dtheta, dq + start, q + start, at + b * T, T, stride, heads, pairs);
        turn_dtheta(dtheta, dk + start, k + start, at + b * T, T, stride, heads, pairs);
    }
    turn(pos, dq, stride, at, rows, -1);
    turn(pos, dk, stride, at, rows, -1);
}

// theta = designed * exp(rho), so drho = theta dtheta.
static void turn_reduce(Position *pos) {
    const int pairs = head_width(&pos->shape) / 2;
    for (int n = 0; n < pos->batch * pairs; n++) {
        pos->dparams[0][n % pairs] += pos->tables[TURN_THETA][n % pairs] * pos->dtables[TURN_THETA][n];
        pos->dtables[TURN_THETA][n] = 0;
    }
}

static const Scheme trainable_rotation = {
    .name = "trainable rotation",
    .params = turn_params,
    .layout = turn_layout,
    .prepare = turn_prepare,
    .reduce = turn_reduce,
    .qk_forward = turn_forward,
    .qk_backward = turn_backward,
};

// --- ALiBi whose slopes are trained: m_h = 2^(-8h/H) exp(sigma_h) ---
enum { TILT_SLOPE };

static void tilt_params(Position *pos, TensorTable *table) {
    position_param(pos, table, "sigma", 1, pos->shape.heads, INIT_ZERO, 0);
}

static void tilt_layout(Position *pos, Arena *arena, bool training) {
    const size_t H = (size_t)pos->shape.heads;
    pos->tables[TILT_SLOPE] = arena_reals(arena, H);                                     // (H)
    if (training) pos->dtables[TILT_SLOPE] = arena_reals(arena, (size_t)pos->batch * H); // a slab for each sequence
}

static void tilt_prepare(Position *pos) {
    const int H = pos->shape.heads;
    for (int h = 0; h < H; h++)
        pos->tables[TILT_SLOPE][h] = (real)exp2(-8.0 * (h + 1) / H) * real_exp(pos->params[0][h]);
}

static void tilt_forward(const Position *pos, const ScoreBlock *block) {
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            block->S[(size_t)i * block->stride + j] -=
                pos->tables[TILT_SLOPE][block->head] * (real)(block->query_at[i] - block->key_at[j]);
}

// Forward was S_ij -= m_h (i - j), so dm_h = -sum of dS_ij (i - j).
static void tilt_backward(const Position *pos, const ScoreBlock *block, const real *dS) {
    double sum = 0;
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++)
            sum += (double)dS[(size_t)i * block->stride + j] * (block->query_at[i] - block->key_at[j]);
    pos->dtables[TILT_SLOPE][block->sequence * pos->shape.heads + block->head] -= (real)sum;
}

// m = designed * exp(sigma), so dsigma = m dm.
static void tilt_reduce(Position *pos) {
    const int H = pos->shape.heads;
    for (int n = 0; n < pos->batch * H; n++) {
        pos->dparams[0][n % H] += pos->tables[TILT_SLOPE][n % H] * pos->dtables[TILT_SLOPE][n];
        pos->dtables[TILT_SLOPE][n] = 0;
    }
}

static const Scheme trainable_slopes = {
    .name = "trainable slopes",
    .params = tilt_params,
    .layout = tilt_layout,
    .prepare = tilt_prepare,
    .reduce = tilt_reduce,
    .score_forward = tilt_forward,
    .score_backward = tilt_backward,
};

#endif
