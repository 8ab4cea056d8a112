// What a table of positions (T, C), one row for each, is made of: how many directions it uses, which waves it has, and
// whether the likeness of two positions is a matter of their distance alone.
#ifndef BITTER_SPECTRUM_H
#define BITTER_SPECTRUM_H

#include "base/error.h"
#include "num/real.h"

typedef struct {
    int count;      // min(T, C)
    double *values; // (count) singular values, falling; NAN where the build has no LAPACK (SPECTRUM_HAS_VALUES)
    double *power;  // (T/2 + 1) the share of the variance that has frequency k/T, all columns together: power[0] is 0,
                    // and the sum 1; NAN when all rows are equal
} Spectrum;

// BLAS=openblas, mkl and accelerate bring LAPACK.
#ifdef LAPACK
#define SPECTRUM_HAS_VALUES true
#else
#define SPECTRUM_HAS_VALUES false
#endif

// The singular values and the power of the table (T, C) less its mean row, T >= WAVE_LEAST. Fails (input) when a number
// of the table is not finite, (run) for want of memory.
#define WAVE_LEAST 4
bool spectrum_create(Spectrum *spectrum, const real *table, int T, int C, Error *error);
void spectrum_free(Spectrum *spectrum);

// exp of the entropy of the shares of the variance (squares of the values): 1 = one direction holds all of it, count =
// all hold the same. Roy and Vetterli (2007) take shares of the values, which gives more. NAN when all are 0.
double effective_rank(const double *values, int count);

// How many of the values, which fall, hold at least this share (below 1) of the sum of their squares; 0 when all are 0.
double values_holding(const double *values, int count, double share);

// The share of the variance of P[p].P[q], over all pairs p > q, that p-q explains: 1 = the product is a function of the
// distance; random rows have about 2/T. NAN when all products are equal.
double translation_invariance(const real *table, int T, int C);

// The least-squares error of the best linear map from X to Y, both (rows, C), divided by the spread of Y around its
// mean: 0 = Y is a linear map of X, 1 = X does not help. NAN where rows <= C, because X would explain anything.
// Overwrites both.
double linear_residual(double *Y, double *X, int rows, int C);

// The same for the best linear map from the code at p to the code at p + shift, of codes (T, C). NAN also when there is
// no memory for it.
double shift_residual(const real *codes, int T, int C, int shift);

#endif
