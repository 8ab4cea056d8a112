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

int mix_looks_back(const Mix *mix) {
    int most = 0;
    for (int p = 0; p < mix->parts; p++) {
        const Position *pos = &mix->part[p];
        const int tokens = pos->scheme->looks_back ? pos->scheme->looks_back(pos) : 0;
        most = tokens > most ? tokens : most;
    }
    return most;
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

// The parts that work in each layer.
static void list_calls(MixTables *tables) {
    const Mix *mix = tables->mix;
    int count = 0;
    for (int l = 0; l < mix->shape.layers; l++) {
        tables->first[l] = count;
        for (int p = 0; p < mix->parts; p++) {
            const int own = position_layer(&mix->part[p], l);
            if (own >= 0 && mix->part[p].scheme->family)
                tables->calls[count++] = (Call){mix->part[p].scheme->family, p, own, mix->first_feature[p]};
        }
    }
    tables->first[mix->shape.layers] = count;
}

void mix_layout(MixTables *tables, const Mix *mix, Arena *arena, int positions, int batch, bool training) {
    const size_t L = (size_t)mix->shape.layers;
    tables->mix = mix;
    tables->calls = arena_take(arena, L * (size_t)mix->parts * sizeof *tables->calls);
    tables->first = arena_take(arena, (L + 1) * sizeof *tables->first);
    if (tables->first) list_calls(tables);
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

void mix_reduce(MixTables *tables) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Family *family = tables->mix->part[p].scheme->family;
        if (family && family->reduce) family->reduce(&tables->part[p]);
    }
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

static const Call *calls_begin(const MixTables *tables, int layer) {
    return tables->calls + tables->first[layer];
}

static const Call *calls_end(const MixTables *tables, int layer) {
    return tables->calls + tables->first[layer + 1];
}

void mix_input_forward(const MixTables *tables, int layer, real *features, const real *x, int rows) {
    for (const Call *c = calls_begin(tables, layer); c < calls_end(tables, layer); c++)
        if (c->family->input_forward)
            c->family->input_forward(&tables->part[c->part], c->layer, features + c->feature, x, rows);
}

void mix_input_backward(const MixTables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                        const real *x, int rows) {
    for (const Call *c = calls_end(tables, layer); c-- > calls_begin(tables, layer);)
        if (c->family->input_backward)
            c->family->input_backward(&tables->part[c->part], c->layer, dx, dfeatures + c->feature,
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

static const Scheme *scheme_of(const MixTables *tables, const Call *call) {
    return tables->mix->part[call->part].scheme;
}

ScoresAre mix_scores(const MixTables *tables, int layer) {
    ScoresAre are = {0};
    for (const Call *c = calls_begin(tables, layer); c < calls_end(tables, layer); c++) {
        are.own |= scheme_of(tables, c)->own_scores;
        are.changed |= c->family->score_forward != NULL;
        are.trained |= scheme_of(tables, c)->reads_queries && c->family->score_backward;
    }
    return are;
}

void mix_scratch(real *scratch[PARTS_CAPACITY], const MixTables *tables, Arena *arena, int rows, int columns,
                 bool training) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Scheme *scheme = tables->mix->part[p].scheme;
        scratch[p] = scheme->score_scratch
                         ? arena_reals(arena, scheme->score_scratch(&tables->part[p], rows, columns, training))
                         : NULL;
    }
}

// The block as a part sees it.
static ScoreBlock own_block(const Call *call, const ScoreBlock *block, real *const *scratch) {
    ScoreBlock own = *block;
    own.layer = call->layer;
    own.features = block->features + call->feature;
    own.scratch = scratch[call->part];
    return own;
}

// A scheme that computes the scores itself comes first, and last in backward.
void mix_score_forward(const MixTables *tables, const ScoreBlock *block, real *const scratch[PARTS_CAPACITY]) {
    for (int first = 1; first >= 0; first--)
        for (const Call *c = calls_begin(tables, block->layer); c < calls_end(tables, block->layer); c++)
            if (c->family->score_forward && scheme_of(tables, c)->own_scores == first) {
                const ScoreBlock own = own_block(c, block, scratch);
                c->family->score_forward(&tables->part[c->part], &own);
            }
}

void mix_score_backward(const MixTables *tables, const ScoreBlock *block, const ScoreGradient *grad,
                        real *const scratch[PARTS_CAPACITY]) {
    for (int first = 0; first <= 1; first++)
        for (const Call *c = calls_end(tables, block->layer); c-- > calls_begin(tables, block->layer);)
            if (c->family->score_backward && scheme_of(tables, c)->own_scores == first) {
                const ScoreBlock own = own_block(c, block, scratch);
                ScoreGradient own_grad = *grad;
                own_grad.dfeatures += c->feature;
                c->family->score_backward(&tables->part[c->part], &own, &own_grad);
            }
}

void mix_score_reduce(const MixTables *tables, int layer) {
    for (const Call *c = calls_begin(tables, layer); c < calls_end(tables, layer); c++)
        if (c->family->score_reduce) c->family->score_reduce(&tables->part[c->part], c->layer);
}
