// Forward and backward through the whole model, with what has to be remembered between them.
#ifndef BITTER_TRAIN_PASS_H
#define BITTER_TRAIN_PASS_H

#include "model/layer.h"

typedef struct {
    int B, T;      // of the batch at work
    int capacity;  // the largest T there is memory for
    Tables tables; // of the position scheme
    Arena arena;
    double dropout_rate;
    uint64_t dropout_key;      // a new one for every pass
    uint64_t places_key;       // of randomised positions, a new one for every pass
    Place *at;                 // (B,T) coordinates of the tokens
    int *drawn;                // (T) the coordinates that a sequence's 0, 1, 2 ... become, where they are randomised
    LayerActivations *layers;  // (L)
    LayerBuffers buffers;      // of the layer at work; forward leaves the output of the last layer norm in buffers.norm
    real *x_final;             // (B,T,C) residual stream after the last layer
    real *lnf_mean, *lnf_rstd; // (B,T)
    real *dx;                  // (B,T,C) gradient by the residual stream; in the end, by the input embeddings
    real *dnll;                // (B,T) gradient of the total loss by each token's
    double *nll;               // (B,T) loss of each token, in nats
} TrainPass;

// Take memory for batches of (B,T). `gpt` must stay where it is. Fails (run) when there is not enough memory.
bool train_pass_create(TrainPass *pass, const Gpt *gpt, int B, int T, Error *error);
void train_pass_free(TrainPass *pass);

// From now on batches are (B,T), and so is all that is laid out above; T up to the one of train_pass_create.
void train_pass_resize(TrainPass *pass, int T);

// Read the token embeddings of ids (B,T) into the first layer's x, and find out where the tokens stand.
void train_pass_embed(TrainPass *pass, const Gpt *gpt, const int *ids);

// From those embeddings through all layers to the input of the head, buffers.norm.
void train_pass_forward(TrainPass *pass, const Gpt *gpt);

// After forward, where no gradient is wanted: pass->nll.
void train_pass_loss(TrainPass *pass, const Gpt *gpt, const int *targets);

// After forward: pass->nll, and from pass->dnll, the gradient of the total loss by each of these, all gradients. Those
// of parameters are added to gpt->grads; pass->dx becomes the gradient by the input embeddings. The loss is part of
// this, because logits, the largest tensor of all, are not kept: the backward pass begins where they are made.
void train_pass_backward(TrainPass *pass, Gpt *gpt, const int *ids, const int *targets);

// Where a number that is not finite came up first in the forward pass, such as "the attention of layer 2" (into
// `where`), or NULL.
const char *train_pass_nonfinite(char where[80], const TrainPass *pass, const Shape *shape);

#endif
