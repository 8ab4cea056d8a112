// The rotation that every rotary scheme is made from.
#ifndef BITTER_ROTATE_H
#define BITTER_ROTATE_H

#include "model/real.h"

typedef enum { PAIRING_HALF, PAIRING_INTERLEAVED } Pairing;

// Rotate each pair of channels of x (rows, heads * head_width), rows `stride` apart, in place, by `direction` (+1 or
// -1) times the angle of its row's position: cosine and sine (positions, head_width/2) are looked up at row `at[r]`.
// Pair i of a head is channels (i, i + head_width/2) for HALF (Llama, NeoX), (2i, 2i+1) for INTERLEAVED (GPT-J, the
// paper). Backward of direction +1 is direction -1: a rotation's transpose is its inverse. (Su et al. 2021, eq. 34)
void rotate(real *x, int stride, const real *cosine, const real *sine, const int *at, int rows, int heads,
            int head_width, Pairing pairing, int direction);

#endif
