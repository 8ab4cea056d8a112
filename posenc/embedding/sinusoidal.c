// Sinusoidal positions: a fixed code of sines and cosines, from fast to slow, added to the token embedding.
#include "posenc/embedding/code.h"

enum { AMPLITUDE }; // params (1, 1), if it is trained: the factor of the code

typedef enum { INTERLEAVED, CONCATENATED } Layout;

typedef struct {
    double base, amplitude;
    int layout, gain, gate;
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
    GATE_OPTION_ROW(SinusoidalOptions, gate),
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
    code_sinusoid(code, peak, t, pos->shape.width, o->base, o->layout == INTERLEAVED, pos->held_as,
                  tables->positions - 1);
}

const Scheme scheme_sinusoidal = {
    .name = "sinusoidal",
    .formula = "x_t[2i] += a sqrt(2) sin(t b^(-2i/C)), x_t[2i+1] += a sqrt(2) cos(same), a = amplitude",
    .paper = "Vaswani et al. 2017 (1706.03762)",
    .help =
        "A fixed code: each pair of channels is a sine and a cosine, the first with a period of 6.28 tokens, the last "
        "about B times slower. The code at t+k is the code at t rotated by angles that depend on k alone. `amplitude` "
        "scales it to the size of the token embeddings; the unit sinusoid of the paper is 35 times as large. With "
        "gain=trained, gradient descent chooses how large the code is, and nothing else.",
    .options = sinusoidal_options,
    .trains = &sinusoidal_options[3],
    .enters = ENTERS_EMBEDDING,
    CODE_SCHEME(.code = code_at),
    .check = sinusoid_check,
    .params = params,
    .init = init,
};
