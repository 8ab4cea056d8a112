#include "posenc/mix.h"

#include "posenc/gate.h"

#include <assert.h>
#include <stdio.h>

// The number of a head of the model among the part's own; -1 = it is none of these.
static int own_head(const Position *pos, int head) {
    const int own = head - pos->first_head;
    return own >= 0 && own < pos->shape.heads ? own : -1;
}

// Where the part's heads begin in a row of queries ...
static size_t first_channel(const Position *pos) {
    return (size_t)pos->first_head * head_width(&pos->shape);
}

// ... and in a row of keys.
static size_t first_key_channel(const Position *pos, const Mix *mix) {
    return (size_t)key_head_of(&mix->shape, pos->first_head) * head_width(&pos->shape);
}

// --- what it is ---

int mix_stretchable(const Mix *mix) {
    int found = -1;
    for (int p = 0; p < mix->parts; p++) {
        if (!mix->part[p].scheme->theta) continue;
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
        if (pos->gated) operations += gated_of(pos)->operations(pos, T);
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
        if (pos->gated) gate_params(pos, table);
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

void mix_layout(MixTables *tables, const Mix *mix, Arena *arena, int positions, int batch, bool training) {
    tables->mix = mix;
    for (int p = 0; p < mix->parts; p++) {
        const Gated *gated = gated_of(&mix->part[p]);
        tables_layout(&tables->part[p], &mix->part[p], arena, positions, batch, training);
        tables->part[p].feature_stride = mix_features(mix);
        if (gated) gated->layout(&tables->part[p], arena, training);
    }
}

bool mix_window(MixTables *tables, int length) {
    bool differs = false;
    for (int p = 0; p < tables->mix->parts; p++) differs |= tables_window(&tables->part[p], length);
    return differs;
}

void mix_prepare(MixTables *tables) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Gated *gated = gated_of(&tables->mix->part[p]);
        tables_prepare(&tables->part[p]);
        if (gated && gated->prepare) gated->prepare(&tables->part[p]);
    }
}

void mix_reduce(MixTables *tables) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Position *pos = &tables->mix->part[p];
        const Gated *gated = gated_of(pos);
        if (pos->scheme->reduce) pos->scheme->reduce(&tables->part[p]);
        if (gated && gated->reduce) gated->reduce(&tables->part[p]);
    }
}

// --- hooks of tokens ---

void mix_embed_forward(const MixTables *tables, real *x, const Place *at, int rows) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Position *pos = &tables->mix->part[p];
        const Gated *gated = gated_of(pos);
        if (pos->scheme->embed_forward)
            (gated ? gated->embed_forward : pos->scheme->embed_forward)(&tables->part[p], x, at, rows);
    }
}

void mix_embed_backward(const MixTables *tables, const real *dx, const Place *at, int rows) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Position *pos = &tables->mix->part[p];
        const Gated *gated = gated_of(pos);
        if (gated && gated->embed_backward)
            gated->embed_backward(&tables->part[p], dx, at, rows);
        else if (pos->scheme->embed_backward)
            pos->scheme->embed_backward(&tables->part[p], dx, at, rows);
    }
}

void mix_input_forward(const MixTables *tables, int layer, real *features, const real *x, int rows) {
    const Mix *mix = tables->mix;
    for (int p = 0; p < mix->parts; p++) {
        const Position *pos = &mix->part[p];
        const int own = position_layer(pos, layer);
        if (own >= 0 && pos->scheme->input_forward)
            pos->scheme->input_forward(&tables->part[p], own, features + mix->first_feature[p], x, rows);
    }
}

void mix_input_backward(const MixTables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                        const real *x, int rows) {
    const Mix *mix = tables->mix;
    for (int p = mix->parts - 1; p >= 0; p--) {
        const Position *pos = &mix->part[p];
        const int own = position_layer(pos, layer);
        if (own >= 0 && pos->scheme->input_backward)
            pos->scheme->input_backward(&tables->part[p], own, dx, dfeatures + mix->first_feature[p],
                                        features + mix->first_feature[p], x, rows);
    }
}

void mix_qk_forward(const MixTables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Position *pos = &tables->mix->part[p];
        const int own = position_layer(pos, layer);
        const size_t c = first_channel(pos), kc = first_key_channel(pos, tables->mix);
        const Gated *gated = gated_of(pos);
        if (own >= 0 && pos->scheme->qk_forward)
            (gated ? gated->qk_forward : pos->scheme->qk_forward)(&tables->part[p], own, q + c, k + kc, stride, at,
                                                                  rows);
    }
}

void mix_qk_backward(const MixTables *tables, int layer, real *dq, real *dk, const real *q, const real *k, int stride,
                     const Place *at, int rows) {
    for (int p = tables->mix->parts - 1; p >= 0; p--) {
        const Position *pos = &tables->mix->part[p];
        const int own = position_layer(pos, layer);
        const size_t c = first_channel(pos), kc = first_key_channel(pos, tables->mix);
        const Gated *gated = gated_of(pos);
        if (own >= 0 && pos->scheme->qk_backward)
            (gated ? gated->qk_backward : pos->scheme->qk_backward)(&tables->part[p], own, dq + c, dk + kc, q + c,
                                                                    k + kc, stride, at, rows);
    }
}

// --- hooks of scores ---

ScoresAre mix_scores(const MixTables *tables, int layer, int head) {
    ScoresAre are = {0};
    for (int p = 0; p < tables->mix->parts; p++) {
        const Position *pos = &tables->mix->part[p];
        if (position_layer(pos, layer) < 0 || own_head(pos, head) < 0) continue;
        are.own |= pos->scheme->own_scores && !pos->gated; // a gate weighs them against those without positions
        are.changed |= pos->scheme->score_forward != NULL;
        are.trained |= pos->scheme->score_backward != NULL;
    }
    return are;
}

void mix_scratch(real *scratch[SCRATCHES_CAPACITY], const MixTables *tables, Arena *arena, int rows, int columns,
                 bool training) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Scheme *scheme = tables->mix->part[p].scheme;
        const Gated *gated = gated_of(&tables->mix->part[p]);
        scratch[p] = scheme->score_scratch
                         ? arena_reals(arena, scheme->score_scratch(&tables->part[p], rows, columns, training))
                         : NULL;
        scratch[PARTS_CAPACITY + p] =
            gated && gated->score_scratch ? arena_reals(arena, gated->score_scratch(rows, columns)) : NULL;
    }
}

// The block as part p sees it. False: it is not one of the part's.
static bool own_block(ScoreBlock *own, const MixTables *tables, int p, const ScoreBlock *block, real *const *scratch) {
    const Position *pos = &tables->mix->part[p];
    *own = *block;
    own->layer = position_layer(pos, block->layer);
    own->head = own_head(pos, block->head);
    own->features = block->features + tables->mix->first_feature[p];
    own->scratch = scratch[p];
    return own->layer >= 0 && own->head >= 0;
}

void mix_score_forward(const MixTables *tables, const ScoreBlock *block, real *const scratch[SCRATCHES_CAPACITY]) {
    for (int first = 1; first >= 0; first--) // schemes that compute the scores themselves come first
        for (int p = 0; p < tables->mix->parts; p++) {
            const Scheme *scheme = tables->mix->part[p].scheme;
            ScoreBlock own;
            if (!scheme->score_forward || scheme->own_scores != first || !own_block(&own, tables, p, block, scratch))
                continue;
            const Gated *gated = gated_of(&tables->mix->part[p]);
            if (gated)
                gated->score_forward(&tables->part[p], &own, scratch[PARTS_CAPACITY + p]);
            else
                scheme->score_forward(&tables->part[p], &own);
        }
}

void mix_score_backward(const MixTables *tables, const ScoreBlock *block, const ScoreGradient *grad,
                        real *const scratch[SCRATCHES_CAPACITY]) {
    for (int first = 0; first <= 1; first++)
        for (int p = tables->mix->parts - 1; p >= 0; p--) {
            const Scheme *scheme = tables->mix->part[p].scheme;
            ScoreGradient own_grad = *grad;
            ScoreBlock own;
            own_grad.dfeatures += tables->mix->first_feature[p];
            if (!scheme->score_forward || scheme->own_scores != first || !own_block(&own, tables, p, block, scratch))
                continue;
            const Gated *gated = gated_of(&tables->mix->part[p]);
            if (gated)
                gated->score_backward(&tables->part[p], &own, &own_grad, scratch[PARTS_CAPACITY + p]);
            else if (scheme->score_backward)
                scheme->score_backward(&tables->part[p], &own, &own_grad);
        }
}

void mix_score_reduce(const MixTables *tables, int layer) {
    for (int p = 0; p < tables->mix->parts; p++) {
        const Position *pos = &tables->mix->part[p];
        const int own = position_layer(pos, layer);
        const Gated *gated = gated_of(pos);
        if (own >= 0 && gated && gated->score_reduce)
            gated->score_reduce(&tables->part[p], own);
        else if (own >= 0 && pos->scheme->score_reduce)
            pos->scheme->score_reduce(&tables->part[p], own);
    }
}
