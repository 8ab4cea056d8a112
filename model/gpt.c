#include "model/gpt.h"

#include <stdio.h>
#include <stdlib.h>

#define INIT_SCALE 0.02

bool shape_check(const Shape *shape, Error *error) {
    if (shape->vocab < 1 || shape->context < 1 || shape->layers < 1 || shape->heads < 1 || shape->width < 1)
        return fail_input(error, "every size of the model must be at least 1");
    if (shape->width % shape->heads)
        return fail_input(error, "--heads %d does not divide --width %d", shape->heads, shape->width);
    if (shape->random_positions && shape->random_positions < shape->context)
        return fail_input(error, "--random-positions %d is less than --context %d; give at least that, or 0",
                          shape->random_positions, shape->context);
    if (shape->kv_heads < 0 || shape->kv_heads > shape->heads || shape->heads % key_heads(shape))
        return fail_input(error, "--kv-heads %d does not divide --heads %d", shape->kv_heads, shape->heads);
    // The size of each matrix is held in an int; the MLP's first matrix is the largest of a layer.
    const int positions = shape->random_positions ? shape->random_positions : shape->context;
    const double C = shape->width, most = TENSOR_NUMBERS_MOST;
    if (C * shape->vocab > most)
        return fail_input(error,
                          "--width %d with a vocabulary of %d would make a matrix of more than 10^9 numbers; "
                          "choose less",
                          shape->width, shape->vocab);
    if (C * positions > most)
        return fail_input(error,
                          "--width %d at %d positions would make a matrix of more than 10^9 numbers; choose less",
                          shape->width, positions);
    return (C * C <= most && C * fc_width(shape) <= most) ||
           fail_input(error, "--width %d would make a matrix of more than 10^9 numbers; choose less", shape->width);
}

typedef struct {
    size_t at; // in LayerWeights
    const char *name;
    int rows, columns; // columns 0: a vector; rows 0: the model does not have it
    Init init;
    bool residual; // writes to the residual stream, and starts smaller by 1/sqrt(2L)
} LayerTensor;

enum { LAYER_TENSORS = 13 };

// The tensors of a layer, in the order in which files have them. Llama's block has no biases.
static void layer_tensors(LayerTensor tensors[LAYER_TENSORS], const Shape *shape) {
    const int C = shape->width, qkv = qkv_width(shape), fc = fc_width(shape), hidden = mlp_width(shape);
    const int scaled = shape->scale_logits ? shape->heads : 0;
    const bool llama = shape->block == BLOCK_LLAMA;
    const int biased = llama ? 0 : 1;
    const LayerTensor all[LAYER_TENSORS] = {
        {offsetof(LayerWeights, ln1w), "ln_1.weight", C, 0, INIT_ONE, false},
        {offsetof(LayerWeights, ln1b), "ln_1.bias", biased * C, 0, INIT_ZERO, false},
        {offsetof(LayerWeights, qkvw), "attn.qkv.weight", qkv, C, INIT_NORMAL, false},
        {offsetof(LayerWeights, qkvb), "attn.qkv.bias", biased * qkv, 0, INIT_ZERO, false},
        {offsetof(LayerWeights, logit_scale), "attn.logit_scale", scaled, 0, INIT_CONSTANT, false},
        {offsetof(LayerWeights, projw), "attn.proj.weight", C, C, INIT_NORMAL, true},
        {offsetof(LayerWeights, projb), "attn.proj.bias", biased * C, 0, INIT_ZERO, false},
        {offsetof(LayerWeights, ln2w), "ln_2.weight", C, 0, INIT_ONE, false},
        {offsetof(LayerWeights, ln2b), "ln_2.bias", biased * C, 0, INIT_ZERO, false},
        {offsetof(LayerWeights, fcw), llama ? "mlp.gate_up.weight" : "mlp.fc.weight", fc, C, INIT_NORMAL, false},
        {offsetof(LayerWeights, fcb), "mlp.fc.bias", biased * fc, 0, INIT_ZERO, false},
        {offsetof(LayerWeights, fcprojw), llama ? "mlp.down.weight" : "mlp.proj.weight", C, hidden, INIT_NORMAL, true},
        {offsetof(LayerWeights, fcprojb), "mlp.proj.bias", biased * C, 0, INIT_ZERO, false},
    };
    memcpy(tensors, all, sizeof all);
}

// s = 1 / log(n), with n the most keys that a query of the layer sees in training, so that a full window begins as a
// plain softmax. With one key alone, log 1 = 0 and s does not matter.
static double first_logit_scale(const Shape *shape, int layer) {
    const int window = window_of(shape, layer), most = window && window < shape->context ? window : shape->context;
    return 1 / log(most > 2 ? most : 2);
}

// Add a tensor, unless the model does not have it.
static void add(TensorTable *table, const Shape *shape, int layer, const char *name, int rows, int columns, Init init,
                bool residual) {
    Tensor tensor = {
        .rank = columns ? 2 : 1,
        .shape = {rows, columns ? columns : 1},
        .init = init,
        .scale = init == INIT_CONSTANT ? first_logit_scale(shape, layer)
                                       : INIT_SCALE / (residual ? sqrt(2.0 * shape->layers) : 1),
        .decay = columns > 0,
        .rate = 1,
    };
    if (rows == 0) return;
    if (layer < 0)
        snprintf(tensor.name, sizeof tensor.name, "%s", name);
    else
        snprintf(tensor.name, sizeof tensor.name, "h.%d.%s", layer, name);
    tensor_add(table, tensor);
}

// All tensors but the scheme's.
static void add_weights(TensorTable *table, const Shape *shape) {
    add(table, shape, -1, "wte", shape->vocab, shape->width, INIT_NORMAL, false);
    add(table, shape, -1, "ln_f.weight", shape->width, 0, INIT_ONE, false);
    add(table, shape, -1, "ln_f.bias", shape->block == BLOCK_LLAMA ? 0 : shape->width, 0, INIT_ZERO, false);
    LayerTensor tensors[LAYER_TENSORS];
    layer_tensors(tensors, shape);
    for (int l = 0; l < shape->layers; l++)
        for (const LayerTensor *t = tensors; t < tensors + LAYER_TENSORS; t++)
            add(table, shape, l, t->name, t->rows, t->columns, t->init, t->residual);
}

// Point w at the tensors in flat: parameters, or their gradients.
static void view_weights(Weights *w, real *flat, const Gpt *gpt) {
    const Tensor *next = gpt->tensors.items;
    w->wte = flat + next++->offset;
    w->lnfw = flat + next++->offset;
    w->lnfb = gpt->shape.block == BLOCK_LLAMA ? NULL : flat + next++->offset;
    LayerTensor tensors[LAYER_TENSORS];
    layer_tensors(tensors, &gpt->shape);
    for (LayerWeights *layer = w->layers; layer < w->layers + gpt->shape.layers; layer++)
        for (const LayerTensor *t = tensors; t < tensors + LAYER_TENSORS; t++)
            *(real **)((char *)layer + t->at) = t->rows ? flat + next++->offset : NULL;
}

// `compare --scale` asks for many sizes, so no table of names is made here.
size_t gpt_parameters(const Shape *shape) {
    const bool llama = shape->block == BLOCK_LLAMA;
    const size_t C = (size_t)shape->width, outside = (size_t)shape->vocab * C + (llama ? C : 2 * C); // wte and ln_f
    size_t layer = 0;
    LayerTensor tensors[LAYER_TENSORS];
    layer_tensors(tensors, shape);
    for (const LayerTensor *t = tensors; t < tensors + LAYER_TENSORS; t++)
        layer += (size_t)t->rows * (size_t)(t->columns ? t->columns : 1);
    return outside + (size_t)shape->layers * layer;
}

// Point a part of the position schemes at its tensors.
static void view_params(Position *pos, const Gpt *gpt) {
    for (int i = 0; i < pos->param_count; i++) {
        const size_t offset = gpt->tensors.items[pos->tensors[i]].offset;
        pos->params[i] = gpt->params + offset;
        pos->dparams[i] = gpt->grads ? gpt->grads + offset : NULL;
    }
}

static void layout(Gpt *gpt, bool training) {
    gpt->params = arena_reals(&gpt->state, gpt->tensors.total);
    gpt->w.layers = arena_take(&gpt->state, (size_t)gpt->shape.layers * sizeof(LayerWeights));
    if (!training) return;
    gpt->grads = arena_reals(&gpt->state, gpt->tensors.total);
    gpt->m = arena_reals(&gpt->state, gpt->tensors.total);
    gpt->v = arena_reals(&gpt->state, gpt->tensors.total);
    gpt->dw.layers = arena_take(&gpt->state, (size_t)gpt->shape.layers * sizeof(LayerWeights));
}

bool gpt_create(Gpt *gpt, const Shape *shape, const Mix *pos, bool training, Error *error) {
    *gpt = (Gpt){.shape = *shape, .pos = *pos};
    if (!shape_check(shape, error)) return false;
    add_weights(&gpt->tensors, shape);
    mix_params(&gpt->pos, &gpt->tensors);
    bool ok = tensors_check(&gpt->tensors, error);
    if (ok) {
        layout(gpt, training);
        ok = arena_allocate(&gpt->state, training ? "parameters, gradients and moments" : "parameters", error);
    }
    if (!ok) {
        gpt_free(gpt);
        return false;
    }
    layout(gpt, training);
    view_weights(&gpt->w, gpt->params, gpt);
    if (training) view_weights(&gpt->dw, gpt->grads, gpt);
    for (int p = 0; p < gpt->pos.parts; p++) view_params(&gpt->pos.part[p], gpt);
    return true;
}

void gpt_init(Gpt *gpt, uint64_t seed) {
    tensors_init(gpt->params, &gpt->tensors, seed);
    mix_init(&gpt->pos, seed);
}

const Tensor *gpt_position_tensor(const Gpt *gpt, int i) {
    for (const Position *pos = gpt->pos.part; pos < gpt->pos.part + gpt->pos.parts; pos++) {
        if (i < pos->param_count) return &gpt->tensors.items[pos->tensors[i]];
        i -= pos->param_count;
    }
    return NULL;
}

void gpt_free(Gpt *gpt) {
    tensors_free(&gpt->tensors);
    arena_free(&gpt->state);
}
