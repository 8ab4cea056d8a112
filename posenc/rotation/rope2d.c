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

static void layout(Tables *tables, Arena *arena, bool training) {
    const size_t numbers = (size_t)tables->positions * (head_width(&tables->pos->shape) / 4);
    tables->table[COSINE] = arena_reals(arena, numbers);
    tables->table[SINE] = arena_reals(arena, numbers);
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int pairs = head_width(&pos->shape) / 4;
#pragma omp parallel for
    for (int t = 0; t < tables->positions; t++)
        for (int i = 0; i < pairs; i++) {
            const double angle = t * rope_theta(rotary_of(pos)->base, i, 2 * pairs);
            const size_t n = (size_t)t * pairs + i;
            rotation_fill(&tables->table[COSINE][n], &tables->table[SINE][n], 1, angle);
        }
}

// The first half of each head by lines, the second by columns: rotations of different channels, so each is turned back
// on its own.
static void turn(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction) {
    const int half = head_width(&tables->pos->shape) / 2;
    Rotation rotation = rotary_rotation(tables->pos, keys, tables->table[COSINE], tables->table[SINE]);
    rotation.turned = half;
    rotation.axis = AXIS_LINE;
    rotate(x, stride, &rotation, at, rows, direction);
    rotation.axis = AXIS_COLUMN;
    rotate(x + half, stride, &rotation, at, rows, direction);
}

const Scheme scheme_rope2d = {
    .name = "rope2d",
    .formula = "q, k at (line, column): pairs of the first half turned by line b^(-4i/d), of the second by column",
    .paper = "axial RoPE; Heo et al. 2024 (2403.13298)",
    .help = "For grids written row by row, poems, tables and code: products depend on how many lines and how many "
            "columns lie between two tokens. A newline begins a new line; an empty line or a new document starts "
            "counting from 0 again.",
    .options = rope2d_options,
    .enters = ENTERS_ROTATION,
    .relative = true,
    .two_axes = true,
    .check = check,
    .operations = rotary_operations,
    .layout = layout,
    .prepare = prepare,
    .turn = turn,
    .qk_forward = rotary_forward,
    .qk_backward = rotary_backward,
};
