// Softmax of one row of scores at a time, for attention.c: its query sees the first `seen` columns, or the last
// `window` of these.
#ifndef BITTER_SOFTMAX_H
#define BITTER_SOFTMAX_H

#include "num/real.h"

// Rows of scores have room for multiples of this many keys, because vectors are fast and what remains after them is
// slow. So the softmax of a row works on some numbers beyond the last key that is seen.
#define TOGETHER 32

static inline int round_up(int keys) {
    return (keys + TOGETHER - 1) / TOGETHER * TOGETHER;
}

// How many of the columns up to a query's own, `seen` of them, have left its window.
static inline int left_window(int seen, int window) {
    return window && seen > window ? seen - window : 0;
}

// Mask the scores S of these columns. Returns how many of the first ones need not be looked at at all, a multiple of
// TOGETHER.
static inline int mask_left(real *S, int seen, int window) {
    const int left = left_window(seen, window), skipped = left / TOGETHER * TOGETHER;
    for (int j = skipped; j < left; j++) S[j] = -INFINITY;
    return skipped;
}

// exp(x), but 0 where that is less than 1e-26: gradients of such small weights would be denormal numbers, with which
// some processors multiply a hundred times slower. Biases that fall with distance make many of them.
static inline real weight_of(real x) {
    const real weight = real_exp(x);
    return x < -60 ? 0 : weight; // NaN stays NaN
}

// LANES maxima and sums side by side fill whole vectors, if `omp simd` keeps gcc from unrolling them.
enum { LANES = 16 };
// The largest of the first `seen` scores of a row.
static inline real row_most(const real *S, int seen) {
    const int end = round_up(seen);
    real most[LANES];
    for (int l = 0; l < LANES; l++) most[l] = S[0];
    for (int j = 0; j < end; j += LANES)
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            const real any = S[j + l], score = j + l < seen ? any : -INFINITY;
            most[l] = score > most[l] ? score : most[l];
        }
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) most[l] = most[l + half] > most[l] ? most[l + half] : most[l];
    return most[0];
}

// P = exp(S - most) of the first `seen` scores, zeros up to round_up(seen); P may be S. Returns their sum.
static inline double row_weights(real *P, const real *S, int seen, real most) {
    enum { PART = 256 }; // sums in parts, so that rounding errors stay small in long rows
    const int end = round_up(seen);
    double sum = 0;
    for (int first = 0; first < end; first += PART) {
        real part[LANES] = {0};
        for (int j = first; j < end && j < first + PART; j += LANES)
#pragma omp simd
            for (int l = 0; l < LANES; l++) {
                const real weight = weight_of(S[j + l] - most);
                P[j + l] = j + l < seen ? weight : 0;
                part[l] += P[j + l];
            }
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++) part[l] += part[l + half];
        sum += (double)part[0];
    }
    return sum;
}

// P = softmax of the first `seen` scores, zeros up to `stride`; P may be S. Returns the log of the denominator.
static inline real softmax_row(real *P, const real *S, int seen, int stride) {
    const int end = round_up(seen);
    const real most = row_most(S, seen);
    const double sum = row_weights(P, S, seen, most);
    const real scale = (real)(1 / sum);
#pragma omp simd
    for (int j = 0; j < end; j++) P[j] *= scale;
    for (int j = end; j < stride; j++) P[j] = 0;
    // cppcheck-suppress invalidFunctionArg // sum is at least 1, the largest score's
    return (real)(log(sum) + (double)most);
}

#endif
