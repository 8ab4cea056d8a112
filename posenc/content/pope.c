// PoPE, polar positions: what a query looks for and where it looks are kept apart. In RoPE the angle between a query's
// pair and a key's is partly content, partly distance. Here each channel is a length, which content alone decides, at
// an angle that position alone decides.
//
// Channel c of the query at t is the point of a plane with length softplus(q_tc) and angle t theta_c - delta_hc, that
// of the key at s has length softplus(k_sc) and angle s theta_c. The product of two points is that of their lengths and
// the cosine of the angle between them, so q and k become 2d wide: d numbers along the x axes, d along the y axes.
#include "posenc/content/operands.h"
#include "posenc/rotation/rotate.h"

#include "base/random.h"
#include "num/team.h"

enum { DELTA };  // params (sets, H, d)
enum { ANGLES }; // tables (positions, 2, d): cosines and sines
enum { SLABS };  // dtables (B, H, d), of the layer at work
enum { START_ZERO, START_UNIFORM };

typedef struct {
    double base;
    int delta, start, layers;
} PopeOptions;

static const Option pope_options[] = {
    {"base", OPTION_NUMBER, offsetof(PopeOptions, base), "10000", 1.000001, HUGE_VAL, NULL, "B",
     "channel c of d turns by base^(-c/d) radians per token"},
    {"delta", OPTION_CHOICE, offsetof(PopeOptions, delta), "trained", 0, 0, "none|trained", "HOW",
     "trained: an angle for each head and channel says which distance that channel looks for"},
    {"start", OPTION_CHOICE, offsetof(PopeOptions, start), "zero", 0, 0, "zero|uniform", "HOW",
     "initial delta: 0, or random between -2 pi and 0"},
    LAYERS_OPTION_ROW(PopeOptions, "own"),
    {0},
};

// A head's row of delta (sets, H, d), or of its slabs (B, H, d).
static size_t delta_row(const Position *pos, int set, int head) {
    return (size_t)set * pos->shape.width + (size_t)head * head_width(&pos->shape);
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "delta", pos->sets * pos->shape.heads, head_width(&pos->shape), INIT_ZERO, 0);
}

static const char *check(const Position *pos) {
    const PopeOptions *o = scheme_options(pos, PopeOptions);
    return !position_trained(pos) && (o->start != START_ZERO || !o->layers)
               ? "start and layers are of a trained delta; leave them out, or delta=none"
               : NULL;
}

static void init(Position *pos, uint64_t seed) {
    Random random = {position_key(pos, seed), 0};
    if (scheme_options(pos, PopeOptions)->start == START_ZERO) return;
    for (int n = 0; n < pos->sets * pos->shape.width; n++)
        pos->params[DELTA][n] = (real)(-2 * M_PI * random_next(&random));
}

// Keeps delta from -2 pi to 0, as the authors do.
static void project(Position *pos) {
    const real least = (real)(-2 * M_PI);
    for (int n = 0; n < pos->sets * pos->shape.width; n++) {
        if (pos->params[DELTA][n] < least) pos->params[DELTA][n] = least; // NaN stays, to be found
        if (pos->params[DELTA][n] > 0) pos->params[DELTA][n] = 0;
    }
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    tables->table[ANGLES] = arena_reals(arena, (size_t)tables->positions * 2 * (size_t)head_width(&pos->shape));
    if (training) tables->dtable[SLABS] = arena_reals(arena, (size_t)tables->batch * pos->shape.width);
}

static void prepare(Tables *tables) {
    const int d = head_width(&tables->pos->shape);
    if (tables->prepared) return;
    for (int c = 0; c < d; c++) {
        const double theta = rope_theta(scheme_options(tables->pos, PopeOptions)->base, c, 2 * d);
        real *cosine = tables->table[ANGLES] + c;
        for (int t = 0; t < tables->positions; t++, cosine += 2 * d)
            rotation_fill(cosine, cosine + d, 1, rounded(t * theta, tables->pos->held_as, tables->positions - 1));
    }
    round_all(tables->table[ANGLES], (size_t)tables->positions * 2 * (size_t)d, tables->pos->held_as);
}

// --- a head ---
//
// y (rows, 2d) = x (rows, d), rows `stride` apart: the length softplus(x) = log(1 + e^x), which must not overflow, at
// the angle t theta.
static void polar_forward(real *y, const real *x, int stride, const Tables *tables, const Place *at, int rows) {
    const int d = head_width(&tables->pos->shape);
    for (int r = 0; r < rows; r++, x += stride, y += 2 * d) {
        const real *cosine = tables->table[ANGLES] + (size_t)at[r].t * 2 * d, *sine = cosine + d;
#pragma omp simd
        for (int c = 0; c < d; c++) {
            const real length = (x[c] > 0 ? x[c] : 0) + real_log1p(real_exp(x[c] > 0 ? -x[c] : x[c]));
            y[c] = length * cosine[c];
            y[c + d] = length * sine[c];
        }
    }
}

// The derivative of softplus is sigmoid, so dx += sigmoid(x) times the part of dy along the point's direction.
static void polar_backward(real *dx, const real *dy, const real *x, int stride, const Tables *tables, const Place *at,
                           int rows) {
    const int d = head_width(&tables->pos->shape);
    for (int r = 0; r < rows; r++, x += stride, dx += stride, dy += 2 * d) {
        const real *cosine = tables->table[ANGLES] + (size_t)at[r].t * 2 * d, *sine = cosine + d;
#pragma omp simd
        for (int c = 0; c < d; c++) dx[c] += (dy[c] * cosine[c] + dy[c + d] * sine[c]) / (1 + real_exp(-x[c]));
    }
}

static void forward(const Tables *tables, const ScoreBlock *head, const Operands *to) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape);
    real *cosine = to->own, *sine = to->own + d; // of delta
    polar_forward(to->k, head->k, head->k_stride, tables, head->key_at, head->columns);
    polar_forward(to->q, head->q, head->q_stride, tables, head->query_at, head->rows);
    if (!position_trained(pos)) return;
    const real *delta = pos->params[DELTA] + delta_row(pos, position_set(pos, head->layer), head->head);
    for (int c = 0; c < d; c++) real_turn(&cosine[c], &sine[c], (double)delta[c] / (2 * M_PI));
    for (int i = 0; i < head->rows; i++) rotate_half(to->q + (size_t)i * 2 * d, cosine, sine, d, -1);
}

// Forward turned the queries by -delta, so ddelta is minus their torque, and dq is turned by delta.
static void backward(const Tables *tables, const ScoreBlock *head, const ScoreGradient *grad, const Operands *from) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape);
    for (int i = 0; i < head->rows && position_trained(pos); i++) {
        real *ddelta = tables->dtable[SLABS] + delta_row(pos, head->sequence, head->head);
        real *dq = from->dq + (size_t)i * 2 * d, *q = from->q + (size_t)i * 2 * d;
        for (int c = 0; c < d; c++) ddelta[c] -= dq[c + d] * q[c] - dq[c] * q[c + d];
        rotate_half(dq, from->own, from->own + d, d, +1);
    }
    polar_backward(grad->dq, from->dq, head->q, head->q_stride, tables, head->query_at, head->rows);
    polar_backward(grad->dk, from->dk, head->k, head->k_stride, tables, head->key_at, head->columns);
}

static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    const Position *pos = tables->pos;
    if (position_trained(pos))
        slabs_reduce(pos->dparams[DELTA] + delta_row(pos, position_set(pos, layer), 0), tables->dtable[SLABS],
                     tables->batch, pos->shape.width);
}

// In each layer and head, for each channel: softplus, 4, and sigmoid, 3, of a query and a key, their points, 2 forward
// and 5 backward; delta, 6 forward and 10 backward. Each key that a query sees has d channels more in three products.
static double operations(const Position *pos, int T) {
    const double channel = 2 * (4 + 3 + 2 + 5) + (position_trained(pos) ? 6 + 10 : 0);
    return pos->shape.layers * pos->shape.width * (channel + 3 * 2 * keys_seen(pos, T));
}

static const Family family = {
    .layout = layout,
    .prepare = prepare,
    .rounds = "angles, and then their cosines and sines, not the trained delta",
    .layer_backward = layer_backward,
};

const Scheme scheme_pope = {
    .name = "pope",
    .formula =
        "S_ij = scale sum of softplus(q_ic) softplus(k_jc) cos((i - j) b^(-c/d) - delta_hc) over c, delta trained",
    .paper = "Gopalakrishnan et al. 2025 (2509.10534)",
    .help = "RoPE in which what is looked for and where are kept apart: the contents of a query and a key decide how "
            "much each channel counts, never negative, and their distance alone decides the sign and the angle. The "
            "trained delta moves the distance at which a channel counts most away from 0. Queries and keys are twice "
            "as wide while they are multiplied.",
    .options = pope_options,
    .trains = &pope_options[1],
    .operations = operations,
    .check = check,
    .params = params,
    .init = init,
    .project = project,
    .family = &family,
    OPERANDS_SCHEME(.wide = 2, .own_vectors = 2, .forward = forward, .backward = backward),
};
