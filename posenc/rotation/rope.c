// Rotary positions (RoPE): queries and keys are turned by an angle proportional to their position, so that their
// product depends on the distance alone.
//
// The d channels of a head are taken in pairs. Pair i of a token at position t is a point (x0, x1) of a plane, and is
// turned by the angle t theta_i, where theta_i = base^(-2i/d). With R(phi) the rotation by phi, the product of a query
// at m and a key at n is
//
//     (R(m theta) q) . (R(n theta) k) = q . R(m theta)^T R(n theta) k = q . R((n - m) theta) k,
//
// because the transpose of a rotation is the rotation back, R(phi)^T = R(-phi), and angles add up. Only the
// difference of m and n is left: shifting a whole sequence changes no score.
#include "posenc/rotation/rotate.h"

// Pair 0 turns by one radian a token, the last one about `base` times slower: fast pairs tell neighbours apart, slow
// ones tell far from near.
double rope_theta(double base, int pair, int d) {
    return pow(base, -2.0 * pair / d);
}

// The next three functions explain one pair. Training runs rotate() on all pairs; a test compares the two.
void rope_pair_forward(double y[2], const double x[2], double angle) {
    const double c = cos(angle), s = sin(angle), x0 = x[0], x1 = x[1];
    y[0] = x0 * c - x1 * s;
    y[1] = x0 * s + x1 * c;
}

// Forward was y0 = x0 c - x1 s and y1 = x0 s + x1 c. x0 enters y0 with the factor c and y1 with s; x1 enters y0 with -s
// and y1 with c: the same rotation by -angle. So lengths are kept, |dx| = |dy|, and no gradient grows or fades here.
void rope_pair_backward(double dx[2], const double dy[2], double angle) {
    const double c = cos(angle), s = sin(angle), dy0 = dy[0], dy1 = dy[1];
    dx[0] = dy0 * c + dy1 * s;
    dx[1] = -dy0 * s + dy1 * c;
}

// The derivatives of y0 and y1 with respect to the angle are -x0 s - x1 c = -y1 and x0 c - x1 s = y0. RoPE's angles are
// fixed and need no gradient; rope-learned, formulas and `bitter extend --method gradient` train theta: angle = t
// theta, so dtheta = the sum over all tokens of t dangle.
double rope_pair_torque(const double dy[2], const double y[2]) {
    return dy[1] * y[0] - dy[0] * y[1];
}

// --- the scheme: its family does the above for all pairs, heads and tokens (rotation.c) ---
static const Option rope_options[] = {
    ROTARY_OPTION_ROWS(RotaryOptions, "10000", "(i, i+d/2)"), ROTARY_AXES_ROW(RotaryOptions, "1"), {0}};

static const Scheme *meant(const void *options) {
    return ((const RotaryOptions *)options)->rotary.axes > 1 ? &scheme_rope_axes : NULL;
}

const Scheme scheme_rope = {
    .name = "rope",
    .formula = "q_t, k_t: pair i turned by t b^(-2i/d)",
    .paper = "Su et al. 2021 (2104.09864)",
    .help = "Each pair of channels of a query or key is turned by an angle proportional to the token's position. The "
            "product of a query and a key then depends on the difference of their angles, so on their distance alone; "
            "nothing is added and no length changes. rope*3,none leaves every fourth layer without positions, as "
            "SmolLM3 and Llama 4 do. axes=2, whose old name is rope2d, is for grids, poems, tables and code: half of "
            "the pairs turn by the line and half by the column; axes=3 counts pages, too, and axes=4 documents. A "
            "newline begins a line, an empty line a page. With several axes, base is 100 by default.",
    .options = rope_options,
    .meant = meant,
    ROTATION_SCHEME(.theta = rotary_theta),
    .stretches = true,
};
