// Codes that are added to the embeddings and not trained: a table with one row for each coordinate.
#ifndef BITTER_CODE_H
#define BITTER_CODE_H

#include "posenc/posenc.h"

// For a scheme's layout hook: the table (positions, C).
void code_layout(Position *pos, Arena *arena, bool training);

// For a scheme's prepare hook: every row by `fill`, which writes the code (C) of coordinate t.
void code_prepare(Position *pos, void (*fill)(real *code, const Position *pos, int t));

// The embed_forward hook: x += code(at). The code is constant, so dx passes unchanged and there is no backward.
void code_forward(const Position *pos, real *x, const Place *at, int rows);

// A sinusoidal code (C) of coordinate t: pair i is peak sin and peak cos of t base^(-2i/C), side by side, or all sines
// before all cosines (Vaswani et al. 2017). Angles are worked out in double: at position 131072 a float angle is
// already 0.004 rad off.
void code_sinusoid(real *code, double peak, int t, int C, double base, bool side_by_side);

#endif
