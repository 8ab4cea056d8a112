#include "posenc/pass.h"

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
