// Rounding to fewer digits: what a number becomes when it is held in 16 or 8 bits.
#ifndef BITTER_ROUNDING_H
#define BITTER_ROUNDING_H

#include "num/real.h"

#include <stddef.h>

typedef enum { FORMAT_FLOAT, FORMAT_BF16, FORMAT_FP8, FORMAT_INT8 } NumberFormat;

#define NUMBER_FORMATS "float|bf16|fp8|int8" // their names, in this order

// The nearest number that the format has, ties to even; NaN stays NaN.
//
//   float  x itself, with all its digits
//   bf16   8 significant bits and the range of a float: beyond it is infinity
//   fp8    E4M3 (Micikevicius et al. 2022, 2209.05433): 4 significant bits, multiples of 2^-9, at most 448;
//          larger numbers and infinity become 448 (saturation)
//   int8   multiples of largest / 127, from -largest to largest
//
// Only int8 uses `largest` (>= 0).
double rounded(double x, NumberFormat format, double largest);

// All of x (count), in place. For int8 they share one `largest`, the largest finite magnitude among them.
void round_all(real *x, size_t count, NumberFormat format);

#endif
