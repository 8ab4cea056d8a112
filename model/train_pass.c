#include "model/train_pass.h"

#include "base/random.h"
#include "model/base/team.h"

#include <assert.h>
#include <stdio.h>

static void layout_layer(LayerActivations *layer, Arena *arena, const Shape *shape, size_t rows) {
    const size_t C = (size_t)shape->width;
    layer->x = arena_reals(arena, rows * C);
    layer->ln1_mean = arena_reals(arena, rows);
    layer->ln1_rstd = arena_reals(arena, rows);
    layer->qkv = arena_reals(arena, rows * 3 * C);
    layer->heads = arena_reals(arena, rows * C);
    layer->lse = arena_reals(arena, rows * (size_t)shape->heads);
    layer->x_mid = arena_reals(arena, rows * C);
    layer->ln2_mean = arena_reals(arena, rows);
    layer->ln2_rstd = arena_reals(arena, rows);
    layer->fc = arena_reals(arena, rows * MLP_RATIO * C);
}

static void layout(TrainPass *pass, const Gpt *gpt) {
    const Shape *shape = &gpt->shape;
    const Position *pos = &gpt->pos;
    Arena *arena = &pass->arena;
    const size_t rows = (size_t)pass->B * pass->T, C = (size_t)shape->width;
    tables_layout(&pass->tables, pos, arena, position_span(pos), pass->B, true);
    pass->at = arena_take(arena, rows * sizeof *pass->at);
    pass->drawn = arena_take(arena, (size_t)pass->T * sizeof *pass->drawn);
    pass->layers = arena_take(arena, (size_t)shape->layers * sizeof *pass->layers);
    for (int l = 0; l < shape->layers; l++) {
        LayerActivations counted; // a dry run has no memory for the array itself
        layout_layer(arena->base ? &pass->layers[l] : &counted, arena, shape, rows);
    }
    pass->x_final = arena_reals(arena, rows * C);
    pass->lnf_mean = arena_reals(arena, rows);
    pass->lnf_rstd = arena_reals(arena, rows);
    pass->norm = arena_reals(arena, rows * C);
    pass->hidden = arena_reals(arena, rows * MLP_RATIO * C);
    pass->branch = arena_reals(arena, rows * C);
    pass->dx = arena_reals(arena, rows * C);
    pass->dbranch = arena_reals(arena, rows * C);
    pass->dnorm = arena_reals(arena, rows * C);
    pass->dwide = arena_reals(arena, rows * MLP_RATIO * C);
    pass->features = arena_reals(arena, rows * (size_t)position_features(pos));
    pass->dfeatures = arena_reals(arena, rows * (size_t)position_features(pos));
    pass->dnll = arena_reals(arena, rows);
    pass->nll = arena_take(arena, rows * sizeof *pass->nll);
    const size_t attention = attention_scratch(&pass->tables, pass->T, true), head = head_scratch(shape->vocab);
    pass->scratch = arena_reals(arena, attention > head ? attention : head);
}

bool train_pass_create(TrainPass *pass, const Gpt *gpt, int B, int T, Error *error) {
    *pass = (TrainPass){.B = B, .T = T, .capacity = T};
    layout(pass, gpt);
    if (!arena_allocate(&pass->arena, "activations", error)) return false;
    layout(pass, gpt);
    return true;
}

void train_pass_free(TrainPass *pass) {
    arena_free(&pass->arena);
}

void train_pass_resize(TrainPass *pass, int T) {
    assert(T >= 1 && T <= pass->capacity);
    pass->T = T;
}

// Every place that drops something out draws from its own stream.
static Dropout dropout_site(const TrainPass *pass, uint64_t layer, uint64_t site) {
    return (Dropout){pass->dropout_rate, random_bits(pass->dropout_key, 4 * layer + site)};
}

enum { SITE_ATTENTION, SITE_PROJ, SITE_MLP, SITE_EMBED };

static AttentionShape attention_shape(const TrainPass *pass, const Shape *shape, int layer) {
    const int T = pass->T, C = shape->width;
    return (AttentionShape){
        .B = pass->B,
        .H = shape->heads,
        .d = C / shape->heads,
        .queries = T,
        .keys = T,
        .q_stride = 3 * C,
        .kv_stride = 3 * C,
        .q_batch = (size_t)T * 3 * C,
        .kv_batch = (size_t)T * 3 * C,
        .layer = layer,
        .query_at = pass->at,
        .key_at = pass->at,
        .features = pass->features,
        .key_batch = T,
        .dropout = dropout_site(pass, (uint64_t)layer, SITE_ATTENTION),
    };
}

// Called by every thread. Everything is by rows, and stays with the thread that owns them, but attention.
static void layer_forward(TrainPass *pass, real *x_out, const Gpt *gpt, int l) {
    const LayerWeights *w = &gpt->w.layers[l];
    LayerActivations *a = &pass->layers[l];
    const Scheme *scheme = gpt->pos.scheme;
    const int rows = pass->B * pass->T, C = gpt->shape.width, hidden = MLP_RATIO * C;
    const AttentionShape shape = attention_shape(pass, &gpt->shape, l);
    const Dropout drop_proj = dropout_site(pass, (uint64_t)l, SITE_PROJ),
                  drop_mlp = dropout_site(pass, (uint64_t)l, SITE_MLP);
    real *q = a->qkv, *k = a->qkv + C, *v = a->qkv + 2 * C;

    layernorm_forward(pass->norm, a->ln1_mean, a->ln1_rstd, a->x, w->ln1w, w->ln1b, rows, C);
    if (scheme->input_forward) scheme->input_forward(&pass->tables, l, pass->features, pass->norm, rows);
    linear_forward(a->qkv, pass->norm, w->qkvw, w->qkvb, rows, C, 3 * C);
    if (scheme->qk_forward) scheme->qk_forward(&pass->tables, l, q, k, 3 * C, pass->at, rows);
    team_barrier();
    attention_forward(a->heads, a->lse, q, k, v, &pass->tables, &shape, pass->scratch);
    linear_forward(pass->branch, a->heads, w->projw, w->projb, rows, C, C);
    residual_forward(a->x_mid, a->x, pass->branch, &drop_proj, rows, C);

    layernorm_forward(pass->norm, a->ln2_mean, a->ln2_rstd, a->x_mid, w->ln2w, w->ln2b, rows, C);
    linear_forward(a->fc, pass->norm, w->fcw, w->fcb, rows, C, hidden);
    gelu_forward(pass->hidden, a->fc, rows, hidden);
    linear_forward(pass->branch, pass->hidden, w->fcprojw, w->fcprojb, rows, hidden, C);
    residual_forward(x_out, a->x_mid, pass->branch, &drop_mlp, rows, C);
}

// x_out = x_mid + dropout(gelu(layernorm(x_mid) fcw) fcprojw), read upwards. Gradients by rows come first, then, when
// all rows are there, those by columns; the next rows may only be written when these are done.
static void mlp_backward(TrainPass *pass, Gpt *gpt, int l) {
    const LayerWeights *w = &gpt->w.layers[l], *dw = &gpt->dw.layers[l];
    LayerActivations *a = &pass->layers[l];
    const int rows = pass->B * pass->T, C = gpt->shape.width, hidden = MLP_RATIO * C;
    const Dropout drop_mlp = dropout_site(pass, (uint64_t)l, SITE_MLP);
    real *dhidden = pass->dwide, *dfc = pass->dwide; // (B,T,4C)

    residual_backward(pass->dbranch, pass->dx, &drop_mlp, rows, C);
    gelu_and_slope(pass->hidden, a->fc, rows, hidden);
    linear_backward(dhidden, pass->dbranch, w->fcprojw, rows, hidden, C);
    gelu_backward(dhidden, a->fc, rows, hidden);
    layernorm_again(pass->norm, a->x_mid, a->ln2_mean, a->ln2_rstd, w->ln2w, w->ln2b, rows, C);
    linear_backward(pass->dnorm, dfc, w->fcw, rows, C, hidden);
    layernorm_backward(pass->dx, pass->dnorm, a->x_mid, w->ln2w, a->ln2_mean, a->ln2_rstd, rows, C);
    team_barrier();
    linear_backward_weights(dw->fcprojw, dw->fcprojb, pass->dbranch, pass->hidden, rows, hidden, C);
    linear_backward_weights(dw->fcw, dw->fcb, dfc, pass->norm, rows, C, hidden);
    layernorm_backward_weights(dw->ln2w, dw->ln2b, pass->dnorm, a->x_mid, a->ln2_mean, a->ln2_rstd, rows, C);
    team_barrier();
}

// What the scheme's input hook made of the layer's input: cheaper to make again than to store for every layer. By rows.
static void features_again(TrainPass *pass, const Gpt *gpt, int l, int rows) {
    const Scheme *scheme = gpt->pos.scheme;
    if (!scheme->input_forward) return;
    const size_t F = (size_t)position_features(&gpt->pos);
    const Share own = share_rows(rows);
    scheme->input_forward(&pass->tables, l, pass->features, pass->norm, rows);
    memset(pass->dfeatures + own.begin * F, 0, (size_t)(own.end - own.begin) * F * sizeof(real));
}

// x_mid = x + dropout(attention(layernorm(x) qkvw) projw), read upwards.
static void attend_backward(TrainPass *pass, Gpt *gpt, int l) {
    const LayerWeights *w = &gpt->w.layers[l], *dw = &gpt->dw.layers[l];
    LayerActivations *a = &pass->layers[l];
    const Scheme *scheme = gpt->pos.scheme;
    const int rows = pass->B * pass->T, C = gpt->shape.width;
    const AttentionShape shape = attention_shape(pass, &gpt->shape, l);
    const Dropout drop_proj = dropout_site(pass, (uint64_t)l, SITE_PROJ);
    const real *q = a->qkv, *k = a->qkv + C, *v = a->qkv + 2 * C;
    real *dheads = pass->branch; // (B,T,C)
    real *dqkv = pass->dwide;    // (B,T,3C)
    real *dq = dqkv, *dk = dqkv + C, *dv = dqkv + 2 * C;

    residual_backward(pass->dbranch, pass->dx, &drop_proj, rows, C);
    linear_backward(dheads, pass->dbranch, w->projw, rows, C, C);
    layernorm_again(pass->norm, a->x, a->ln1_mean, a->ln1_rstd, w->ln1w, w->ln1b, rows, C);
    features_again(pass, gpt, l, rows);
    team_barrier();
    linear_backward_weights(dw->projw, dw->projb, pass->dbranch, a->heads, rows, C, C);
    attention_backward(dq, dk, dv, pass->dfeatures, dheads, q, k, v, a->heads, a->lse, &pass->tables, &shape,
                       pass->scratch);
    if (scheme->score_reduce) scheme->score_reduce(&pass->tables, l);
    if (scheme->qk_backward) scheme->qk_backward(&pass->tables, l, dq, dk, q, k, 3 * C, pass->at, rows);
    linear_backward(pass->dnorm, dqkv, w->qkvw, rows, C, 3 * C);
    if (scheme->input_backward)
        scheme->input_backward(&pass->tables, l, pass->dnorm, pass->dfeatures, pass->features, pass->norm, rows);
    layernorm_backward(pass->dx, pass->dnorm, a->x, w->ln1w, a->ln1_mean, a->ln1_rstd, rows, C);
    team_barrier();
    linear_backward_weights(dw->qkvw, dw->qkvb, dqkv, pass->norm, rows, C, 3 * C);
    layernorm_backward_weights(dw->ln1w, dw->ln1b, pass->dnorm, a->x, a->ln1_mean, a->ln1_rstd, rows, C);
    team_barrier();
}

void train_pass_embed(TrainPass *pass, const Gpt *gpt, const int *ids) {
    const int span = position_random(&gpt->pos);
    for (int b = 0; b < pass->B; b++) {
        Place cursor = {0};
        if (span) places_draw(pass->drawn, pass->T, span, random_bits(pass->places_key, (uint64_t)b));
        for (int r = b * pass->T; r < (b + 1) * pass->T; r++) {
            pass->at[r] = place_next(&cursor, ids[r], gpt->pos.rule);
            if (span) pass->at[r] = place_drawn(&pass->at[r], pass->drawn);
        }
    }
    tokens_forward(pass->layers[0].x, ids, gpt->w.wte, pass->B * pass->T, gpt->shape.width);
}

void train_pass_forward(TrainPass *pass, Gpt *gpt, const int *targets, bool training) {
    const int rows = pass->B * pass->T, C = gpt->shape.width, V = gpt->shape.vocab, L = gpt->shape.layers;
    const Scheme *scheme = gpt->pos.scheme;
    const Dropout drop_embed = dropout_site(pass, (uint64_t)L, SITE_EMBED);
    real *x = pass->layers[0].x;

    tables_prepare(&pass->tables);
#pragma omp parallel
    {
        if (scheme->embed_forward) scheme->embed_forward(&pass->tables, x, pass->at, rows);
        dropout_apply(x, &drop_embed, rows, C);
        for (int l = 0; l < L; l++) layer_forward(pass, l + 1 < L ? pass->layers[l + 1].x : pass->x_final, gpt, l);
        layernorm_forward(pass->norm, pass->lnf_mean, pass->lnf_rstd, pass->x_final, gpt->w.lnfw, gpt->w.lnfb, rows, C);
        team_barrier();
        if (training)
            loss_forward_backward(pass->nll, pass->dnorm, gpt->dw.wte, pass->dnll, pass->norm, gpt->w.wte, targets,
                                  pass->scratch, rows, C, V);
        else
            loss_forward(pass->nll, pass->norm, gpt->w.wte, targets, pass->scratch, rows, C, V);
    }
}

void train_pass_backward(TrainPass *pass, Gpt *gpt, const int *ids) {
    const int rows = pass->B * pass->T, C = gpt->shape.width, L = gpt->shape.layers;
    const Scheme *scheme = gpt->pos.scheme;
    const Dropout drop_embed = dropout_site(pass, (uint64_t)L, SITE_EMBED);
    real *dx = pass->dx;

    memset(dx, 0, (size_t)rows * C * sizeof(real));
#pragma omp parallel
    {
        layernorm_backward(dx, pass->dnorm, pass->x_final, gpt->w.lnfw, pass->lnf_mean, pass->lnf_rstd, rows, C);
        layernorm_backward_weights(gpt->dw.lnfw, gpt->dw.lnfb, pass->dnorm, pass->x_final, pass->lnf_mean,
                                   pass->lnf_rstd, rows, C);
        team_barrier();
        for (int l = L - 1; l >= 0; l--) {
            mlp_backward(pass, gpt, l);
            attend_backward(pass, gpt, l);
        }
        dropout_apply(dx, &drop_embed, rows, C);
        team_barrier();
        if (scheme->embed_backward) scheme->embed_backward(&pass->tables, dx, pass->at, rows);
        tokens_backward(gpt->dw.wte, dx, ids, rows, C);
    }
    if (scheme->reduce) scheme->reduce(&pass->tables);
}

static bool finite_all(const real *values, size_t count) {
    for (size_t n = 0; n < count; n++)
        if (!isfinite(values[n])) return false;
    return true;
}

const char *train_pass_nonfinite(char where[80], const TrainPass *pass, const Shape *shape) {
    const size_t rows = (size_t)pass->B * pass->T, n = rows * shape->width;
    for (int l = 0; l < shape->layers; l++) {
        const LayerActivations *a = &pass->layers[l];
        const char *what = !finite_all(a->x, n)         ? "input"
                           : !finite_all(a->qkv, 3 * n) ? "queries, keys and values"
                           : !finite_all(a->heads, n)   ? "attention"
                           : !finite_all(a->x_mid, n)   ? "projection"
                                                        : NULL;
        snprintf(where, 80, "the %s of layer %d", what ? what : "", l);
        if (what) return where;
    }
    snprintf(where, 80, "the output of the last layer");
    return finite_all(pass->x_final, n) ? NULL : where;
}
