// Which waves a table of positions (T, C), one row for each, is made of.
#ifndef BITTER_SPECTRUM_H
#define BITTER_SPECTRUM_H

#include "base/error.h"
#include "num/tensor.h"

#define WAVE_LEAST 4
// (T/2 + 1) the share of the variance of the table (T, C), T >= WAVE_LEAST, that has frequency k/T, all columns
// together: the first is 0, and the sum 1; NAN when all rows are equal. The caller frees it. NULL, with an error, when
// a number of the table is not finite (input), and for want of memory (run).
double *power_spectrum(const real *table, int T, int C, Error *error);

#endif
