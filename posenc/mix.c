#include "posenc/mix.h"

#include <assert.h>
#include <stdio.h>

// --- what it is ---

int mix_stretchable(const Mix *mix) {
    int found = -1;
    for (int p = 0; p < mix->parts; p++) {
        if (!position_stretches(&mix->part[p])) continue;
        if (mix->part[p].gated) return STRETCH_GATED;
        found = found == -1 ? p : STRETCH_SEVERAL;
    }
    return found;
}

void mix_names(const Mix *mix, const char *between, const char *last, char text[TEXT_CAPACITY]) {
    size_t used = 0;
    for (int p = 0; p < mix->parts; p++)
        used += (size_t)snprintf(text + used, TEXT_CAPACITY - used, "%s%s",
                                 p == 0               ? ""
                                 : p + 1 < mix->parts ? between
                                                      : last,
                                 mix->part[p].scheme->name);
}

const Position *mix_only(const Mix *mix) {
    return mix->parts == 1 ? &mix->part[0] : NULL;
}

bool mix_learned(const Mix *mix) {
    for (int p = 0; p < mix->parts; p++)
        if (position_learned(&mix->part[p])) return true;
    return false;
}

int mix_random_bound(const Mix *mix) {
    for (int p = 0; p < mix->parts; p++)
        if (position_random_bound(&mix->part[p])) return position_random_bound(&mix->part[p]);
    return 0;
}

int mix_span(const Mix *mix) {
    return mix_random_bound(mix) ? mix_random_bound(mix) : mix->shape.context;
}

int mix_max_length(const Mix *mix) {
    int least = 0;
    for (int p = 0; p < mix->parts; p++) {
        const int most = position_max_length(&mix->part[p]);
        if (most && (least == 0 || most < least)) least = most;
    }
    return least;
}

int mix_features(const Mix *mix) {
    int features = 0;
    for (int p = 0; p < mix->parts; p++) features += position_features(&mix->part[p]);
    return features;
}

bool mix_brings_attention(const Mix *mix, int layer) {
    for (int p = 0; p < mix->parts; p++)
        if (mix->part[p].scheme->attention && position_layer(&mix->part[p], layer) >= 0) return true;
    return false;
}

double mix_operations(const Mix *mix, int T) {
    double operations = 0;
    for (int p = 0; p < mix->parts; p++) {
        const Position *pos = &mix->part[p];
        if (pos->scheme->operations) operations += pos->scheme->operations(pos, T);
    }
    return operations;
}

// --- parameters ---

// "pos.", or "pos.SCHEME." among several parts; the second part of a scheme is "pos.SCHEME-2.".
static void name_tensors(Position *pos, const Mix *mix) {
    pos->earlier = 0;
    for (const Position *before = mix->part; before < pos; before++) pos->earlier += before->scheme == pos->scheme;
    if (mix->parts == 1)
        snprintf(pos->prefix, sizeof pos->prefix, "pos.");
    else if (pos->earlier == 0)
        snprintf(pos->prefix, sizeof pos->prefix, "pos.%s.", pos->scheme->name);
    else
        snprintf(pos->prefix, sizeof pos->prefix, "pos.%s-%d.", pos->scheme->name, pos->earlier + 1);
}

void mix_params(Mix *mix, TensorTable *table) {
    for (Position *pos = mix->part; pos < mix->part + mix->parts; pos++) {
        pos->param_count = 0;
        name_tensors(pos, mix);
        if (position_trained(pos)) pos->scheme->params(pos, table);
        if (pos->gated) position_param(pos, table, GATE_TENSOR, gate_count(pos), 0, INIT_ONE, 0);
    }
}

void mix_init(Mix *mix, uint64_t seed) {
    for (Position *pos = mix->part; pos < mix->part + mix->parts; pos++)
        if (pos->scheme->init && position_trained(pos)) pos->scheme->init(pos, seed);
    mix_project(mix);
}

void mix_project(Mix *mix) {
    for (Position *pos = mix->part; pos < mix->part + mix->parts; pos++)
        if (pos->scheme->project) pos->scheme->project(pos);
}

// --- tables ---

// The parts that work in a layer, in the order of the text.
static void list_calls(LayerCalls *list, const Mix *mix, int layer) {
    *list = (LayerCalls){0};
    for (int p = 0; p < mix->parts; p++) {
        const Scheme *scheme = mix->part[p].scheme;
        const int own = position_layer(&mix->part[p], layer);
        if (own < 0 || !scheme->family) continue;
        Call *call = &list->calls[list->count++];
        *call = (Call){scheme->family, scheme->attention, p, own, mix->first_feature[p]};
        if (scheme->attention) list->own = call;
        list->changes |= scheme->family->score_forward != NULL;
        list->reads_queries |= scheme->reads_queries && scheme->family->score_backward;
    }
}

void mix_layout(MixTables *tables, const Mix *mix, Arena *arena, int positions, int batch, bool training) {
    tables->mix = mix;
    tables->layers = arena_take(arena, (size_t)mix->shape.layers * sizeof *tables->layers);
    for (int l = 0; tables->layers && l < mix->shape.layers; l++) list_calls(&tables->layers[l], mix, l);
    for (int p = 0; p < mix->parts; p++) {
        tables_layout(&tables->part[p], &mix->part[p], arena, positions, batch, training);
        tables->part[p].feature_stride = mix_features(mix);
    }
}

bool mix_window(MixTables *tables, int length) {
    bool differs = false;
    for (int p = 0; p < tables->mix->parts; p++) differs |= tables_window(&tables->part[p], length);
    return differs;
}

void mix_prepare(MixTables *tables) {
    for (int p = 0; p < tables->mix->parts; p++) tables_prepare(&tables->part[p]);
}

// --- hooks ---

// Codes are added before the first layer.
void mix_embed_forward(const MixTables *tables, real *x, const Place *at, int rows) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Family *family = tables->mix->part[p].scheme->family;
        if (family && family->embed_forward) family->embed_forward(&tables->part[p], x, at, rows);
    }
}

void mix_embed_backward(const MixTables *tables, const real *dx, const Place *at, int rows) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Family *family = tables->mix->part[p].scheme->family;
        if (family && family->embed_backward) family->embed_backward(&tables->part[p], dx, at, rows);
    }
}

// The calls of a layer: forward in order, backward from the last to the first.
static const Call *calls_begin(const MixTables *tables, int layer) {
    return tables->layers[layer].calls;
}

static const Call *calls_end(const MixTables *tables, int layer) {
    return tables->layers[layer].calls + tables->layers[layer].count;
}

void mix_input_forward(const MixTables *tables, int layer, real *features, const real *x, int rows) {
    for (const Call *c = calls_begin(tables, layer); c < calls_end(tables, layer); c++)
        if (c->family->input_forward)
            c->family->input_forward(&tables->part[c->part], c->layer, features + c->feature, x, rows);
}

void mix_layer_backward(const MixTables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                        const real *x, int rows) {
    for (const Call *c = calls_end(tables, layer); c-- > calls_begin(tables, layer);)
        if (c->family->layer_backward)
            c->family->layer_backward(&tables->part[c->part], c->layer, dx, dfeatures + c->feature,
                                      features + c->feature, x, rows);
}

void mix_qk_forward(const MixTables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    for (const Call *c = calls_begin(tables, layer); c < calls_end(tables, layer); c++)
        if (c->family->qk_forward) c->family->qk_forward(&tables->part[c->part], c->layer, q, k, stride, at, rows);
}

void mix_qk_backward(const MixTables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                     const Place *at, int rows) {
    for (const Call *c = calls_end(tables, layer); c-- > calls_begin(tables, layer);)
        if (c->family->qk_backward)
            c->family->qk_backward(&tables->part[c->part], c->layer, dq, dk, q, k, stride, at, rows);
}

// --- hooks of scores ---

void mix_scratch(real *scratch[PARTS_CAPACITY], const MixTables *tables, Arena *arena, int rows, int columns,
                 bool training) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Scheme *scheme = tables->mix->part[p].scheme;
        scratch[p] = scheme->score_scratch
                         ? arena_reals(arena, scheme->score_scratch(&tables->part[p], rows, columns, training))
                         : NULL;
    }
}

ScoreBlock mix_block(const Call *call, const ScoreBlock *block, real *const scratch[PARTS_CAPACITY]) {
    ScoreBlock own = *block;
    own.layer = call->layer;
    own.features = block->features + call->feature;
    own.scratch = scratch[call->part];
    return own;
}

void mix_score_forward(const MixTables *tables, const ScoreBlock *block, real *const scratch[PARTS_CAPACITY]) {
    for (const Call *c = calls_begin(tables, block->layer); c < calls_end(tables, block->layer); c++)
        if (c->family->score_forward) {
            const ScoreBlock own = mix_block(c, block, scratch);
            c->family->score_forward(&tables->part[c->part], &own);
        }
}

void mix_score_backward(const MixTables *tables, const ScoreBlock *block, const ScoreGradient *grad,
                        real *const scratch[PARTS_CAPACITY]) {
    for (const Call *c = calls_end(tables, block->layer); c-- > calls_begin(tables, block->layer);)
        if (c->family->score_backward) {
            const ScoreBlock own = mix_block(c, block, scratch);
            ScoreGradient own_grad = *grad;
            own_grad.dfeatures += c->feature;
            c->family->score_backward(&tables->part[c->part], &own, &own_grad);
        }
}
