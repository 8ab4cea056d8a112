// Forward and backward: through one layer (layer.c), whose forward pass inference shares, and through the whole model
// (train_pass.c). Memory and other preparations are in train_setup.c.
#ifndef BITTER_TRAIN_PASS_H
#define BITTER_TRAIN_PASS_H

#include "model/gpt.h"

// What a layer's forward pass keeps for its backward pass: in training each layer has its own, in inference all share
// one. The outputs of the norms are not kept, because recomputing them is cheaper. Where no backward pass follows, x
// and x_mid share memory.
typedef struct {
    real *x;                   // (rows, C) residual stream on entry
    real *ln1_mean, *ln1_rstd; // (rows)
    real *qkv;                 // (rows, C + 2 K*d), q and k as the schemes' qk hooks leave them
    real *heads;               // (rows, C) output of the heads, before the projection
    real *lse;                 // (B, H, T) log of each softmax's denominator
    real *x_mid;               // (rows, C) residual stream between attention and MLP
    real *ln2_mean, *ln2_rstd; // (rows)
    union {
        real *fc;    // (rows, W) input of the gelu; Llama (rows, 2W): of the swiglu, which leaves dfc here in backward
        real *slope; // (rows, W) slope of the gelu, which takes fc's place
    };
    real *hidden; // (rows, W) output of the gelu; Llama: that of the buffers, since backward recomputes it
} LayerActivations;

// Buffers that all layers share. Where the same memory holds several things in turn, a union has a name for each: the
// MLP's backward pass is done with dhidden, dfc and hidden before attention's begins, which needs dqkv.
typedef struct {
    real *norm; // (rows, C) output of the norm at work
    union {
        real *branch; // (rows, C) forward: what will be added to the residual stream
        real *dheads; // (rows, C) backward: gradient of heads
    };
    real *features; // (rows, F) from the schemes' input hooks
    real *scratch;  // (attention_scratch or loss_scratch): attention and the loss never run at the same time
    // backward only
    real *dbranch; // (rows, C) gradient of branch, where dropout makes it differ from that of the residual stream
    real *dnorm;   // (rows, C) gradient of norm
    union {
        real *dhidden; // (rows, W) gradient of hidden
        real *dfc;     // (rows, W) gradient of fc, which gelu_backward puts in dhidden's place
        real *hidden;  // (rows, W) Llama: output of the swiglu, in forward and after swiglu_backward
        real *dqkv;    // (rows, C + 2 K*d) gradient of qkv
    };
    real *dfeatures;    // (rows, F)
    real *dlogit_scale; // (B, H, T) of --scale-logits log: each query's part of the gradient; NULL without
} LayerBuffers;

// Layer number `index` of a model at work on B sequences of T tokens: rows = B*T.
typedef struct {
    const Gpt *gpt;
    const MixTables *tables;
    int index, B, T;
    const Place *at; // (B,T) coordinates of the tokens
    const LayerActivations *a;
    const LayerBuffers *buffers;
    Dropout drop_weights, drop_proj, drop_mlp; // of the attention weights, of attention's branch and of the MLP's
} Layer;

// The two halves of the forward pass, called by every thread of a team: from a->x to a->qkv and buffers->features, by
// rows; and, after a barrier, from there to the layer's output x_out (rows, C). `attention` says where q, k and v are;
// it may have more keys than these rows (a cache).
void layer_qkv_forward(const Layer *layer);
void layer_forward(real *x_out, const Layer *layer, const Attention *attention);

// dx (rows, C) comes in as the gradient of the layer's output x_out and goes out as that of its input a->x; the
// gradients of the layer's parameters are added to gpt->dw. Queries and keys of `attention` are these rows. Called by
// every thread.
void layer_backward(real *dx, const Layer *layer, const Attention *attention);

typedef struct {
    int B, T;                  // sequences in the current batch, and tokens in each
    int capacity;              // the largest T there is memory for
    MixTables tables;          // of the position schemes
    Place *at;                 // (B,T) coordinates of the tokens
    LayerActivations *layers;  // (L)
    LayerBuffers buffers;      // of the layer at work; forward leaves the output of the last norm in buffers.norm
    real *x_final;             // (B,T,C) residual stream after the last layer
    real *lnf_mean, *lnf_rstd; // (B,T)
    real *dx;                  // (B,T,C) gradient of the residual stream, and in the end of the input embeddings
    real *dnll;                // (B,T) set by the caller: the weight of each token's loss in the total loss
    double *nll;               // (B,T) loss of each token, in nats
    double dropout_rate;
    uint64_t dropout_key, places_key; // of dropout and of random positions; new ones for every pass
    int *drawn; // (T) with --random-positions: the random coordinates that replace 0, 1, 2 ... in a sequence
    Arena arena;
} TrainPass;

// Write the token embeddings of ids (B,T) into the first layer's x, and the coordinates of the tokens into pass->at.
void train_pass_embed(TrainPass *pass, const Gpt *gpt, const int *ids);

// Call after that: from those embeddings through all layers to the input of the head, buffers.norm.
void train_pass_forward(TrainPass *pass, const Gpt *gpt);

// Call after that: computes pass->nll, and the gradients of the sum of pass->dnll * pass->nll over all tokens. Those of
// parameters are added to gpt->grads; that of the input embeddings is left in pass->dx.
void train_pass_backward(TrainPass *pass, Gpt *gpt, const int *ids, const int *targets);

// --- train_setup.c ---

// Take memory for batches of (B,T). `gpt` must outlive the pass and not be moved. Fails (run) if memory runs out.
bool train_pass_create(TrainPass *pass, const Gpt *gpt, int B, int T, Error *error);
void train_pass_free(TrainPass *pass);
// From now on sequences have T tokens, at most `capacity`, and all arrays above have this T.
void train_pass_resize(TrainPass *pass, int T);
// Take buffers for this many rows, whose queries see up to `keys` keys, from the arena.
void layer_buffers_layout(LayerBuffers *buffers, Arena *arena, const Gpt *gpt, const MixTables *tables, size_t rows,
                          int keys, bool training);
// Set pass->at (B,T).
void train_pass_places(TrainPass *pass, const Gpt *gpt, const int *ids);
// Attention of a layer's queries to the keys of the same tokens.
Attention layer_attention(const Layer *layer);
// Layer l of the pass.
Layer train_layer(const TrainPass *pass, const Gpt *gpt, int l);
// Dropout of the embeddings (B,T,C), in place, and of their gradient.
void train_dropout(real *x, const TrainPass *pass, const Gpt *gpt);
// Call after train_pass_forward if no gradient is wanted: computes pass->nll.
void train_pass_loss(TrainPass *pass, const Gpt *gpt, const int *targets);
// Where the first number that is not finite appeared in the forward pass, such as "the attention of layer 2" (written
// into `where`); NULL if all are finite.
const char *train_pass_nonfinite(char where[80], const TrainPass *pass, const Shape *shape);

#endif
