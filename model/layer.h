// One layer of the model, forward and backward. In training each layer has its own activations; in inference all layers
// share one set of them.
#ifndef BITTER_LAYER_H
#define BITTER_LAYER_H

#include "model/gpt.h"

// What the forward pass keeps for the backward pass. The outputs of the norms are not kept, because recomputing
// them is cheaper. Where no backward pass follows, x and x_mid share memory, and so do fc and the gelu's hidden.
typedef struct {
    real *x;                   // (rows, C) residual stream on entry
    real *ln1_mean, *ln1_rstd; // (rows)
    real *qkv;                 // (rows, C + 2 K*d), q and k as the schemes' qk hooks leave them
    real *heads;               // (rows, C) output of the heads, before the projection
    real *lse;                 // (B, H, T) log of each softmax's denominator
    real *x_mid;               // (rows, C) residual stream between attention and MLP
    real *ln2_mean, *ln2_rstd; // (rows)
    union {
        real *fc; // (rows, W) input of the gelu; Llama (rows, 2W): of the swiglu, whose backward pass leaves dfc here
        real *slope; // (rows, W) slope of the gelu, which takes fc's place where a backward pass follows
    };
    real *hidden; // (rows, W) output of the gelu; Llama: NULL, as backward makes the swiglu's output again
} LayerActivations;

// Buffers that all layers share. Where the same memory holds several things in turn, a union has a name for each: the
// MLP's backward pass is done with dhidden, dfc and hidden before attention's begins, which needs dqkv.
typedef struct {
    real *norm; // (rows, C) output of the norm at work
    union {
        real *branch; // (rows, C) forward: what will be added to the residual stream
        real *dheads; // (rows, C) backward: gradient of heads, the output of attention's heads
    };
    real *features; // (rows, F) what the schemes' input hooks make of each token
    real *scratch;  // (attention_scratch or loss_scratch)
    // backward only, but for Llama's hidden
    real *dbranch; // (rows, C) gradient of branch, where dropout makes it differ from that of the residual stream
    real *dnorm;   // (rows, C) gradient of norm
    union {
        real *dhidden; // (rows, W) gradient of hidden
        real *dfc;     // (rows, W) gradient of fc, which gelu_backward puts in dhidden's place
        real *hidden;  // (rows, W) Llama: output of the swiglu, in forward and after swiglu_backward
        real *dqkv;    // (rows, C + 2 K*d) gradient of qkv
    };
    real *dfeatures; // (rows, F)
} LayerBuffers;

// Take buffers for this many rows, whose queries see up to `keys` keys, from the arena. The loss uses `scratch`, too:
// it never runs at the same time as attention.
void layer_buffers_layout(LayerBuffers *buffers, Arena *arena, const Gpt *gpt, const MixTables *tables, size_t rows,
                          int keys, bool training);

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

// Attention of these queries to the keys of the same tokens.
Attention layer_attention(const Layer *layer);

// The two halves of the forward pass, called by every thread of a team. layer_qkv_forward goes from a->x to a->qkv and
// buffers->features, by rows. layer_forward does the rest, up to the layer's output x_out (rows, C), and wants a
// barrier before it. `attention` says where q, k and v are; it may have more keys than these rows (a cache).
void layer_qkv_forward(const Layer *layer);
void layer_forward(real *x_out, const Layer *layer, const Attention *attention);

// dx (rows, C) comes in as the gradient of the layer's output x_out and goes out as that of its input a->x; the
// gradients of the layer's parameters are added to gpt->dw. Queries and keys of `attention` are these rows. Called by
// every thread.
void layer_backward(real *dx, const Layer *layer, const Attention *attention);

#endif
