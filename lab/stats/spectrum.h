// What a table of positions (T, C), one row for each, is made of: which waves it has, and how far it is a linear map of
// itself.
#ifndef BITTER_SPECTRUM_H
#define BITTER_SPECTRUM_H

#include "base/error.h"
#include "num/tensor.h"

#define WAVE_LEAST 4
// (T/2 + 1) the share of the variance of the table (T, C), T >= WAVE_LEAST, that has frequency k/T, all columns
// together: the first is 0, and the sum 1; NAN when all rows are equal. The caller frees it. NULL, with an error, when
// a number of the table is not finite (input), and for want of memory (run).
double *power_spectrum(const real *table, int T, int C, Error *error);

// The least-squares error of the best linear map from X to Y, both (rows, C), divided by the spread of Y around its
// mean: 0 = Y is a linear map of X, 1 = X does not help. NAN where rows <= C, because X would explain anything.
// Overwrites both.
double linear_residual(double *Y, double *X, int rows, int C);

// The same for the best linear map from the code at p to the code at p + shift, of codes (T, C). NAN also when there is
// no memory for it.
double shift_residual(const real *codes, int T, int C, int shift);

#endif
