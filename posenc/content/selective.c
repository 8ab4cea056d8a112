// RoPE whose tokens decide how far they advance the position: each computes a step for every head, and the steps
// between a query and a key add up to their distance. With steps of 1 this is RoPE, which is where training begins.
#include "posenc/content/gates.h"
#include "posenc/content/operands.h"
#include "posenc/rotation/rotate.h"

typedef struct {
    double base;
} SelectiveOptions;

static const Option selective_options[] = {
    {"base", OPTION_NUMBER, offsetof(SelectiveOptions, base), "10000", 1.000001, HUGE_VAL, NULL, "B",
     "pair i of n turns by base^(-i/n) radians a step of 1"},
    {0},
};

static int feature_count(const Position *pos) {
    return pos->shape.heads;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "w", pos->shape.layers * pos->shape.heads, pos->shape.width, INIT_ZERO, 0);
    position_param(pos, table, "b", pos->shape.layers, pos->shape.heads, INIT_ZERO, 0);
}

// features = r = softplus(z) / log 2 = -log(sigmoid(-z)) / log 2
static real step(real z, int f, int F) {
    return (real)((double)log_sigmoid(-z) / -M_LN2);
}

// So dz = sigmoid(z) / log 2 dr, and log(sigmoid(-z)) = -r log 2.
static real step_backward(real dr, real r, int f, int F) {
    return log_sigmoid_backward(dr / (real)M_LN2, -r * (real)M_LN2);
}

static void input_forward(const Tables *tables, int layer, real *features, const real *x, int rows) {
    projected_forward(tables, layer, features, x, rows, step);
}

static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    projected_backward(tables, layer, dx, dfeatures, features, x, rows, step_backward);
}

// --- a head ---
typedef struct {
    real *cosine, *sine; // (columns, pairs)
    real *theta, *dsum;  // (pairs), (columns)
} Turns;

static Turns turns_of(const Tables *tables, const ScoreBlock *head, const Operands *operands) {
    const size_t pairs = (size_t)head_width(&tables->pos->shape) / 2, angles = (size_t)head->columns * pairs;
    real *own = operands->own;
    return (Turns){own, own + angles, own + 2 * angles, own + 2 * angles + pairs};
}

// Cosines and sines of phi_t = theta (r_0 + ... + r_t). Token 0 of a head is the first in the cache: only differences
// of angles matter.
static void turns_fill(const Turns *turns, const Tables *tables, const ScoreBlock *head) {
    const int d = head_width(&tables->pos->shape), pairs = d / 2;
    const real *steps = head->features + head->head;
    double sum = 0;
    for (int i = 0; i < pairs; i++)
        turns->theta[i] = (real)rope_theta(scheme_options(tables->pos, SelectiveOptions)->base, i, d);
    for (int t = 0; t < head->columns; t++) {
        real *cosine = turns->cosine + (size_t)t * pairs, *sine = turns->sine + (size_t)t * pairs;
        sum += (double)steps[(size_t)t * tables->feature_stride] / (2 * M_PI);
#pragma omp simd
        for (int i = 0; i < pairs; i++) real_turn(&cosine[i], &sine[i], (double)turns->theta[i] * sum);
    }
}

// to (rows, d) = x (rows, d), rows `stride` apart, turned by the angles of the tokens from number `first` on.
static void turn(real *to, const real *x, int stride, const Turns *turns, int first, int rows, int d) {
    for (int r = 0; r < rows; r++) {
        const size_t angles = (size_t)(first + r) * (d / 2);
        memcpy(to + (size_t)r * d, x + (size_t)r * stride, (size_t)d * sizeof(real));
        rotate_half(to + (size_t)r * d, turns->cosine + angles, turns->sine + angles, d / 2, +1);
    }
}

// Backward: dsum += theta . dphi, with dphi the torque of each pair; dx += dy turned back, which overwrites dy.
static void turn_backward(real *dx, int stride, real *dy, const real *y, const Turns *turns, int first, int rows,
                          int d) {
    const int pairs = d / 2;
    for (int r = 0; r < rows; r++, y += d, dy += d, dx += stride) {
        const size_t angles = (size_t)(first + r) * pairs;
        real dsum = 0;
#pragma omp simd reduction(+ : dsum)
        for (int i = 0; i < pairs; i++) dsum += turns->theta[i] * (dy[i + pairs] * y[i] - dy[i] * y[i + pairs]);
        turns->dsum[first + r] += dsum;
        rotate_half(dy, turns->cosine + angles, turns->sine + angles, pairs, -1);
        for (int c = 0; c < d; c++) dx[c] += dy[c];
    }
}

static void forward(const Tables *tables, const ScoreBlock *head, const Operands *to) {
    const Turns turns = turns_of(tables, head, to);
    turns_fill(&turns, tables, head);
    turn(to->k, head->k, head->k_stride, &turns, 0, head->columns, to->width);
    turn(to->q, head->q, head->q_stride, &turns, head->columns - head->rows, head->rows, to->width);
}

static void backward(const Tables *tables, const ScoreBlock *head, const ScoreGradient *grad, const Operands *from) {
    const Turns turns = turns_of(tables, head, from);
    memset(turns.dsum, 0, (size_t)head->columns * sizeof(real));
    turn_backward(grad->dk, head->k_stride, from->dk, from->k, &turns, 0, head->columns, from->width);
    turn_backward(grad->dq, head->q_stride, from->dq, from->q, &turns, head->columns - head->rows, head->rows,
                  from->width);
    running_backward(grad->dfeatures + head->head, turns.dsum, head, tables->feature_stride);
}

// In each layer and head a step of a token, and its sum, 2; and for each pair an angle and its cosine and sine, 3, two
// rotations, 6 each, forward and backward, and two torques, 5 each.
static double operations(const Position *pos, int T) {
    const double pairs = head_width(&pos->shape) / 2.0;
    return projected_operations(pos) + all_heads(pos) * (LOG_SIGMOID_OPERATIONS + 2 + pairs * (3 + 4 * 6 + 2 * 5));
}

static const Family family = {
    .layout = projected_layout,
    .input_forward = input_forward,
    .layer_backward = layer_backward,
};

const Scheme scheme_selective = {
    .name = "selective",
    .formula = "q_t, k_t: pair i turned by b^(-2i/d) (r_1 + .. + r_t), r_t = softplus(w_h . x_t + b_h) / log 2",
    .paper = "after Movahedi et al. 2025 (2511.17388)",
    .help = "RoPE in which every token says, for each head, how far it advances the position. A token whose step is "
            "near 0 takes no room between its neighbours; one with a large step separates them. w and b are trained "
            "and begin at 0, where every step is 1 and this is RoPE.",
    .options = selective_options,
    .position_free = true,
    .check = pairs_check,
    .operations = operations,
    .params = params,
    .feature_count = feature_count,
    .family = &family,
    OPERANDS_SCHEME(.wide = 1, .own_rows = 2, .forward = forward, .backward = backward),
};
