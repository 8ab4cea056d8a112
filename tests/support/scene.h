// A position scheme outside a training pass, for tests of its hooks; and numbers computed by other implementations.
#ifndef BITTER_SCENE_H
#define BITTER_SCENE_H

#include "model/gpt.h"
#include "model/ops/attention_more.h"
#include "tests/support/support.h"

#include <jansson.h>
#include <stdio.h>

// A model, of which only the scheme's tensors matter, and tables for its scheme, with their gradients.
typedef struct {
    Gpt gpt;
    Position *pos; // the only one of gpt
    Tables tables;
    Arena arena;
} Scene;

// Tables for these coordinates and sequences, replacing the previous ones.
static inline void scene_layout(Scene *scene, int positions, int batch) {
    Error error;
    arena_free(&scene->arena);
    scene->pos = &scene->gpt.pos.part[0];
    tables_layout(&scene->tables, scene->pos, &scene->arena, positions, batch, true);
    must(arena_allocate(&scene->arena, "tables", &error), &error);
    tables_layout(&scene->tables, scene->pos, &scene->arena, positions, batch, true);
    tables_prepare(&scene->tables);
}

static inline void scene_make(Scene *scene, const char *specification, Shape shape, int positions) {
    Mix pos;
    Error error;
    *scene = (Scene){0};
    must(mix_create(&pos, specification, &shape, &error), &error);
    must(gpt_create(&scene->gpt, &shape, &pos, true, &error), &error);
    gpt_init(&scene->gpt, 3);
    scene_layout(scene, positions, 1);
}

// The same as the tables of a whole mix, whose only layer is layer 0.
static inline MixTables scene_mix(const Scene *scene, LayerCalls *layer) {
    const Scheme *scheme = scene->pos->scheme;
    *layer = (LayerCalls){.calls = {{.family = scheme->family, .attention = scheme->attention}},
                          .count = scheme->family != NULL};
    if (scheme->attention) layer->own = layer->calls;
    if (scheme->weights) layer->weights = scheme->weights(scene->pos);
    layer->changes = scheme->weights || (scheme->family && scheme->family->score_forward);
    layer->reads_queries = scheme->reads_queries;
    return (MixTables){.mix = &scene->gpt.pos, .part = {scene->tables}, .layers = layer};
}

// Attention of a sequence of T tokens to themselves, all but its outputs: q, k and v are (T, width).
static inline Attention scene_attention(const Scene *scene, const real *q, const real *k, const real *v,
                                        const Place *at, int T) {
    const Shape *shape = &scene->pos->shape;
    return (Attention){.q = q,
                       .k = k,
                       .v = v,
                       .query_at = at,
                       .key_at = at,
                       .B = 1,
                       .H = shape->heads,
                       .K = shape->heads,
                       .d = head_width(shape),
                       .queries = T,
                       .keys = T,
                       .key_batch = T,
                       .q_stride = shape->width,
                       .kv_stride = shape->width};
}

// Let the scheme add to the scores of a block, or replace them, with exactly the scratch memory that it asks for.
static inline void scene_scores(const Scene *scene, ScoreBlock block) {
    const Scheme *scheme = scene->pos->scheme;
    block.scratch =
        nan_reals(scheme->score_scratch ? scheme->score_scratch(&scene->tables, block.rows, block.columns, false) : 0);
    if (scheme->attention) {
        LayerCalls layer;
        const MixTables tables = scene_mix(scene, &layer);
        layer.calls[0].layer = block.layer;
        block.layer = 0;
        scores_forward(&tables, &block, (real *[PARTS_CAPACITY]){block.scratch});
    } else if (scheme->family->score_forward)
        scheme->family->score_forward(&scene->tables, &block);
    free(block.scratch);
}

// A layer's gradients, from tables to parameters.
static inline void scene_layer_backward(const Scene *scene, int layer) {
    scene->pos->scheme->family->layer_backward(&scene->tables, layer, NULL, NULL, NULL, NULL, 0);
}

static inline void scene_free(Scene *scene) {
    gpt_free(&scene->gpt);
    arena_free(&scene->arena);
}

static inline Shape shape_of(int heads, int width, int context) {
    return (Shape){.vocab = 5, .context = context, .layers = 1, .heads = heads, .width = width};
}

// Places 0, 1, 2 ... in one line of text.
static inline void places_run(Place *at, int count) {
    for (int t = 0; t < count; t++) at[t] = (Place){.t = t, .column = t};
}

// Root of the JSON in tests/golden/NAME.json; the caller releases it with json_decref.
static inline json_t *golden(const char *name) {
    char path[64];
    json_error_t error;
    snprintf(path, sizeof path, "tests/golden/%s.json", name);
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail_msg("%s: %s", path, error.text);
    return root;
}

static inline double number_at(const json_t *array, size_t i) {
    const json_t *number = json_array_get(array, i);
    assert_true(json_is_number(number));
    return json_number_value(number);
}

static inline void read_numbers(real *out, const json_t *array, size_t count) {
    assert_int_equal(json_array_size(array), count);
    for (size_t i = 0; i < count; i++) out[i] = (real)number_at(array, i);
}

// An array of rows.
static inline void read_matrix(real *out, const json_t *rows, size_t row_count, size_t columns) {
    assert_int_equal(json_array_size(rows), row_count);
    for (size_t r = 0; r < row_count; r++) read_numbers(out + r * columns, json_array_get(rows, r), columns);
}

#endif
