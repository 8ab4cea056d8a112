// p-RoPE: RoPE without its slowest pairs, which hardly turn within a context and are used for content anyway.
#include "posenc/rotation/rotate.h"

typedef struct {
    Rotary rotary;
    double p;
} PropeOptions;

static const Option prope_options[] = {
    {"p", OPTION_NUMBER, offsetof(PropeOptions, p), "0.75", 0, 1, NULL, "P",
     "fraction of the pairs that turn, the fastest first, rounded down: 0.1 of 4 pairs turns none"},
    ROTARY_OPTION_ROWS(PropeOptions, "10000", "(i, i+d/2)"),
    {0},
};

// The exponents are those of all d/2 pairs; the slow ones stand still.
static double theta(const Position *pos, int set, int head, int pair) {
    const double p = scheme_options(pos, PropeOptions)->p;
    return pair < (int)(p * rotary_pairs(pos)) ? rotary_theta(pos, set, head, pair) : 0;
}

const Scheme scheme_prope = {
    .name = "prope",
    .formula = "q_t, k_t: pair i < p d/2 turned by t b^(-2i/d)",
    .paper = "Barbero et al. 2024 (2410.06205)",
    .help =
        "RoPE without the rotation of its slowest pairs. In RoPE these turn only a little within the trained length "
        "and reach angles beyond it that were never seen in training; models were found to use them for content.",
    .options = prope_options,
    ROTATION_SCHEME(.theta = theta),
    .stretches = true,
};
