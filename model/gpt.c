#include "model/gpt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define INIT_SCALE 0.02

typedef enum { NONE, WIDTH, WIDTH_3, WIDTH_MLP, VOCAB } Dimension;

typedef struct {
    const char *name;
    size_t view; // offset of the pointer in Weights or LayerWeights
    Dimension rows, columns;
    Init init;
    bool residual; // writes to the residual stream: starts smaller by 1/sqrt(2L)
} TensorRow;

static const TensorRow model_rows[] = {
    {"wte", offsetof(Weights, wte), VOCAB, WIDTH, INIT_NORMAL, false},
    {"ln_f.weight", offsetof(Weights, lnfw), WIDTH, NONE, INIT_ONE, false},
    {"ln_f.bias", offsetof(Weights, lnfb), WIDTH, NONE, INIT_ZERO, false},
};

static const TensorRow layer_rows[] = {
    {"ln_1.weight", offsetof(LayerWeights, ln1w), WIDTH, NONE, INIT_ONE, false},
    {"ln_1.bias", offsetof(LayerWeights, ln1b), WIDTH, NONE, INIT_ZERO, false},
    {"attn.qkv.weight", offsetof(LayerWeights, qkvw), WIDTH_3, WIDTH, INIT_NORMAL, false},
    {"attn.qkv.bias", offsetof(LayerWeights, qkvb), WIDTH_3, NONE, INIT_ZERO, false},
    {"attn.proj.weight", offsetof(LayerWeights, projw), WIDTH, WIDTH, INIT_NORMAL, true},
    {"attn.proj.bias", offsetof(LayerWeights, projb), WIDTH, NONE, INIT_ZERO, false},
    {"ln_2.weight", offsetof(LayerWeights, ln2w), WIDTH, NONE, INIT_ONE, false},
    {"ln_2.bias", offsetof(LayerWeights, ln2b), WIDTH, NONE, INIT_ZERO, false},
    {"mlp.fc.weight", offsetof(LayerWeights, fcw), WIDTH_MLP, WIDTH, INIT_NORMAL, false},
    {"mlp.fc.bias", offsetof(LayerWeights, fcb), WIDTH_MLP, NONE, INIT_ZERO, false},
    {"mlp.proj.weight", offsetof(LayerWeights, fcprojw), WIDTH, WIDTH_MLP, INIT_NORMAL, true},
    {"mlp.proj.bias", offsetof(LayerWeights, fcprojb), WIDTH, NONE, INIT_ZERO, false},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

bool shape_check(const Shape *shape, Error *error) {
    if (shape->vocab < 1 || shape->context < 1 || shape->layers < 1 || shape->heads < 1 || shape->width < 1)
        return fail_input(error, "every size of the model must be at least 1");
    if (shape->width % shape->heads)
        return fail_input(error, "--heads %d does not divide --width %d; each head gets the same share of the channels",
                          shape->heads, shape->width);
    if (shape->random_positions && shape->random_positions < shape->context)
        return fail_input(error, "--random-positions %d is less than --context %d; give at least that, or 0",
                          shape->random_positions, shape->context);
    // Products of sizes are held in ints where one matrix is concerned.
    if ((double)shape->vocab * shape->width > 1e9 || 3.0 * MLP_RATIO * shape->width * shape->width > 1e9)
        return fail_input(error,
                          "--width %d with a vocabulary of %d would make a matrix of more than 10^9 numbers; choose a "
                          "smaller one",
                          shape->width, shape->vocab);
    if ((double)shape->context * shape->width > 1e9 || (double)shape->random_positions * shape->width > 1e9)
        return fail_input(error, "--width %d at %d positions would make a table of more than 10^9 numbers; choose less",
                          shape->width, shape->random_positions ? shape->random_positions : shape->context);
    return true;
}

static int size_of(Dimension dimension, const Shape *shape) {
    switch (dimension) {
    case WIDTH:
        return shape->width;
    case WIDTH_3:
        return 3 * shape->width;
    case WIDTH_MLP:
        return MLP_RATIO * shape->width;
    case VOCAB:
        return shape->vocab;
    case NONE:
        break;
    }
    return 1;
}

static void add_rows(TensorTable *table, const char *prefix, const TensorRow *rows, int count, const Shape *shape) {
    for (int i = 0; i < count; i++) {
        const TensorRow *row = &rows[i];
        Tensor tensor = {
            .rank = row->columns == NONE ? 1 : 2,
            .shape = {size_of(row->rows, shape), size_of(row->columns, shape)},
            .init = row->init,
            .scale = INIT_SCALE / (row->residual ? sqrt(2.0 * shape->layers) : 1),
            .decay = row->columns != NONE,
            .rate = 1,
        };
        snprintf(tensor.name, sizeof tensor.name, "%s%s", prefix, row->name);
        tensor_add(table, tensor);
    }
}

// Point the views of one struct at consecutive tensors of the table, in the order of its rows.
static const Tensor *view_rows(void *views, real *flat, const Tensor *tensor, const TensorRow *rows, int count) {
    for (int i = 0; i < count; i++, tensor++) {
        real *at = flat + tensor->offset;
        memcpy((char *)views + rows[i].view, &at, sizeof at);
    }
    return tensor;
}

static void view(Weights *w, real *flat, const Gpt *gpt) {
    const Tensor *tensor = view_rows(w, flat, gpt->tensors.items, model_rows, COUNT(model_rows));
    for (int l = 0; l < gpt->shape.layers; l++)
        tensor = view_rows(&w->layers[l], flat, tensor, layer_rows, COUNT(layer_rows));
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

bool gpt_create(Gpt *gpt, const Shape *shape, const Position *pos, bool training, Error *error) {
    *gpt = (Gpt){.shape = *shape, .pos = *pos};
    if (!shape_check(shape, error)) return false;
    add_rows(&gpt->tensors, "", model_rows, COUNT(model_rows), shape);
    for (int l = 0; l < shape->layers; l++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "h.%d.", l);
        add_rows(&gpt->tensors, prefix, layer_rows, COUNT(layer_rows), shape);
    }
    gpt->pos.param_count = 0;
    bool ok = tensors_check(&gpt->tensors, error);
    if (ok && pos->scheme->params) {
        pos->scheme->params(&gpt->pos, &gpt->tensors);
        ok = tensors_check(&gpt->tensors, error);
    }
    if (ok) {
        layout(gpt, training);
        ok = arena_allocate(&gpt->state, training ? "parameters, gradients and moments" : "parameters", error);
    }
    if (!ok) {
        gpt_free(gpt);
        return false;
    }
    layout(gpt, training);
    view(&gpt->w, gpt->params, gpt);
    if (training) view(&gpt->dw, gpt->grads, gpt);
    for (int i = 0; i < gpt->pos.param_count; i++) {
        const size_t offset = gpt->tensors.items[gpt->pos.tensors[i]].offset;
        gpt->pos.params[i] = gpt->params + offset;
        gpt->pos.dparams[i] = training ? gpt->grads + offset : NULL;
    }
    return true;
}

void gpt_init(Gpt *gpt, uint64_t seed) {
    tensors_init(gpt->params, &gpt->tensors, seed);
    position_init(&gpt->pos, seed);
}

void gpt_free(Gpt *gpt) {
    tensors_free(&gpt->tensors);
    arena_free(&gpt->state);
}
