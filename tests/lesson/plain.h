// lesson/plain.c, which has no header, for tests that compare the model with it.
#ifndef BITTER_PLAIN_H
#define BITTER_PLAIN_H

#include "num/real.h"

#include <stddef.h>

enum { PLAIN_B = 8, PLAIN_T = 64, PLAIN_L = 2, PLAIN_H = 4, PLAIN_C = 64, PLAIN_V = 257 };

// An array of plain.c, and its gradient.
typedef struct {
    real *values, *gradient;
    size_t count;
} PlainArray;

// A parameter, by the name of the model's tensor ("h.1.attn.qkv.weight"), and an activation of a layer, by the model's
// name: "x", "qkv", "heads", "x_mid", "hidden", "nll". The test fails on any other name.
PlainArray plain_parameter(const char *name);
PlainArray plain_activation(const char *name, int layer);

// Begin with this scheme, and with AdamW's moments at 0. Set the batch (B, T).
void plain_choose(const char *scheme);
void plain_batch(const int *inputs, const int *targets);

// Forward and backward; the same and AdamW's step number `step` of so many. Both return the mean loss.
double plain_pass(void);
double plain_step(int step, int steps);

#endif
