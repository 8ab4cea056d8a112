// What a training pass needs besides its arithmetic: memory, the coordinates of the tokens, the random numbers of
// dropout, and the search for the first number that is not finite.
#include "base/random.h"
#include "model/train_pass.h"

#include <assert.h>
#include <stdio.h>

void layer_buffers_layout(LayerBuffers *buffers, Arena *arena, const Gpt *gpt, const MixTables *tables, size_t rows,
                          int keys, bool training) {
    const Shape *shape = &gpt->shape;
    const size_t C = (size_t)shape->width, F = (size_t)gpt->pos.features, hidden = (size_t)mlp_width(shape),
                 qkv = (size_t)qkv_width(shape);
    const size_t attention = attention_scratch(tables, keys, head_width(&gpt->shape), training),
                 head = loss_scratch(gpt->shape.vocab);
    buffers->norm = arena_reals(arena, rows * C);
    buffers->branch = arena_reals(arena, rows * C);
    buffers->features = arena_reals(arena, rows * F);
    buffers->scratch = arena_reals(arena, attention > head ? attention : head);
    if (!training) return;
    buffers->dbranch = arena_reals(arena, rows * C);
    buffers->dnorm = arena_reals(arena, rows * C);
    buffers->dhidden = arena_reals(arena, rows * (hidden > qkv ? hidden : qkv));
    buffers->dfeatures = arena_reals(arena, rows * F);
    if (shape->scale_logits) buffers->dlogit_scale = arena_reals(arena, rows * (size_t)shape->heads);
}

Attention layer_attention(const Layer *layer) {
    const LayerActivations *a = layer->a;
    const Shape *shape = &layer->gpt->shape;
    const int T = layer->T, C = shape->width, qkv = qkv_width(shape);
    return (Attention){
        .out = a->heads,
        .lse = a->lse,
        .q = a->qkv,
        .k = a->qkv + C,
        .v = a->qkv + C + key_width(shape),
        .logit_scale = layer->gpt->w.layers[layer->index].logit_scale,
        .features = layer->buffers->features,
        .query_at = layer->at,
        .key_at = layer->at,
        .layer = layer->index,
        .B = layer->B,
        .H = shape->heads,
        .K = key_heads(shape),
        .d = head_width(shape),
        .queries = T,
        .keys = T,
        .window = window_of(shape, layer->index),
        .key_batch = T,
        .q_stride = qkv,
        .kv_stride = qkv,
        .dropout = layer->drop_weights,
    };
}

static void layout_layer(LayerActivations *layer, Arena *arena, const Shape *shape, size_t rows) {
    const size_t C = (size_t)shape->width;
    layer->x = arena_reals(arena, rows * C);
    layer->ln1_mean = arena_reals(arena, rows);
    layer->ln1_rstd = arena_reals(arena, rows);
    layer->qkv = arena_reals(arena, rows * (size_t)qkv_width(shape));
    layer->heads = arena_reals(arena, rows * C);
    layer->lse = arena_reals(arena, rows * (size_t)shape->heads);
    layer->x_mid = arena_reals(arena, rows * C);
    layer->ln2_mean = arena_reals(arena, rows);
    layer->ln2_rstd = arena_reals(arena, rows);
    layer->fc = arena_reals(arena, rows * (size_t)fc_width(shape));
    if (shape->block == BLOCK_GPT2) layer->hidden = arena_reals(arena, rows * (size_t)mlp_width(shape));
}

static void layout(TrainPass *pass, const Gpt *gpt) {
    const Shape *shape = &gpt->shape;
    Arena *arena = &pass->arena;
    const size_t rows = (size_t)pass->B * pass->T, C = (size_t)shape->width;
    mix_layout(&pass->tables, &gpt->pos, arena, mix_span(&gpt->pos), pass->B, true);
    pass->at = arena_take(arena, rows * sizeof *pass->at);
    pass->drawn = arena_take(arena, (size_t)pass->T * sizeof *pass->drawn);
    pass->layers = arena_take(arena, (size_t)shape->layers * sizeof *pass->layers);
    for (int l = 0; l < shape->layers; l++) {
        LayerActivations counted; // pass->layers has no memory yet while layout() only counts
        layout_layer(arena->base ? &pass->layers[l] : &counted, arena, shape, rows);
    }
    pass->x_final = arena_reals(arena, rows * C);
    pass->lnf_mean = arena_reals(arena, rows);
    pass->lnf_rstd = arena_reals(arena, rows);
    layer_buffers_layout(&pass->buffers, arena, gpt, &pass->tables, rows, pass->T, true);
    for (int l = 0; arena->base && shape->block == BLOCK_LLAMA && l < shape->layers; l++)
        pass->layers[l].hidden = pass->buffers.hidden;
    pass->dx = arena_reals(arena, rows * C);
    pass->dnll = arena_reals(arena, rows);
    pass->nll = arena_take(arena, rows * sizeof *pass->nll);
}

bool train_pass_create(TrainPass *pass, const Gpt *gpt, int B, int T, Error *error) {
    *pass = (TrainPass){.B = B, .T = T, .capacity = T};
    layout(pass, gpt); // counts the memory
    if (!arena_allocate(&pass->arena, "activations", error)) return false;
    layout(pass, gpt); // hands it out
    return true;
}

void train_pass_free(TrainPass *pass) {
    arena_free(&pass->arena);
}

void train_pass_resize(TrainPass *pass, int T) {
    assert(T >= 1 && T <= pass->capacity);
    pass->T = T;
    mix_window(&pass->tables, T);
}

void train_pass_places(TrainPass *pass, const Gpt *gpt, const int *ids) {
    const int random_bound = mix_random_bound(&gpt->pos);
    for (int b = 0; b < pass->B; b++) {
        Place cursor = {0};
        if (random_bound) places_draw(pass->drawn, pass->T, random_bound, random_bits(pass->places_key, (uint64_t)b));
        for (int r = b * pass->T; r < (b + 1) * pass->T; r++) {
            pass->at[r] = place_next(&cursor, ids[r], gpt->pos.rule);
            if (random_bound) pass->at[r] = place_drawn(&pass->at[r], pass->drawn);
        }
    }
}

// Each place where the model has dropout draws random numbers of its own.
static Dropout dropout_site(const TrainPass *pass, uint64_t layer, uint64_t site) {
    return (Dropout){pass->dropout_rate, random_bits(pass->dropout_key, 4 * layer + site)};
}

enum { SITE_ATTENTION, SITE_PROJ, SITE_MLP, SITE_EMBED };

Layer train_layer(const TrainPass *pass, const Gpt *gpt, int l) {
    return (Layer){
        .gpt = gpt,
        .tables = &pass->tables,
        .index = l,
        .B = pass->B,
        .T = pass->T,
        .at = pass->at,
        .a = &pass->layers[l],
        .buffers = &pass->buffers,
        .drop_weights = dropout_site(pass, (uint64_t)l, SITE_ATTENTION),
        .drop_proj = dropout_site(pass, (uint64_t)l, SITE_PROJ),
        .drop_mlp = dropout_site(pass, (uint64_t)l, SITE_MLP),
    };
}

void train_dropout(real *x, const TrainPass *pass, const Gpt *gpt) {
    const Dropout embed = dropout_site(pass, (uint64_t)gpt->shape.layers, SITE_EMBED);
    dropout_apply(x, &embed, pass->B * pass->T, gpt->shape.width);
}

void train_pass_loss(TrainPass *pass, const Gpt *gpt, const int *targets) {
#pragma omp parallel
    loss_forward(pass->nll, pass->buffers.norm, gpt->w.wte, targets, pass->buffers.scratch, pass->B * pass->T,
                 gpt->shape.width, gpt->shape.vocab);
}

const char *train_pass_nonfinite(char where[80], const TrainPass *pass, const Shape *shape) {
    const size_t rows = (size_t)pass->B * pass->T, n = rows * shape->width, qkv = rows * (size_t)qkv_width(shape);
    snprintf(where, 80, "the embeddings");
    if (!all_finite(pass->layers[0].x, n)) return where;
    for (int l = 0; l < shape->layers; l++) {
        const LayerActivations *a = &pass->layers[l];
        const real *x_out = l + 1 < shape->layers ? pass->layers[l + 1].x : pass->x_final;
        const char *what = !all_finite(a->qkv, qkv)   ? "queries, keys and values"
                           : !all_finite(a->heads, n) ? "attention"
                           : !all_finite(a->x_mid, n) ? "projection"
                           : !all_finite(x_out, n)    ? "MLP"
                                                      : NULL;
        snprintf(where, 80, "the %s of layer %d", what ? what : "", l);
        if (what) return where;
    }
    return NULL;
}
