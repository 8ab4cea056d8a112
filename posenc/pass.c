#include "posenc/pass.h"

#include "num/team.h"

#include <assert.h>

// --- tables ---

void tables_layout(Tables *tables, const Position *pos, Arena *arena, int positions, int batch, bool training) {
    *tables =
        (Tables){.pos = pos, .stretch = &pos->stretch, .positions = positions, .window = positions, .batch = batch};
    tables->feature_stride = position_features(pos);
    if (pos->scheme->family && pos->scheme->family->layout) pos->scheme->family->layout(tables, arena, training);
}

// For a caller that is a thread of a team, such as one that scores windows beside others: there a hook that uses an op
// of the model would do this thread's share only. In a team of its own the thread does everything.
static void prepare_alone(Tables *tables) {
#pragma omp parallel num_threads(1)
    tables->pos->scheme->family->prepare(tables);
}

void tables_prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const Family *family = pos->scheme->family;
    const bool due = family && family->prepare && (!tables->prepared || pos->param_count > 0);
    if (due && omp_get_num_threads() > 1)
        prepare_alone(tables);
    else if (due)
        family->prepare(tables);
    tables->prepared = true;
}

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
        if (scheme->weights) list->weights = scheme->weights(&mix->part[p]);
        list->changes |= scheme->family->score_forward || scheme->weights;
        list->reads_queries |= scheme->reads_queries && scheme->family->score_backward;
    }
}

void mix_layout(MixTables *tables, const Mix *mix, Arena *arena, int positions, int batch, bool training) {
    tables->mix = mix;
    tables->layers = arena_take(arena, (size_t)mix->shape.layers * sizeof *tables->layers);
    for (int l = 0; tables->layers && l < mix->shape.layers; l++) list_calls(&tables->layers[l], mix, l);
    for (int p = 0; p < mix->parts; p++) {
        tables_layout(&tables->part[p], &mix->part[p], arena, positions, batch, training);
        tables->part[p].feature_stride = mix->features;
    }
}

bool mix_window(MixTables *tables, int length) {
    bool differs = false;
    for (Tables *part = tables->part; part < tables->part + tables->mix->parts; part++) {
        const Scheme *scheme = part->pos->scheme;
        assert(length >= 1 && length <= part->positions);
        if (position_random_bound(part->pos) || !scheme->length_class) continue;
        const int before = scheme->length_class(part, part->window);
        part->window = length;
        if (scheme->length_class(part, length) == before) continue;
        part->prepared = false;
        differs = true;
    }
    return differs;
}

void mix_prepare(MixTables *tables) {
    for (int p = 0; p < tables->mix->parts; p++) tables_prepare(&tables->part[p]);
}

// --- hooks ---

// The calls of a layer: forward in order, backward from the last to the first.
static const Call *calls_begin(const MixTables *tables, int layer) {
    return tables->layers[layer].calls;
}

static const Call *calls_end(const MixTables *tables, int layer) {
    return tables->layers[layer].calls + tables->layers[layer].count;
}

// Codes are added before the first layer; they stand in the calls of every layer.
void mix_embed_forward(const MixTables *tables, real *x, const Place *at, int rows) {
    for (const Call *c = calls_begin(tables, 0); c < calls_end(tables, 0); c++)
        if (c->family->embed_forward) c->family->embed_forward(&tables->part[c->part], x, at, rows);
}

void mix_embed_backward(const MixTables *tables, const real *dx, const Place *at, int rows) {
    for (const Call *c = calls_end(tables, 0); c-- > calls_begin(tables, 0);)
        if (c->family->embed_backward) c->family->embed_backward(&tables->part[c->part], dx, at, rows);
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
