// How well simple relations hold: of rows by a linear map, of values with their order.
#ifndef BITTER_FIT_H
#define BITTER_FIT_H

// The least-squares error of the best linear map from rows X to rows Y, both (rows, C), by the spread of Y around its
// mean: 0 = Y is a linear map of X, 1 = X says nothing. NAN where X has as many columns as rows, which explain
// anything. Both are overwritten.
double linear_residual(double *Y, double *X, int rows, int C);

// Spearman's rank correlation of values (count) with 0, 1, 2 ...; ties share their mean rank. NAN if all are equal.
double rank_correlation(const double *values, int count);

#endif
