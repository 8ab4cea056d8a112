// Codes that are added to the embeddings and not trained: a table with one row for each coordinate.
#ifndef BITTER_CODE_H
#define BITTER_CODE_H

#include "posenc/posenc.h"

// What such a scheme writes into its Scheme, beside its `code`.
#define CODE_HOOKS                                                                                                     \
    .layout = code_layout, .prepare = code_prepare, .embed_forward = code_forward, .operations = code_operations

// The table (positions, C), and its rows, each by the scheme's `code`.
void code_layout(Tables *tables, Arena *arena, bool training);
void code_prepare(Tables *tables);

// x += code(at). The code is constant, so dx passes unchanged and there is no backward.
void code_forward(const Tables *tables, real *x, const Place *at, int rows);

// Hook: an addition for each channel.
double code_operations(const Position *pos, int T);

// The check hook of schemes with such a code: an odd width is refused.
const char *sinusoid_check(const Position *pos);

// A sinusoidal code (C) of coordinate t: pair i is peak sin and peak cos of t base^(-2i/C), side by side, or all sines
// before all cosines (Vaswani et al. 2017). Angles are worked out in double: at position 131072 a float angle is
// already 0.004 rad off.
void code_sinusoid(real *code, double peak, int t, int C, double base, bool side_by_side);

#endif
