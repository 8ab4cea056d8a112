#include "model/train_pass.h"

#include "base/random.h"
#include "num/team.h"

#include <assert.h>
#include <stdio.h>

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
    layer->hidden = shape->block == BLOCK_LLAMA ? NULL : arena_reals(arena, rows * (size_t)mlp_width(shape));
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
}

// Each place where the model has dropout draws random numbers of its own.
static Dropout dropout_site(const TrainPass *pass, uint64_t layer, uint64_t site) {
    return (Dropout){pass->dropout_rate, random_bits(pass->dropout_key, 4 * layer + site)};
}

enum { SITE_ATTENTION, SITE_PROJ, SITE_MLP, SITE_EMBED };

static Layer layer_at(const TrainPass *pass, const Gpt *gpt, int l) {
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

void train_pass_embed(TrainPass *pass, const Gpt *gpt, const int *ids) {
    const int random_bound = mix_random_bound(&gpt->pos);
    for (int b = 0; b < pass->B; b++) {
        Place cursor = {0};
        if (random_bound) places_draw(pass->drawn, pass->T, random_bound, random_bits(pass->places_key, (uint64_t)b));
        for (int r = b * pass->T; r < (b + 1) * pass->T; r++) {
            pass->at[r] = place_next(&cursor, ids[r], gpt->pos.rule);
            if (random_bound) pass->at[r] = place_drawn(&pass->at[r], pass->drawn);
        }
    }
    tokens_forward(pass->layers[0].x, ids, gpt->w.wte, pass->B * pass->T, gpt->shape.width);
}

void train_pass_forward(TrainPass *pass, const Gpt *gpt) {
    const int rows = pass->B * pass->T, C = gpt->shape.width, L = gpt->shape.layers;
    const Dropout drop_embed = dropout_site(pass, (uint64_t)L, SITE_EMBED);
    real *x = pass->layers[0].x;

    mix_prepare(&pass->tables);
#pragma omp parallel
    {
        mix_embed_forward(&pass->tables, x, pass->at, rows);
        dropout_apply(x, &drop_embed, rows, C);
        for (int l = 0; l < L; l++) {
            const Layer layer = layer_at(pass, gpt, l);
            const Attention attention = layer_attention(&layer);
            layer_qkv_forward(&layer);
            team_barrier();
            layer_forward(l + 1 < L ? pass->layers[l + 1].x : pass->x_final, &layer, &attention);
        }
        norm_forward(pass->buffers.norm, pass->lnf_mean, pass->lnf_rstd, pass->x_final, gpt->w.lnfw, gpt->w.lnfb, rows,
                     C);
    }
}

void train_pass_loss(TrainPass *pass, const Gpt *gpt, const int *targets) {
#pragma omp parallel
    loss_forward(pass->nll, pass->buffers.norm, gpt->w.wte, targets, pass->buffers.scratch, pass->B * pass->T,
                 gpt->shape.width, gpt->shape.vocab);
}

void train_pass_backward(TrainPass *pass, Gpt *gpt, const int *ids, const int *targets) {
    const int rows = pass->B * pass->T, C = gpt->shape.width, L = gpt->shape.layers;
    const Dropout drop_embed = dropout_site(pass, (uint64_t)L, SITE_EMBED);
    const real *norm = pass->buffers.norm;
    real *dx = pass->dx, *dnorm = pass->buffers.dnorm;

    // norm_backward adds to dx, and the residual stream after the last layer goes nowhere but into this norm.
    memset(dx, 0, (size_t)rows * C * sizeof(real));
#pragma omp parallel
    {
        // dnorm (rows, C); dwte += as the output head.
        loss_forward_backward(pass->nll, dnorm, gpt->dw.wte, pass->dnll, norm, gpt->w.wte, targets,
                              pass->buffers.scratch, rows, C, gpt->shape.vocab);
        // dx (rows, C) = the gradient of x_final.
        norm_backward(dx, dnorm, pass->x_final, gpt->w.lnfw, gpt->w.lnfb, pass->lnf_mean, pass->lnf_rstd, rows, C);
        norm_backward_weights(gpt->dw.lnfw, gpt->dw.lnfb, dnorm, pass->x_final, pass->lnf_mean, pass->lnf_rstd, rows,
                              C);
        team_barrier(); // the layers overwrite buffers.dnorm
        for (int l = L - 1; l >= 0; l--) {
            const Layer layer = layer_at(pass, gpt, l);
            const Attention attention = layer_attention(&layer);
            layer_backward(dx, &layer, &attention); // dx: of the layer's output -> of its input
        }
        dropout_apply(dx, &drop_embed, rows, C);
        team_barrier(); // the next two sum over all rows, so they read other threads' dx
        mix_embed_backward(&pass->tables, dx, pass->at, rows);
        tokens_backward(gpt->dw.wte, dx, ids, rows, C); // dwte += again: the same matrix embeds tokens and makes logits
    }
}

static bool finite_all(const real *values, size_t count) {
    for (size_t n = 0; n < count; n++)
        if (!isfinite(values[n])) return false;
    return true;
}

const char *train_pass_nonfinite(char where[80], const TrainPass *pass, const Shape *shape) {
    const size_t rows = (size_t)pass->B * pass->T, n = rows * shape->width, qkv = rows * (size_t)qkv_width(shape);
    snprintf(where, 80, "the embeddings");
    if (!finite_all(pass->layers[0].x, n)) return where;
    for (int l = 0; l < shape->layers; l++) {
        const LayerActivations *a = &pass->layers[l];
        const real *x_out = l + 1 < shape->layers ? pass->layers[l + 1].x : pass->x_final;
        const char *what = !finite_all(a->qkv, qkv)   ? "queries, keys and values"
                           : !finite_all(a->heads, n) ? "attention"
                           : !finite_all(a->x_mid, n) ? "projection"
                           : !finite_all(x_out, n)    ? "MLP"
                                                      : NULL;
        snprintf(where, 80, "the %s of layer %d", what ? what : "", l);
        if (what) return where;
    }
    return NULL;
}
