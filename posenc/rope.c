// Rotary positions (RoPE): queries and keys are turned by an angle proportional to their position, so that their
// product depends on the distance alone.
#include "posenc/posenc.h"
#include "posenc/rotate.h"

enum { COSINE, SINE }; // tables

typedef struct {
    double base;
    int pairing;
} RopeOptions;

static const Option rope_options[] = {
    {"base", OPTION_NUMBER, offsetof(RopeOptions, base), "10000", 1.000001, HUGE_VAL, NULL, "B",
     "pair i turns by B^(-2i/d) radians a token"},
    {"pairing", OPTION_CHOICE, offsetof(RopeOptions, pairing), "half", 0, 0, "half|interleaved", "HOW",
     "pair (i, i+d/2) as Llama and NeoX do, or (2i, 2i+1) as the paper and GPT-J do"},
    {0},
};

static const RopeOptions *options_of(const Position *pos) {
    return (const RopeOptions *)pos->options;
}

static const char *check(const Position *pos) {
    return head_width(&pos->shape) % 2
               ? "rotations turn pairs of channels, so the head width (--width / --heads) must be even"
               : NULL;
}

static void layout(Position *pos, Arena *arena, bool training) {
    (void)training;
    const size_t numbers = (size_t)pos->positions * (head_width(&pos->shape) / 2);
    pos->tables[COSINE] = arena_reals(arena, numbers); // (positions, d/2)
    pos->tables[SINE] = arena_reals(arena, numbers);   // (positions, d/2)
}

// Angles in double: at position 131072 a float angle is already 0.004 rad off.
static void prepare(Position *pos) {
    const int d = head_width(&pos->shape), pairs = d / 2;
#pragma omp parallel for
    for (int t = 0; t < pos->positions; t++) {
        for (int i = 0; i < pairs; i++) {
            const double angle = t * pow(options_of(pos)->base, -2.0 * i / d);
            pos->tables[COSINE][(size_t)t * pairs + i] = (real)cos(angle);
            pos->tables[SINE][(size_t)t * pairs + i] = (real)sin(angle);
        }
    }
}

static void turn(const Position *pos, real *x, int stride, const int *at, int rows, int direction) {
    rotate(x, stride, pos->tables[COSINE], pos->tables[SINE], at, rows, pos->shape.heads, head_width(&pos->shape),
           (Pairing)options_of(pos)->pairing, direction);
}

static void qk_forward(const Position *pos, int layer, real *q, real *k, int stride, const int *at, int rows) {
    (void)layer;
    turn(pos, q, stride, at, rows, +1);
    turn(pos, k, stride, at, rows, +1);
}

// Forward was q = R(at theta) q: a rotation matrix has R^T = R^-1, so the gradient is turned back by the same angle.
// Its length is kept, and the product of a turned query with a turned key sees only the difference of their angles.
static void qk_backward(const Position *pos, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const int *at, int rows) {
    (void)layer, (void)q, (void)k;
    turn(pos, dq, stride, at, rows, -1);
    turn(pos, dk, stride, at, rows, -1);
}

const Scheme scheme_rope = {
    .name = "rope",
    .formula = "q_t, k_t: pair i turned by t b^(-2i/d)",
    .paper = "Su et al. 2021 (2104.09864)",
    .help = "Each pair of channels of a query or key is a hand of a clock that is turned by its position. The product "
            "of the "
            "two depends on the angle between them, so on the distance alone; nothing is added and no length changes.",
    .options = rope_options,
    .check = check,
    .layout = layout,
    .prepare = prepare,
    .qk_forward = qk_forward,
    .qk_backward = qk_backward,
};
