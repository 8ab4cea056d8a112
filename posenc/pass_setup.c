// Before the hooks of a pass are called: memory for its tables, the list of calls of each layer, and what tables hold.
#include "posenc/pass.h"

#include "num/team.h"

#include <assert.h>

void tables_layout(Tables *tables, const Position *pos, Arena *arena, int positions, int batch, bool training) {
    *tables =
        (Tables){.pos = pos, .stretch = &pos->stretch, .positions = positions, .window = positions, .batch = batch};
    tables->feature_stride = position_features(pos);
    if (pos->scheme->family && pos->scheme->family->layout) pos->scheme->family->layout(tables, arena, training);
}

// The caller may be a thread of a team, such as one in which each thread scores a window. There a hook that uses an op
// of the model would do only this thread's share; in a team of its own the thread does everything.
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
