// The number type: float, or double when the same sources are built with -DREAL_DOUBLE for gradient checks.
#ifndef BITTER_REAL_H
#define BITTER_REAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef REAL_DOUBLE
typedef double real;

static inline real real_exp(real x) {
    return exp(x);
}

static inline real real_sqrt(real x) {
    return sqrt(x);
}

static inline real real_log1p(real x) {
    return log1p(x);
}

static inline void real_turn(real *cosine, real *sine, double turns) {
    const double angle = 2 * M_PI * (turns - rint(turns));
    *cosine = cos(angle);
    *sine = sin(angle);
}
#else
typedef float real;

static inline real real_sqrt(real x) {
    return sqrtf(x);
}

// exp(x) within 2 ulp, in plain arithmetic so that loops over it vectorise: x = n ln 2 + r with |r| <= ln(2)/2, then
// exp(x) = 2^n p(r). Below -87 the result stays near the smallest normal number, so it is never 0, not even for
// -INFINITY: masked scores need weight_of (attention_blocks.c). Above 88 it gives infinity, and NaN stays NaN.
static inline real real_exp(real x) {
    const float round = 12582912.0f; // 1.5 * 2^23: adding it rounds to an integer held in the low bits
    float y = x < -87.0f ? -87.0f : x;
    float shifted = y * 1.44269504f + round;
    float n = shifted - round;
    float r = y - n * 0.693145752f - n * 1.42860677e-6f;
    float p = r * (0.0416683942f + r * (0.00836878041f + r * 0.0013814467f)); // least maximal relative error, 3e-9
    p = 1.0f + r * (1.0f + r * (0.499999934f + r * (0.166665201f + p)));
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - 0x4B400000u + 127u) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return y > 88.0f ? INFINITY : p * scale;
}

// log(1 + x) for 0 <= x <= 1, which also vectorises: with s = x / (2 + x), which is at most 1/3, it is
// log((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 ...).
static inline real real_log1p(real x) {
    const float s = x / (2 + x), s2 = s * s;
    const float p = 1 / 9.0f + s2 * (1 / 11.0f + s2 * (1 / 13.0f + s2 / 15));
    return 2 * s * (1 + s2 * (1 / 3.0f + s2 * (1 / 5.0f + s2 * (1 / 7.0f + s2 * p))));
}

// cos and sin of an angle given in full turns, which also vectorise: r, the difference to the nearest quarter turn, is
// at most pi/4 and goes into their power series. It is computed in double, so many turns cost no accuracy.
static inline void real_turn(real *cosine, real *sine, double turns) {
    const double round = 6755399441055744.0; // 1.5 * 2^52
    const double shifted = 4 * turns + round;
    uint64_t quarters;
    memcpy(&quarters, &shifted, sizeof quarters);
    const uint32_t quarter = (uint32_t)quarters & 3;
    const float r = (float)((4 * turns - (shifted - round)) * (M_PI / 2)), r2 = r * r;
    const float c = 1 + r2 * (-1 / 2.0f + r2 * (1 / 24.0f + r2 * (-1 / 720.0f + r2 / 40320)));
    const float s = r * (1 + r2 * (-1 / 6.0f + r2 * (1 / 120.0f + r2 * (-1 / 5040.0f + r2 / 362880))));
    const float x = quarter & 1 ? s : c, y = quarter & 1 ? c : s;
    *cosine = (quarter + 1) & 2 ? -x : x;
    *sine = quarter & 2 ? -y : y;
}
#endif

#endif
