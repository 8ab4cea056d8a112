// Which angles the tables of rotation.c hold, and where the gradients of angles go: what stretches and trains them.
#ifndef BITTER_ANGLES_H
#define BITTER_ANGLES_H

#include "posenc/rotation/rotate.h"

// The scheme's theta.
static inline double theta_of(const Position *pos, int set, int head, int pair) {
    return angles_of(pos)->theta(pos, set, head, pair);
}

// Pairs that make a full turn within `length` tokens.
int rotary_fast_pairs(const Position *pos, int length);

// The base of frequencies base^(-i/n), which YaRN's and Llama 3's rules read; 0 = a formula has others.
double rotary_base(const Position *pos);

// Column n of the tables (layers, heads, positions, pairs), n = (layer * heads + head) * pairs + pair: it turns by gate
// t theta at t, the first tokens by another theta, and is multiplied by `length`.
typedef struct {
    double gate, theta, first_theta, length;
    int first;
} RotaryColumn;
RotaryColumn rotary_column(const Tables *tables, int n);
static inline double rotary_angle(const RotaryColumn *c, int t) {
    return c->gate * (t * (t < c->first ? c->first_theta : c->theta));
}

// The largest angle of the first `columns`, as int8 needs it.
double rotary_largest_angle(const Tables *tables, int columns);

// All gradients of angles follow by the chain rule from one, dtheta of each layer, head and pair: those of
// rope-learned, of a formula, of the gates of gate=trained (angles g t theta), and of the factors of `bitter extend
// --method gradient` (angles t theta / factor).
void dtheta_layout(Tables *tables, Arena *arena);
// Add the dtheta of a layer, from the outputs of rotary_turn and their gradients. Does nothing if no angle is trained.
void dtheta_collect(const Tables *tables, int layer, const real *dq, const real *dk, const real *q, const real *k,
                    int stride, const Place *at, int rows);
// The hook: from dtheta to parameters and gates.
void dtheta_layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows);
// If tables->stretch->learns: turn what backward has added up since the last call into dfactors (pairs), the gradients
// with respect to the logarithms of the factors, and clear it.
void rotary_dfactors(double *dfactors, Tables *tables);

#endif
