// Sinusoidal positions: a fixed code of sines and cosines, from fast to slow, added to the token embedding.
#include "posenc/embedding/code.h"

typedef enum { INTERLEAVED, CONCATENATED } Layout;

typedef struct {
    double base, amplitude;
    int layout;
} SinusoidalOptions;

static const Option sinusoidal_options[] = {
    {"base", OPTION_NUMBER, offsetof(SinusoidalOptions, base), "10000", 1.000001, HUGE_VAL, NULL, "B",
     "the slowest pair turns about B times slower than the fastest"},
    {"layout", OPTION_CHOICE, offsetof(SinusoidalOptions, layout), "interleaved", 0, 0, "interleaved|concatenated",
     "HOW", "sin and cos side by side (the paper), or all sines, then all cosines"},
    {"amplitude", OPTION_NUMBER, offsetof(SinusoidalOptions, amplitude), "0.02", 0, 100, NULL, "RMS",
     "RMS of the code; 0.02 is that of the token embeddings at the start, 0.7071 the unit sinusoid"},
    {0},
};

static void code_at(real *code, const Tables *tables, int t) {
    const Position *pos = tables->pos;
    const SinusoidalOptions *o = scheme_options(pos, SinusoidalOptions);
    const double peak = o->amplitude * sqrt(2); // sin^2 + cos^2 = 1, so a unit pair has RMS sqrt(1/2)
    code_sinusoid(code, peak, t, pos->shape.width, o->base, o->layout == INTERLEAVED);
}

const Scheme scheme_sinusoidal = {
    .name = "sinusoidal",
    .formula = "x_t[2i] += a sin(t b^(-2i/C)), x_t[2i+1] += a cos(same)",
    .paper = "Vaswani et al. 2017 (1706.03762)",
    .help =
        "A fixed code: each pair of channels is a sine and a cosine, the first with a period of 6.28 tokens, the last "
        "about B times slower. The code at t+k is the code at t rotated by angles that depend on k alone. `amplitude` "
        "scales it to the size of the token embeddings; the unit sinusoid of the paper is 35 times as large.",
    .options = sinusoidal_options,
    .enters = ENTERS_EMBEDDING,
    .check = sinusoid_check,
    CODE_HOOKS,
    .code = code_at,
};
