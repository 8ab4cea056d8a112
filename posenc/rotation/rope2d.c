// RoPE in two dimensions: half of the pairs turn by the line a token stands in, half by its column.
#include "posenc/rotation/rotate.h"

enum { COSINE, SINE }; // tables (positions, d/4), the same for both axes

typedef struct {
    Rotary rotary;
} Rope2dOptions;

static const Option rope2d_options[] = {
    ROTARY_OPTION_ROWS(Rope2dOptions, "100", "(i, i+d/4) of each axis's d/2 channels"), {0}};

static const char *check(const Position *pos) {
    return head_width(&pos->shape) % 4
               ? "each of the two axes turns pairs of channels, so the head width (--width / --heads) must be a "
                 "multiple of 4"
               : NULL;
}

static void layout(Position *pos, Arena *arena, bool training) {
    (void)training;
    const size_t numbers = (size_t)pos->positions * (head_width(&pos->shape) / 4);
    pos->tables[COSINE] = arena_reals(arena, numbers);
    pos->tables[SINE] = arena_reals(arena, numbers);
}

static void prepare(Position *pos) {
    const int pairs = head_width(&pos->shape) / 4;
#pragma omp parallel for
    for (int t = 0; t < pos->positions; t++)
        for (int i = 0; i < pairs; i++) {
            const double angle = t * pow(rotary_of(pos)->base, -(double)i / pairs);
            pos->tables[COSINE][(size_t)t * pairs + i] = (real)cos(angle);
            pos->tables[SINE][(size_t)t * pairs + i] = (real)sin(angle);
        }
}

// The first half of each head by lines, the second by columns.
static void turn(const Position *pos, real *x, int stride, const Place *at, int rows, int direction) {
    const int d = head_width(&pos->shape);
    Rotation rotation = {
        .cosine = pos->tables[COSINE],
        .sine = pos->tables[SINE],
        .axis = AXIS_LINE,
        .pairing = (Pairing)rotary_of(pos)->pairing,
        .heads = pos->shape.heads,
        .head_width = d,
        .turned = d / 2,
    };
    rotate(x, stride, &rotation, at, rows, direction);
    rotation.axis = AXIS_COLUMN;
    rotate(x + d / 2, stride, &rotation, at, rows, direction);
}

static void qk_forward(const Position *pos, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    if (rotary_skips(pos, layer)) return;
    turn(pos, q, stride, at, rows, +1);
    turn(pos, k, stride, at, rows, +1);
}

// Two rotations of different channels: each is turned back on its own.
static void qk_backward(const Position *pos, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                        const Place *at, int rows) {
    (void)q, (void)k;
    if (rotary_skips(pos, layer)) return;
    turn(pos, dq, stride, at, rows, -1);
    turn(pos, dk, stride, at, rows, -1);
}

const Scheme scheme_rope2d = {
    .name = "rope2d",
    .formula = "q, k at (line, column): pairs of the first half turned by line b^(-4i/d), of the second by column",
    .paper = "axial RoPE; Heo et al. 2024 (2403.13298)",
    .help = "For grids written row by row, poems, tables, code: products depend on how many lines and how many columns "
            "lie between two tokens. A newline begins a line, an empty line or a new document a page. More axes would "
            "share the pairs out further.",
    .options = rope2d_options,
    .enters = ENTERS_ROTATION,
    .relative = true,
    .two_axes = true,
    .check = check,
    .layout = layout,
    .prepare = prepare,
    .qk_forward = qk_forward,
    .qk_backward = qk_backward,
};
