// How well simple relations hold: a linear map between rows, and a rising order of values.
#ifndef BITTER_FIT_H
#define BITTER_FIT_H

#include "model/base/real.h"

// The least-squares error of the best linear map from X to Y, both (rows, C), divided by the spread of Y around its
// mean: 0 = Y is a linear map of X, 1 = X does not help. NAN where rows <= C, because X would explain anything.
// Overwrites both.
double linear_residual(double *Y, double *X, int rows, int C);

// The same for the best linear map from the code at p to the code at p + shift, of codes (T, C). NAN also when there is
// no memory for it.
double shift_residual(const real *codes, int T, int C, int shift);

// Spearman's rank correlation of values (count) with 0, 1, 2 ...; equal values share their mean rank. NAN if all are
// equal.
double rank_correlation(const double *values, int count);

#endif
