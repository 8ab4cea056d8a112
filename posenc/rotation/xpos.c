// xPos: RoPE whose pairs also fade with distance, the slow ones least: queries grow and keys shrink with their
// position, and in the product only the difference of the two is left.
#include "posenc/rotation/rotate.h"

enum { Q_COSINE, Q_SINE, K_COSINE, K_SINE }; // tables (positions, d/2), the scale in them

typedef struct {
    Rotary rotary;
    double gamma;
} XposOptions;

static const Option xpos_options[] = {
    {"gamma", OPTION_NUMBER, offsetof(XposOptions, gamma), "512", 1, 1e9, NULL, "G",
     "number of tokens over which pair i fades by the factor z_i"},
    ROTARY_OPTION_ROWS(XposOptions, "10000", "(i, i+d/2)"),
    {0},
};

static double zeta(const Position *pos, int pair) {
    const int d = head_width(&pos->shape);
    return (2.0 * pair / d + 0.4) / 1.4;
}

// The fastest pair's scale at the ends is zeta_0^(-length / 2 gamma): 10^30 is what floats can hold.
static int max_length(const Position *pos) {
    const double length = 2 * scheme_options(pos, XposOptions)->gamma * 30 / -log10(zeta(pos, 0));
    return length < 1e9 ? (int)length : 0;
}

static void layout(Tables *tables, Arena *arena, bool training) {
    for (int table = 0; table <= K_SINE; table++)
        tables->table[table] = arena_reals(arena, (size_t)tables->positions * (head_width(&tables->pos->shape) / 2));
}

// Positions are counted from the middle: that changes no product, and keeps the scales near 1.
static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int pairs = head_width(&pos->shape) / 2, middle = (tables->positions + 1) / 2;
#pragma omp parallel for
    for (int t = 0; t < tables->positions; t++)
        for (int i = 0; i < pairs; i++) {
            const double angle = t * rotary_theta(pos, i);
            const double scale = pow(zeta(pos, i), (t - middle) / scheme_options(pos, XposOptions)->gamma);
            const size_t n = (size_t)t * pairs + i;
            rotation_fill(&tables->table[Q_COSINE][n], &tables->table[Q_SINE][n], scale, angle);
            tables->table[K_COSINE][n] = (real)(cos(angle) / scale);
            tables->table[K_SINE][n] = (real)(sin(angle) / scale);
        }
}

// A query becomes s R q, with a number s for each pair, so backward is s R^T dq: the same scale and the opposite angle.
// For keys it is 1/s.
static void turn(const Tables *tables, int layer, real *x, bool keys, int stride, const Place *at, int rows,
                 int direction) {
    const Rotation rotation = rotary_rotation(tables->pos, keys, tables->table[keys ? K_COSINE : Q_COSINE],
                                              tables->table[keys ? K_SINE : Q_SINE]);
    rotate(x, stride, &rotation, at, rows, direction);
}

const Scheme scheme_xpos = {
    .name = "xpos",
    .formula = "rope, and pair i of q_t times z_i^(t/gamma), of k_t times z_i^(-t/gamma), z_i = (2i/d + 0.4) / 1.4",
    .paper = "Sun et al. 2022 (2212.10554)",
    .help = "RoPE with a decay by distance: fast pairs, whose angles carry little information far away, fade first. "
            "The paper's long-context results also need blockwise attention, which is not included here.",
    .options = xpos_options,
    .enters = ENTERS_ROTATION,
    .relative = true,
    .check = rotary_check,
    .max_length = max_length,
    .operations = rotary_operations,
    .layout = layout,
    .prepare = prepare,
    .turn = turn,
    .qk_forward = rotary_forward,
    .qk_backward = rotary_backward,
};
