// The power spectrum of a table of positions (T, C), which has a row for each position.
#ifndef BITTER_SPECTRUM_H
#define BITTER_SPECTRUM_H

#include "base/error.h"
#include "num/tensor.h"

#define WAVE_LEAST 4
// Returns (T/2 + 1) numbers: number k is the share of the variance of the table (T, C), all columns together, at
// frequency k/T. Number 0 is 0, and the sum is 1; all are NAN when all rows are equal. T >= WAVE_LEAST. The caller
// frees them. Fails with NULL: (input) when a number of the table is not finite, (run) when there is no memory.
double *power_spectrum(const real *table, int T, int C, Error *error);

#endif
