// The model: its tensors, and where they lie.
#ifndef BITTER_GPT_H
#define BITTER_GPT_H

#include "num/arena.h"
#include "num/tensor.h"
#include "model/ops/attention.h"
#include "model/ops/ops.h"
#include "posenc/mix.h"

// Views into one flat array: of parameters, or of gradients with the same layout. Llama's block has no biases: they
// are NULL.
typedef struct {
    real *ln1w, *ln1b;       // (C), (C)
    real *qkvw, *qkvb;       // (C + 2 K*d, C), (C + 2 K*d): rows q, then k, then v
    real *logit_scale;       // (H) s of --scale-logits log; NULL without
    real *projw, *projb;     // (C, C), (C)
    real *ln2w, *ln2b;       // (C), (C)
    real *fcw, *fcb;         // (W, C), (W); Llama (2W, C): rows gate, then up
    real *fcprojw, *fcprojb; // (C, W), (C)
} LayerWeights;

typedef struct {
    real *wte;            // (V, C), also the output head
    real *lnfw, *lnfb;    // (C), (C)
    LayerWeights *layers; // (L)
} Weights;

typedef struct {
    Shape shape;
    Mix pos; // with params, without tables
    TensorTable tensors;
    Arena state;
    real *params, *grads; // (tensors.total); grads is NULL in a model that is not trained
    real *m, *v;          // AdamW's moments, (tensors.total), likewise
    Weights w, dw;
} Gpt;

// Allocate a model with position schemes that mix_create() has set up. Fails (input) on an impossible shape, (run) for
// want of memory.
bool gpt_create(Gpt *gpt, const Shape *shape, const Mix *pos, bool training, Error *error);
void gpt_free(Gpt *gpt);
// Fails (input) when there is no model of this shape, saying why.
bool shape_check(const Shape *shape, Error *error);
// GPT-2's initial values: N(0, 0.02), residual projections smaller by 1/sqrt(2L); the scheme's own for its tensors.
void gpt_init(Gpt *gpt, uint64_t seed);
// Tensor number i of the position schemes; NULL after the last.
const Tensor *gpt_position_tensor(const Gpt *gpt, int i);
// Numbers in all tensors but those of the position schemes.
size_t gpt_parameters(const Shape *shape);

// --- adamw.c: Loshchilov, Hutter 2017, with the gradient's norm clipped ---

typedef struct {
    double beta1, beta2, epsilon, weight_decay, clip; // clip 0 = never
} AdamW;

// The Euclidean norm of all gradients, summed in double in a fixed order.
double gradient_norm(const Gpt *gpt);

// One step: scale the gradients down to norm `clip` if `norm` exceeds it, update the moments and with them the
// parameters, then zero the gradients. `step` counts from 1. Weight decay applies only to tensors with `decay`. Last,
// the scheme moves its parameters into range.
void adamw_step(Gpt *gpt, const AdamW *adamw, double learning_rate, double norm, long long step);

// The learning rate at `step` of `steps`, counted from 0: linear warm-up to `high` at its last step, then half a cosine
// from `high` at the next step to `low` at the last one.
double cosine_schedule(long long step, long long steps, long long warmup, double high, double low);

// --- operations.c: what a model costs ---

// Floating point operations for each token that is trained on, as the mean over a window of T, position schemes
// included.
double gpt_operations(const Shape *shape, const Mix *pos, int T);

#endif
