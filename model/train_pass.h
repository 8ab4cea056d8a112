// Forward and backward through the whole model, with the memory for what backward needs from forward.
#ifndef BITTER_TRAIN_PASS_H
#define BITTER_TRAIN_PASS_H

#include "model/layer.h"

typedef struct {
    int B, T;         // sequences in the current batch, and tokens in each
    int capacity;     // the largest T there is memory for
    MixTables tables; // of the position schemes
    Arena arena;
    double dropout_rate;
    uint64_t dropout_key; // a new one for every pass
    uint64_t places_key;  // for random positions, a new one for every pass
    Place *at;            // (B,T) coordinates of the tokens
    int *drawn;           // (T) with --random-positions: the random coordinates that replace 0, 1, 2 ... in a sequence
    LayerActivations *layers;  // (L)
    LayerBuffers buffers;      // of the layer at work; forward leaves the output of the last norm in buffers.norm
    real *x_final;             // (B,T,C) residual stream after the last layer
    real *lnf_mean, *lnf_rstd; // (B,T)
    real *dx;                  // (B,T,C) gradient of the residual stream, and in the end of the input embeddings
    real *dnll;                // (B,T) set by the caller: the weight of each token's loss in the total loss
    double *nll;               // (B,T) loss of each token, in nats
} TrainPass;

// Take memory for batches of (B,T). `gpt` must outlive the pass and not be moved. Fails (run) when there is not enough
// memory.
bool train_pass_create(TrainPass *pass, const Gpt *gpt, int B, int T, Error *error);
void train_pass_free(TrainPass *pass);

// From now on sequences have T tokens, at most as many as train_pass_create was told. All arrays above then have this
// T.
void train_pass_resize(TrainPass *pass, int T);

// Write the token embeddings of ids (B,T) into the first layer's x, and the coordinates of the tokens into pass->at.
void train_pass_embed(TrainPass *pass, const Gpt *gpt, const int *ids);

// Call after train_pass_embed: from those embeddings through all layers to the input of the head, buffers.norm.
void train_pass_forward(TrainPass *pass, const Gpt *gpt);

// Call after train_pass_forward if no gradient is wanted: computes pass->nll.
void train_pass_loss(TrainPass *pass, const Gpt *gpt, const int *targets);

// Call after train_pass_forward: computes pass->nll and then all gradients of the total loss, which is the sum of
// pass->dnll * pass->nll over all tokens. Gradients of parameters are added to gpt->grads; that of the input embeddings
// is left in pass->dx. The loss is computed here and not in forward, because the logits are too large to keep.
void train_pass_backward(TrainPass *pass, Gpt *gpt, const int *ids, const int *targets);

// Where the first number that is not finite appeared in the forward pass, such as "the attention of layer 2" (written
// into `where`); NULL if all are finite.
const char *train_pass_nonfinite(char where[80], const TrainPass *pass, const Shape *shape);

#endif
