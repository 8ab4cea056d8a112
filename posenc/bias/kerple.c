// KERPLE: kernels of the distance with two trained numbers per head, falling like a logarithm or like a power.
#include "posenc/bias/bias.h"

#include "base/random.h"

enum { P, A }; // params (sets, H) each
typedef enum { KIND_LOG, KIND_POWER } Kind;

typedef struct {
    int kind, layers, gate;
} KerpleOptions;

static const Option kerple_options[] = {
    {"kind", OPTION_CHOICE, offsetof(KerpleOptions, kind), "log", 0, 0, "log|power", "WHICH", "shape of the curve"},
    LAYERS_OPTION_ROW(KerpleOptions, "own"),
    GATE_OPTION_ROW(KerpleOptions, gate),
    {0},
};

static Kind kind_of(const Position *pos) {
    return (Kind)scheme_options(pos, KerpleOptions)->kind;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "p", pos->sets, pos->shape.heads, INIT_ZERO, 0);
    position_param(pos, table, "a", pos->sets, pos->shape.heads, INIT_ZERO, 0);
}

// p is uniform in 0..2 and a in 0..1, as in the authors' code.
static void init(Position *pos, uint64_t seed) {
    Random random = {position_key(pos, seed), 0};
    for (int n = 0; n < pos->sets * pos->shape.heads; n++) {
        pos->params[P][n] = (real)(2 * random_next(&random));
        pos->params[A][n] = (real)random_next(&random);
    }
}

// Stored values are kept at 0.01 or more, and a power's exponent at 2 or less. As in the authors' code, the stored
// values are clamped and not the function: the gradient at a bound is that of the formula, so that the parameter can
// move back inside.
static void project(Position *pos) {
    const real least = (real)0.01, most_p = kind_of(pos) == KIND_POWER ? 2 : (real)INFINITY;
    for (int n = 0; n < pos->sets * pos->shape.heads; n++) {
        real *p = &pos->params[P][n], *a = &pos->params[A][n];
        if (*p < least) *p = least; // NaN stays, to be found
        if (*p > most_p) *p = most_p;
        if (*a < least) *a = least;
    }
}

static double curve(const Position *pos, int set, int head, int distance) {
    const int n = set * pos->shape.heads + head;
    const double p = (double)pos->params[P][n], a = (double)pos->params[A][n];
    return kind_of(pos) == KIND_LOG ? -p * log1p(a * distance) : -a * pow(distance, p);
}

// With n the distance, forward was
//   log:    curve = -p ln(1 + a n),  so d curve / dp = -ln(1 + a n)   and d curve / da = -p n / (1 + a n);
//   power:  curve = -a n^p,          so d curve / dp = -a n^p ln(n)   and d curve / da = -n^p.
// All four are 0 at n = 0.
static void curve_backward(const Tables *tables, int set, int head) {
    const Position *pos = tables->pos;
    const int n = set * pos->shape.heads + head;
    const double p = (double)pos->params[P][n], a = (double)pos->params[A][n];
    double dp = 0, da = 0;
    for (int distance = 1; distance < tables->positions; distance++) {
        const double G = bias_gradient(tables, set, head, distance), power = pow(distance, p);
        dp -= G * (kind_of(pos) == KIND_LOG ? log1p(a * distance) : a * power * log(distance));
        da -= G * (kind_of(pos) == KIND_LOG ? p * distance / (1 + a * distance) : power);
    }
    pos->dparams[P][n] += (real)dp;
    pos->dparams[A][n] += (real)da;
}

const Scheme scheme_kerple = {
    .name = "kerple",
    .formula = "S_ij -= p_h ln(1 + a_h (i - j)), or a_h (i - j)^p_h; p, a trained",
    .paper = "Chi et al. 2022 (2205.09921)",
    .help =
        "Like ALiBi, with a trained shape: a logarithm, which falls slowly, or a power, which falls more or less "
        "steeply than a straight line. Two numbers per head and layer, found by gradient descent from a random start. "
        "After each step, those below 0.01 are set to 0.01, and a power's p above 2 to 2.",
    .options = kerple_options,
    .params = params,
    .init = init,
    .project = project,
    BIAS_SCHEME(.curve = curve, .curve_backward = curve_backward),
};
