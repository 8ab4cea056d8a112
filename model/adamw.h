// The optimiser: AdamW (Loshchilov, Hutter 2017) with the gradient's norm clipped.
#ifndef BITTER_ADAMW_H
#define BITTER_ADAMW_H

#include "model/gpt.h"

typedef struct {
    double beta1, beta2, epsilon, weight_decay, clip; // clip 0 = never
} AdamW;

// The Euclidean norm of all gradients, summed in double in a fixed order.
double gradient_norm(const Gpt *gpt);

// One step: gradients, scaled down to `clip` when their norm exceeds it, move the moments, which move the parameters.
// `step` counts from 1. Weight decay touches only tensors marked so. Last, the scheme brings its parameters into range.
void adamw_step(Gpt *gpt, const AdamW *adamw, double learning_rate, double norm, long long step);

// The learning rate at `step` of `steps`, counted from 0: linear warm-up to `high` at its last step, then half a cosine
// from `high` at the next step to `low` at the last one. Steps that end within the warm-up never come to `low`.
double cosine_schedule(long long step, long long steps, long long warmup, double high, double low);

#endif
