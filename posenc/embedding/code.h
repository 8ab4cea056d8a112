// The family of codes: x_t += code(t), a vector (C) for each coordinate t. A scheme writes its `code`; the hooks are
// here, the same for all. Two factors can be trained: that of sinusoidal:gain=trained, and the gate of gate=trained.
#ifndef BITTER_CODE_H
#define BITTER_CODE_H

#include "posenc/scheme.h"

extern const Family code_family;

// What a scheme writes. code: the code (C) that is added to the embedding of a token at coordinate t. is_table: the
// codes themselves are trained, as params[0] (positions, C). code_backward: codes are computed from parameters; add to
// dparams, from the gradient (C) of the code at t. A scheme with params but neither has one trained factor, params[0].
typedef struct {
    void (*code)(real *code, const Tables *tables, int t);
    bool is_table;
    void (*code_backward)(const Tables *tables, const real *dcode, int t);
} Code;

#define CODE_SCHEME(...)                                                                                               \
    .family = &code_family, .operations = code_operations, .recipe = &(const Code) {                                   \
        __VA_ARGS__                                                                                                    \
    }

// The hook `operations`: adding a code, forward and, where it is trained, backward.
double code_operations(const Position *pos, int T);

// The check of schemes with sines and cosines: an odd width is refused.
const char *sinusoid_check(const Position *pos);

// A sinusoidal code (C) of coordinate t: pair i is peak sin and peak cos of t base^(-2i/C), side by side, or all sines
// before all cosines (Vaswani et al. 2017). Angles are computed in double: at position 131072 a float angle is already
// 0.004 rad off. They are then rounded to `held_as`; coordinates are at most `last`.
void code_sinusoid(real *code, double peak, int t, int C, double base, bool side_by_side, NumberFormat held_as,
                   int last);

#endif
