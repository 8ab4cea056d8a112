// Forward and backward through the whole model, with what has to be remembered between them.
#ifndef BITTER_TRAIN_PASS_H
#define BITTER_TRAIN_PASS_H

#include "model/gpt.h"

// What one layer keeps from forward for backward. Layer norms and the gelu are recomputed instead of kept.
typedef struct {
    real *x;                   // (B,T,C) residual stream on entry
    real *ln1_mean, *ln1_rstd; // (B,T)
    real *qkv;                 // (B,T,3C), q and k after the scheme's qk hook
    real *heads;               // (B,T,C) output of the heads, before the projection
    real *lse;                 // (B,H,T)
    real *x_mid;               // (B,T,C) residual stream between attention and MLP
    real *ln2_mean, *ln2_rstd; // (B,T)
    real *fc;                  // (B,T,4C) before the gelu; backward overwrites it by the gelu's slope
} LayerActivations;

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
    real *x_final;             // (B,T,C) residual stream after the last layer
    real *lnf_mean, *lnf_rstd; // (B,T)
    real *norm;                // (B,T,C) output of the layer norm at work
    real *hidden;              // (B,T,4C) output of the gelu at work
    real *branch;              // (B,T,C) what is about to join the residual stream
    real *dx;                  // (B,T,C) gradient by the residual stream; in the end, by the input embeddings
    real *dbranch;             // (B,T,C)
    real *dnorm;               // (B,T,C)
    real *dwide;               // (B,T,4C) gradient by the hidden layer, or by qkv
    real *features;            // (B,T,F) the position scheme's, of the layer at work
    real *dfeatures;           // (B,T,F)
    real *dnll;                // (B,T) gradient of the total loss by each token's
    double *nll;               // (B,T) loss of each token, in nats
    real *scratch;             // blocks of scores or of logits
} TrainPass;

// Take memory for batches of (B,T). Fails (run) when there is not enough.
bool train_pass_create(TrainPass *pass, const Gpt *gpt, int B, int T, Error *error);
void train_pass_free(TrainPass *pass);

// From now on batches are (B,T), and so is all that is laid out above; T up to the one of train_pass_create.
void train_pass_resize(TrainPass *pass, int T);

// Read the token embeddings of ids (B,T) into the first layer's x, and find out where the tokens stand.
void train_pass_embed(TrainPass *pass, const Gpt *gpt, const int *ids);

// From those embeddings to pass->nll. `training` also begins the backward pass, because the logits are not kept: from
// pass->dnll, the gradient of the total loss by each nll, through the head into pass->dnorm and dw.wte.
void train_pass_forward(TrainPass *pass, Gpt *gpt, const int *targets, bool training);

// The rest of the backward pass: gradients are added to gpt->grads; pass->dx becomes the gradient by the input
// embeddings.
void train_pass_backward(TrainPass *pass, Gpt *gpt, const int *ids);

// Where a number that is not finite came up first in the forward pass, such as "the attention of layer 2" (into
// `where`), or NULL.
const char *train_pass_nonfinite(char where[80], const TrainPass *pass, const Shape *shape);

#endif
