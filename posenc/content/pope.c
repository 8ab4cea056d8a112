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

enum { DELTA };                                  // params (sets, H, d)
enum { COSINE, SINE, DELTA_COSINE, DELTA_SINE }; // tables (positions, d) and (sets, H, d)
enum { SLABS };                                  // dtables (B, H, d), of the layer at work
enum { START_ZERO, START_UNIFORM };

typedef struct {
    double base;
    int delta, start, layers;
} PopeOptions;

static const Option pope_options[] = {
    {"base", OPTION_NUMBER, offsetof(PopeOptions, base), "10000", 1.000001, HUGE_VAL, NULL, "B",
     "channel c of d turns by base^(-c/d) radians a token"},
    {"delta", OPTION_CHOICE, offsetof(PopeOptions, delta), "trained", 0, 0, "none|trained", "HOW",
     "trained: an angle for each head and channel says which distance that channel looks for"},
    {"start", OPTION_CHOICE, offsetof(PopeOptions, start), "zero", 0, 0, "zero|uniform", "HOW",
     "initial delta: 0, or random between -2 pi and 0"},
    LAYERS_OPTION_ROW(PopeOptions, "own"),
    {0},
};

static size_t all_channels(const Position *pos) {
    return (size_t)pos->shape.heads * (size_t)head_width(&pos->shape);
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "delta", pos->sets * pos->shape.heads, head_width(&pos->shape), INIT_ZERO, 0);
}

static void init(Position *pos, uint64_t seed) {
    Random random = {position_key(pos, seed, "pope"), 0};
    if (scheme_options(pos, PopeOptions)->start == START_ZERO) return;
    for (size_t n = 0; n < pos->sets * all_channels(pos); n++)
        pos->params[DELTA][n] = (real)(-2 * M_PI * random_next(&random));
}

// As the authors do.
static void project(Position *pos) {
    if (pos->param_count == 0) return;
    for (size_t n = 0; n < pos->sets * all_channels(pos); n++)
        pos->params[DELTA][n] = (real)fmin(fmax((double)pos->params[DELTA][n], -2 * M_PI), 0);
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    for (int table = COSINE; table <= SINE; table++)
        tables->table[table] = arena_reals(arena, (size_t)tables->positions * (size_t)head_width(&pos->shape));
    if (!position_trained(pos)) return;
    for (int table = DELTA_COSINE; table <= DELTA_SINE; table++)
        tables->table[table] = arena_reals(arena, pos->sets * all_channels(pos));
    if (training) tables->dtable[SLABS] = arena_reals(arena, tables->batch * all_channels(pos));
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape);
    for (int c = 0; c < d && !tables->prepared; c++) {
        const double theta = rope_theta(scheme_options(pos, PopeOptions)->base, c, 2 * d);
        for (int t = 0; t < tables->positions; t++)
            rotation_fill(&tables->table[COSINE][t * d + c], &tables->table[SINE][t * d + c], 1, t * theta);
    }
    if (!position_trained(pos)) return;
    for (size_t n = 0; n < pos->sets * all_channels(pos); n++)
        rotation_fill(&tables->table[DELTA_COSINE][n], &tables->table[DELTA_SINE][n], 1, (double)pos->params[DELTA][n]);
}

// --- one query or key ---
//
// y (2d) = the lengths softplus(x) = log(1 + e^x), which must not overflow, at the angles of these cosines and sines.
static void polar_forward(real *y, const real *x, const real *cosine, const real *sine, int d) {
#pragma omp simd
    for (int c = 0; c < d; c++) {
        const real length = (x[c] > 0 ? x[c] : 0) + real_log1p(real_exp(x[c] > 0 ? -x[c] : x[c]));
        y[c] = length * cosine[c];
        y[c + d] = length * sine[c];
    }
}

// The derivative of softplus is sigmoid, so dx += sigmoid(x) times the part of dy along the point's direction.
static void polar_backward(real *dx, const real *dy, const real *x, const real *cosine, const real *sine, int d) {
#pragma omp simd
    for (int c = 0; c < d; c++) dx[c] += (dy[c] * cosine[c] + dy[c + d] * sine[c]) / (1 + real_exp(-x[c]));
}

// --- a head ---
//
// delta's row of a layer and head, in its tables, gradients and slabs.
static size_t delta_row(const Position *pos, int which, int head) {
    return ((size_t)which * pos->shape.heads + head) * head_width(&pos->shape);
}

static void forward(const Tables *tables, const ScoreBlock *head, const Operands *to) {
    const int d = head_width(&tables->pos->shape), w = to->width;
    const real *cosine = tables->table[COSINE], *sine = tables->table[SINE];
    const size_t delta = delta_row(tables->pos, position_set(tables->pos, head->layer), head->head);
    for (int j = 0; j < head->columns; j++) {
        const size_t angle = (size_t)head->key_at[j].t * d;
        polar_forward(to->k + (size_t)j * w, head->k + (size_t)j * head->k_stride, cosine + angle, sine + angle, d);
    }
    for (int i = 0; i < head->rows; i++) {
        const size_t angle = (size_t)head->query_at[i].t * d;
        real *q = to->q + (size_t)i * w;
        polar_forward(q, head->q + (size_t)i * head->q_stride, cosine + angle, sine + angle, d);
        if (position_trained(tables->pos))
            rotate_half(q, tables->table[DELTA_COSINE] + delta, tables->table[DELTA_SINE] + delta, d, -1);
    }
}

// Forward turned the query y by -delta, so ddelta is minus its torque, and dy is turned by delta.
static void delta_backward(real *ddelta, real *dy, const real *y, const real *cosine, const real *sine, int d) {
#pragma omp simd
    for (int c = 0; c < d; c++) ddelta[c] -= dy[c + d] * y[c] - dy[c] * y[c + d];
    rotate_half(dy, cosine, sine, d, +1);
}

static void backward(const Tables *tables, const ScoreBlock *head, const ScoreGradient *grad, const Operands *from) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), w = from->width;
    const real *cosine = tables->table[COSINE], *sine = tables->table[SINE];
    const size_t delta = delta_row(pos, position_set(pos, head->layer), head->head);
    for (int i = 0; i < head->rows; i++) {
        const size_t angle = (size_t)head->query_at[i].t * d;
        real *dq = from->dq + (size_t)i * w;
        if (position_trained(pos))
            delta_backward(tables->dtable[SLABS] + delta_row(pos, head->sequence, head->head), dq,
                           from->q + (size_t)i * w, tables->table[DELTA_COSINE] + delta,
                           tables->table[DELTA_SINE] + delta, d);
        polar_backward(grad->dq + (size_t)i * head->q_stride, dq, head->q + (size_t)i * head->q_stride, cosine + angle,
                       sine + angle, d);
    }
    for (int j = 0; j < head->columns; j++) {
        const size_t angle = (size_t)head->key_at[j].t * d, k = (size_t)j * head->k_stride;
        polar_backward(grad->dk + k, from->dk + (size_t)j * w, head->k + k, cosine + angle, sine + angle, d);
    }
}

static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    const Position *pos = tables->pos;
    const int size = (int)all_channels(pos);
    if (position_trained(pos))
        slabs_reduce(pos->dparams[DELTA] + (size_t)position_set(pos, layer) * size, tables->dtable[SLABS],
                     tables->batch, size);
}

// In each layer and head, for each channel: softplus, 4, and sigmoid, 3, of a query and a key, their points, 2 forward
// and 5 backward; delta, 6 forward and 10 backward. Each key that a query sees has d channels more in three products.
static double operations(const Position *pos, int T) {
    const double channel = 2 * (4 + 3 + 2 + 5) + (position_trained(pos) ? 6 + 10 : 0);
    return pos->shape.layers * (double)all_channels(pos) * (channel + 3 * 2 * keys_seen(pos, T));
}

static const Family family = {
    .layout = layout,
    .prepare = prepare,
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
    .layers = &pope_options[3],
    .trains = &pope_options[1],
    .compared_with = "rope",
    .operations = operations,
    .params = params,
    .init = init,
    .project = project,
    .family = &family,
    OPERANDS_SCHEME(.wide = 2, .forward = forward, .backward = backward),
};
