// The model: its tensors, and where they lie.
#ifndef BITTER_GPT_H
#define BITTER_GPT_H

#include "model/base/arena.h"
#include "model/base/tensor.h"
#include "model/ops/ops.h"
#include "posenc/mix.h"

#define MLP_RATIO 4 // the hidden layer of an MLP is 4C wide

// Views into one flat array: of parameters, or of gradients with the same layout.
typedef struct {
    real *ln1w, *ln1b;       // (C), (C)
    real *qkvw, *qkvb;       // (3C, C), (3C): rows q, then k, then v
    real *projw, *projb;     // (C, C), (C)
    real *ln2w, *ln2b;       // (C), (C)
    real *fcw, *fcb;         // (4C, C), (4C)
    real *fcprojw, *fcprojb; // (C, 4C), (C)
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
