// xPos: RoPE whose pairs also fade with distance, the slow ones least: queries shrink and keys grow with their
// position, and in the product only the difference of the two is left.
#include "posenc/rotation/rotate.h"

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

// A query becomes s R q, with a number s for each pair, so backward is s R^T dq: the same scale and the opposite angle.
// For keys it is 1/s. Positions are counted from the middle: that changes no product, and keeps the scales near 1.
static double growth(const Position *pos, int pair, int t, int positions) {
    return pow(zeta(pos, pair), (t - (positions + 1) / 2) / scheme_options(pos, XposOptions)->gamma);
}

const Scheme scheme_xpos = {
    .name = "xpos",
    .formula = "rope, and pair i of q_t times z_i^(t/gamma), of k_t times z_i^(-t/gamma), z_i = (2i/d + 0.4) / 1.4",
    .paper = "Sun et al. 2022 (2212.10554)",
    .help = "RoPE with a decay by distance: fast pairs, whose angles carry little information far away, fade first. "
            "The paper's long-context results also need blockwise attention, which is not included here.",
    .options = xpos_options,
    ROTATION_SCHEME(.theta = rotary_theta, .growth = growth),
    .max_length = max_length,
};
