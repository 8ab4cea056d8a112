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
#else
typedef float real;

static inline real real_sqrt(real x) {
    return sqrtf(x);
}

// exp(x) within 2 ulp, in plain arithmetic so that loops over it vectorise: x = n ln 2 + r with |r| <= ln(2)/2, then
// exp(x) = 2^n p(r). Below -87 it stays at the smallest normal number's size, so it is never 0, not even for -INFINITY:
// masked scores need weight_of (softmax.h). Above 88 it gives infinity, and NaN stays NaN.
static inline real real_exp(real x) {
    const float round = 12582912.0f; // 1.5 * 2^23: adding it rounds to an integer held in the low bits
    float y = x < -87.0f ? -87.0f : x;
    float shifted = y * 1.44269504f + round;
    float n = shifted - round;
    float r = y - n * 0.693145752f - n * 1.42860677e-6f;
    float p = r * (0.0416683942f + r * (0.00836878041f + r * 0.0013814467f)); // smallest relative error, 3e-9
    p = 1.0f + r * (1.0f + r * (0.499999934f + r * (0.166665201f + p)));
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - 0x4B400000u + 127u) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return y > 88.0f ? INFINITY : p * scale;
}
#endif

#endif
