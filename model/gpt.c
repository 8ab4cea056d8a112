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
    // Products of sizes are held in ints where one matrix is concerned.
    const double C = shape->width, most = 1e9;
    return (C * shape->vocab <= most && 3 * MLP_RATIO * C * C <= most && C * shape->context <= most &&
            C * shape->random_positions <= most) ||
           fail_input(
               error,
               "--width %d with a vocabulary of %d at %d positions would make a matrix of more than 10^9 numbers; "
               "choose less",
               shape->width, shape->vocab, shape->random_positions ? shape->random_positions : shape->context);
}

// A vector has 0 columns. What writes to the residual stream starts smaller by 1/sqrt(2L).
static void add(TensorTable *table, const char *prefix, const char *name, int rows, int columns, Init init,
                double smaller) {
    Tensor tensor = {
        .rank = columns ? 2 : 1,
        .shape = {rows, columns ? columns : 1},
        .init = init,
        .scale = INIT_SCALE / smaller,
        .decay = columns > 0,
        .rate = 1,
    };
    snprintf(tensor.name, sizeof tensor.name, "%s%s", prefix, name);
    tensor_add(table, tensor);
}

static void add_bias(TensorTable *table, const char *prefix, const char *name, int rows, Block block) {
    if (block == BLOCK_GPT2) add(table, prefix, name, rows, 0, INIT_ZERO, 1);
}

// All tensors but the scheme's, in the order in which view_weights points at them and files have them.
static void add_weights(TensorTable *table, const Shape *shape) {
    const int C = shape->width, qkv = qkv_width(shape), fc = fc_width(shape), hidden = mlp_width(shape);
    const double residual = sqrt(2.0 * shape->layers);
    const Block block = shape->block;
    const bool llama = block == BLOCK_LLAMA;
    add(table, "", "wte", shape->vocab, C, INIT_NORMAL, 1);
    add(table, "", "ln_f.weight", C, 0, INIT_ONE, 1);
    add_bias(table, "", "ln_f.bias", C, block);
    for (int l = 0; l < shape->layers; l++) {
        char h[32];
        snprintf(h, sizeof h, "h.%d.", l);
        add(table, h, "ln_1.weight", C, 0, INIT_ONE, 1);
        add_bias(table, h, "ln_1.bias", C, block);
        add(table, h, "attn.qkv.weight", qkv, C, INIT_NORMAL, 1);
        add_bias(table, h, "attn.qkv.bias", qkv, block);
        add(table, h, "attn.proj.weight", C, C, INIT_NORMAL, residual);
        add_bias(table, h, "attn.proj.bias", C, block);
        add(table, h, "ln_2.weight", C, 0, INIT_ONE, 1);
        add_bias(table, h, "ln_2.bias", C, block);
        add(table, h, llama ? "mlp.gate_up.weight" : "mlp.fc.weight", fc, C, INIT_NORMAL, 1);
        add_bias(table, h, "mlp.fc.bias", fc, block);
        add(table, h, llama ? "mlp.down.weight" : "mlp.proj.weight", C, hidden, INIT_NORMAL, residual);
        add_bias(table, h, "mlp.proj.bias", C, block);
    }
}

// Takes one tensor after the other of `flat`, in the order of the table.
typedef struct {
    real *flat;
    const Tensor *next;
    Block block;
} View;

static real *take(View *view) {
    return view->flat + view->next++->offset;
}

static real *take_bias(View *view) {
    return view->block == BLOCK_GPT2 ? take(view) : NULL;
}

// Point w at the tensors in flat: parameters, or their gradients.
static void view_weights(Weights *w, real *flat, const Gpt *gpt) {
    View view = {flat, gpt->tensors.items, gpt->shape.block};
    w->wte = take(&view);
    w->lnfw = take(&view);
    w->lnfb = take_bias(&view);
    for (LayerWeights *layer = w->layers; layer < w->layers + gpt->shape.layers; layer++) {
        layer->ln1w = take(&view);
        layer->ln1b = take_bias(&view);
        layer->qkvw = take(&view);
        layer->qkvb = take_bias(&view);
        layer->projw = take(&view);
        layer->projb = take_bias(&view);
        layer->ln2w = take(&view);
        layer->ln2b = take_bias(&view);
        layer->fcw = take(&view);
        layer->fcb = take_bias(&view);
        layer->fcprojw = take(&view);
        layer->fcprojb = take_bias(&view);
    }
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
