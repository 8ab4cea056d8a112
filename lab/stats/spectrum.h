// What a table of positions (T, C), one row for each, is made of: how many directions it uses, which waves it has, and
// whether the likeness of two positions is a matter of their distance alone.
#ifndef BITTER_SPECTRUM_H
#define BITTER_SPECTRUM_H

#include "base/error.h"
#include "num/real.h"

// BLAS=openblas, mkl and accelerate bring LAPACK.
#ifdef LAPACK
#define SPECTRUM_HAS_RANK true
#else
#define SPECTRUM_HAS_RANK false
#endif

// Of the table (T, C) less its mean row, T >= WAVE_LEAST:
// - *rank, the effective rank: exp of the entropy of the shares that the squares of the singular values have in their
//   sum. 1 = one direction holds all of the variance, min(T, C) = all hold the same. Roy and Vetterli (2007) take
//   shares of the values themselves, which gives more. NAN when all rows are equal, and where the build has no LAPACK.
// - power (T/2 + 1), the share of the variance that has frequency k/T, all columns together: power[0] is 0, and the sum
//   1; NAN when all rows are equal.
// Fails (input) when a number of the table is not finite, (run) for want of memory.
#define WAVE_LEAST 4
bool spectrum(double *rank, double *power, const real *table, int T, int C, Error *error);

// The share of the variance of P[p].P[q], over all pairs p > q, that p-q explains: 1 = the product is a function of the
// distance; random rows have about 2/T. NAN when all products are equal.
double translation_invariance(const real *table, int T, int C);

// The least-squares error of the best linear map from the code at p to the code at p + shift, of codes (T, C), divided
// by the spread of the latter around their mean: 0 = the shift is a linear map, 1 = the code at p does not help. NAN
// where T - shift <= C, because any codes would fit, and when there is no memory.
double shift_residual(const real *codes, int T, int C, int shift);

#endif
