// The model: its tensors, and where they lie.
#ifndef BITTER_GPT_H
#define BITTER_GPT_H

#include "num/arena.h"
#include "num/tensor.h"
#include "model/ops/ops.h"
#include "posenc/mix.h"

#define MLP_RATIO 4 // the hidden layer of GPT-2's MLP is 4C wide

// The width W of an MLP's hidden layer. SwiGLU has three matrices where GPT-2 has two, so Llama's is two thirds as wide
// (Touvron et al. 2023, 2302.13971), rounded up to a multiple: of 256 in Meta's code, of 32 in llama2.c and here.
static inline int mlp_width(const Shape *shape) {
    const int wide = MLP_RATIO * shape->width;
    return shape->block == BLOCK_LLAMA ? (2 * wide / 3 + 31) / 32 * 32 : wide;
}

// The width of what the MLP's first matrix makes: SwiGLU wants a gate and a value for each hidden channel.
static inline int fc_width(const Shape *shape) {
    return shape->block == BLOCK_LLAMA ? 2 * mlp_width(shape) : mlp_width(shape);
}

// Views into one flat array: of parameters, or of gradients with the same layout. Llama's block has no biases: they
// are NULL.
typedef struct {
    real *ln1w, *ln1b;       // (C), (C)
    real *qkvw, *qkvb;       // (C + 2 K*d, C), (C + 2 K*d): rows q, then k, then v
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

// Numbers in all tensors of a model of this shape, but those of the position schemes.
size_t gpt_parameters(const Shape *shape);

// Fails (input) when there is no such model, saying why.
bool shape_check(const Shape *shape, Error *error);

// Build the model for position schemes that mix_create() has set up. Everything is allocated, nothing
// initialised. Fails (input) on an impossible shape, (run) when the machine has too little memory.
bool gpt_create(Gpt *gpt, const Shape *shape, const Mix *pos, bool training, Error *error);

// GPT-2's initial values: N(0, 0.02), residual projections smaller by 1/sqrt(2L); the scheme's own for its tensors.
void gpt_init(Gpt *gpt, uint64_t seed);

// Tensor number i of the position schemes; NULL after the last.
const Tensor *gpt_position_tensor(const Gpt *gpt, int i);

// The floating point operations that training costs a token, forward and backward, as the mean over a window of T: the
// products with all weights, attention to the tokens before, the rest of each layer, and the position schemes, which
// have been set up for this shape. exp, roots and the like count as one operation. Not counted: dropout, what backward
// computes again, and what is done once a step, such as AdamW and tables.
double gpt_operations(const Shape *shape, const Mix *pos, int T);

void gpt_free(Gpt *gpt);

#endif
