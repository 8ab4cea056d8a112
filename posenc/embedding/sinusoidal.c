// Sinusoidal positions: a fixed code of sines and cosines, from fast to slow, added to the token embedding.
#include "posenc/embedding/code.h"

#include "model/base/team.h"

enum { AMPLITUDE };  // params (1, 1), if it is trained
enum { BY_CHANNEL }; // dtables (C): what each channel adds to the gradient of the amplitude

typedef enum { INTERLEAVED, CONCATENATED } Layout;

typedef struct {
    double base, amplitude;
    int layout, gain;
} SinusoidalOptions;

static const Option sinusoidal_options[] = {
    {"base", OPTION_NUMBER, offsetof(SinusoidalOptions, base), "10000", 1.000001, HUGE_VAL, NULL, "B",
     "the slowest pair turns about B times slower than the fastest"},
    {"layout", OPTION_CHOICE, offsetof(SinusoidalOptions, layout), "interleaved", 0, 0, "interleaved|concatenated",
     "HOW", "sin and cos side by side (the paper), or all sines, then all cosines"},
    {"amplitude", OPTION_NUMBER, offsetof(SinusoidalOptions, amplitude), "0.02", 0, 100, NULL, "RMS",
     "RMS of the code; 0.02 is that of the token embeddings at the start, 0.7071 the unit sinusoid"},
    {"gain", OPTION_CHOICE, offsetof(SinusoidalOptions, gain), "fixed", 0, 0, "fixed|trained", "HOW",
     "trained: the amplitude is one trained number for all pairs, which starts at `amplitude`"},
    {0},
};

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "amplitude", 1, 1, INIT_ZERO, 0);
}

static void init(Position *pos, uint64_t seed) {
    pos->params[AMPLITUDE][0] = (real)scheme_options(pos, SinusoidalOptions)->amplitude;
}

// The code at its fixed amplitude; at amplitude 1 if that is trained.
static void code_at(real *code, const Tables *tables, int t) {
    const Position *pos = tables->pos;
    const SinusoidalOptions *o = scheme_options(pos, SinusoidalOptions);
    const double amplitude = position_trained(pos) ? 1 : o->amplitude;
    const double peak = amplitude * sqrt(2); // sin^2 + cos^2 = 1, so a unit pair has RMS sqrt(1/2)
    code_sinusoid(code, peak, t, pos->shape.width, o->base, o->layout == INTERLEAVED);
}

static void layout(Tables *tables, Arena *arena, bool training) {
    code_layout(tables, arena, training);
    if (training && position_trained(tables->pos))
        tables->dtable[BY_CHANNEL] = arena_reals(arena, (size_t)tables->pos->shape.width);
}

// The code does not change in training.
static void prepare(Tables *tables) {
    if (!tables->prepared) code_prepare(tables);
}

// x += a code(at)
static void embed_forward(const Tables *tables, real *x, const Place *at, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width;
    if (!position_trained(pos)) {
        code_forward(tables, x, at, rows);
        return;
    }
    const real a = pos->params[AMPLITUDE][0];
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *code = tables->code.values + (size_t)at[r].t * C;
        real *x_r = x + (size_t)r * C;
        for (int c = 0; c < C; c++) x_r[c] += a * code[c];
    }
}

// So da = the sum of dx code(at) over all tokens and channels. Threads share out the channels; `reduce` adds them up.
static void embed_backward(const Tables *tables, const real *dx, const Place *at, int rows) {
    const int C = tables->pos->shape.width;
    if (!position_trained(tables->pos)) return;
    const Share own = share_columns(C);
    for (int r = 0; r < rows; r++) {
        const real *code = tables->code.values + (size_t)at[r].t * C, *dx_r = dx + (size_t)r * C;
        for (int c = own.begin; c < own.end; c++) tables->dtable[BY_CHANNEL][c] += dx_r[c] * code[c];
    }
}

static void reduce(Tables *tables) {
    const Position *pos = tables->pos;
    double da = 0;
    if (!position_trained(pos)) return;
    for (int c = 0; c < pos->shape.width; c++) da += (double)tables->dtable[BY_CHANNEL][c];
    pos->dparams[AMPLITUDE][0] += (real)da;
    memset(tables->dtable[BY_CHANNEL], 0, (size_t)pos->shape.width * sizeof(real));
}

// A trained amplitude: for each channel a product and an addition, forward and backward.
static double operations(const Position *pos, int T) {
    return position_trained(pos) ? 4.0 * pos->shape.width : code_operations(pos, T);
}

const Scheme scheme_sinusoidal = {
    .name = "sinusoidal",
    .formula = "x_t[2i] += a sin(t b^(-2i/C)), x_t[2i+1] += a cos(same)",
    .paper = "Vaswani et al. 2017 (1706.03762)",
    .help =
        "A fixed code: each pair of channels is a sine and a cosine, the first with a period of 6.28 tokens, the last "
        "about B times slower. The code at t+k is the code at t rotated by angles that depend on k alone. `amplitude` "
        "scales it to the size of the token embeddings; the unit sinusoid of the paper is 35 times as large. With "
        "gain=trained, gradient descent chooses how large the code is, and nothing else.",
    .options = sinusoidal_options,
    .trains = &sinusoidal_options[3],
    .enters = ENTERS_EMBEDDING,
    .check = sinusoid_check,
    .operations = operations,
    .params = params,
    .init = init,
    .layout = layout,
    .prepare = prepare,
    .reduce = reduce,
    .code = code_at,
    .embed_forward = embed_forward,
    .embed_backward = embed_backward,
};
