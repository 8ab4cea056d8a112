#include "model/infer.h"

#include "base/random.h"
#include "model/base/team.h"

#include <assert.h>

static void layout(Inference *inference, const Gpt *gpt) {
    const Shape *shape = &gpt->shape;
    const Mix *pos = &gpt->pos;
    Arena *arena = &inference->arena;
    const size_t rows = (size_t)inference->B * inference->chunk, C = (size_t)shape->width;
    const int drawn = mix_random_bound(pos), span = drawn > inference->capacity ? drawn : inference->capacity;
    const size_t F = (size_t)mix_features(pos), tokens = (size_t)inference->B * inference->capacity;
    mix_layout(&inference->tables, pos, arena, span, inference->B, false);
    inference->cache = arena_reals(arena, (size_t)shape->layers * tokens * 2 * C);
    inference->features = arena_reals(arena, (size_t)shape->layers * tokens * F);
    inference->drawn = arena_take(arena, (size_t)inference->capacity * sizeof(int));
    inference->cursor = arena_take(arena, (size_t)inference->B * sizeof(Place));
    inference->key_at = arena_take(arena, tokens * sizeof(Place));
    inference->query_at = arena_take(arena, rows * sizeof(Place));
    layer_buffers_layout(&inference->buffers, arena, gpt, &inference->tables, rows, inference->capacity, false);
    LayerActivations *a = &inference->a;
    a->x = a->x_mid = arena_reals(arena, rows * C);
    a->ln1_mean = a->ln2_mean = arena_reals(arena, rows);
    a->ln1_rstd = a->ln2_rstd = arena_reals(arena, rows);
    a->qkv = arena_reals(arena, rows * 3 * C);
    a->heads = arena_reals(arena, rows * C);
    a->fc = a->hidden = arena_reals(arena, rows * MLP_RATIO * C);
}

bool inference_create(Inference *inference, const Gpt *gpt, int B, int capacity, int chunk, Error *error) {
    *inference = (Inference){.B = B, .capacity = capacity, .chunk = chunk < capacity ? chunk : capacity};
    layout(inference, gpt);
    if (!arena_allocate(&inference->arena, "the keys and values of this context", error)) return false;
    layout(inference, gpt);
    for (int t = 0; t < capacity; t++) inference->drawn[t] = t;
    // The same draw every time, so that the same text gets the same answer.
    const int span = mix_random_bound(&gpt->pos);
    if (span) places_draw(inference->drawn, capacity, span, random_key(0, "positions"));
    return true;
}

void inference_free(Inference *inference) {
    arena_free(&inference->arena);
}

void inference_restart(Inference *inference) {
    inference->length = 0;
    memset(inference->cursor, 0, (size_t)inference->B * sizeof(Place));
}

void inference_window(Inference *inference, int length) {
    assert(length <= inference->capacity);
    if (mix_window(&inference->tables, length)) inference_restart(inference);
}

// Where row r of the n new tokens of each sequence stands among those remembered.
static size_t token_of(const Inference *inference, int r, int n) {
    return (size_t)(r / n) * inference->capacity + (size_t)(inference->length + r % n);
}

// Append the new tokens' keys and values, qkv (B, n, 3C), and features (B, n, F), to one layer's cache (B, capacity,
// 2C) and features (B, capacity, F). By rows.
static void remember(real *cache, real *features, const Inference *inference, int n, int C, size_t F) {
    const Share own = share_rows(inference->B * n);
    for (int r = own.begin; r < own.end; r++) {
        const size_t token = token_of(inference, r, n);
        memcpy(cache + token * 2 * C, inference->a.qkv + (size_t)r * 3 * C + C, (size_t)2 * C * sizeof(real));
        memcpy(features + token * F, inference->buffers.features + r * F, F * sizeof(real));
    }
}

// Layer l on the n new tokens of each sequence, which look at all that are remembered.
static void layer_feed(Inference *inference, const Gpt *gpt, int l, int n) {
    const int C = gpt->shape.width, keys = inference->length + n;
    const size_t F = (size_t)mix_features(&gpt->pos), tokens = (size_t)inference->B * inference->capacity;
    real *cache = inference->cache + l * tokens * 2 * C, *features = inference->features + l * tokens * F;
    const Layer layer = {
        .gpt = gpt,
        .tables = &inference->tables,
        .index = l,
        .B = inference->B,
        .T = n,
        .at = inference->query_at,
        .a = &inference->a,
        .buffers = &inference->buffers,
    };
    Attention attention = layer_attention(&layer);
    attention.P = inference->P ? inference->P + (size_t)l * inference->B * gpt->shape.heads * n * keys : NULL;
    attention.k = cache;
    attention.v = cache + C;
    attention.kv_stride = 2 * C;
    attention.features = features;
    attention.key_at = inference->key_at;
    attention.keys = keys;
    attention.key_batch = inference->capacity;
    layer_qkv_forward(&layer);
    remember(cache, features, inference, n, C, F);
    if (inference->silent && l + 1 == gpt->shape.layers) return;
    team_barrier();
    layer_forward(inference->a.x, &layer, &attention);
}

// Coordinates of the next n tokens of each sequence: ids (B, n).
static void place_tokens(Inference *inference, const Gpt *gpt, const int *ids, int n) {
    for (int r = 0; r < inference->B * n; r++) {
        const Place place = place_next(&inference->cursor[r / n], ids[r], gpt->pos.rule);
        inference->key_at[token_of(inference, r, n)] = place_drawn(&place, inference->drawn);
    }
    if (inference->length == 0) mix_prepare(&inference->tables);
}

void inference_feed(Inference *inference, const Gpt *gpt, const int *ids, int n) {
    assert(n >= 1 && n <= inference->chunk && inference->length + n <= inference->capacity);
    const int rows = inference->B * n, C = gpt->shape.width;
    place_tokens(inference, gpt, ids, n);
    for (int r = 0; r < rows; r++) inference->query_at[r] = inference->key_at[token_of(inference, r, n)];
#pragma omp parallel
    {
        tokens_forward(inference->a.x, ids, gpt->w.wte, rows, C);
        mix_embed_forward(&inference->tables, inference->a.x, inference->query_at, rows);
        for (int l = 0; l < gpt->shape.layers; l++) layer_feed(inference, gpt, l, n);
        layernorm_forward(inference->buffers.norm, inference->a.ln1_mean, inference->a.ln1_rstd, inference->a.x,
                          gpt->w.lnfw, gpt->w.lnfb, rows, C);
    }
    inference->length += n;
}

size_t inference_token_size(const Gpt *gpt) {
    return (size_t)gpt->shape.layers * (2 * (size_t)gpt->shape.width + (size_t)mix_features(&gpt->pos));
}

// Where a layer keeps keys, values and features of a token, and how many numbers each of the two are.
typedef struct {
    real *cache, *features;
    size_t kv, F;
} Remembered;

static Remembered remembered(const Inference *inference, const Gpt *gpt, int layer, int b, int token) {
    const size_t kv = 2 * (size_t)gpt->shape.width, F = (size_t)mix_features(&gpt->pos),
                 at = ((size_t)layer * inference->B + b) * inference->capacity + token;
    return (Remembered){inference->cache + at * kv, inference->features + at * F, kv, F};
}

void inference_remembered(real *memory, const Inference *inference, const Gpt *gpt, int first, int n) {
    assert(first >= 0 && first + n <= inference->length);
    for (int b = 0; b < inference->B; b++)
        for (int t = first; t < first + n; t++)
            for (int l = 0; l < gpt->shape.layers; l++) {
                const Remembered r = remembered(inference, gpt, l, b, t);
                memcpy(memory, r.cache, r.kv * sizeof(real));
                memcpy(memory + r.kv, r.features, r.F * sizeof(real));
                memory += r.kv + r.F;
            }
}

void inference_recall(Inference *inference, const Gpt *gpt, const int *ids, const real *memory, int n) {
    assert(n >= 1 && inference->length + n <= inference->capacity);
    place_tokens(inference, gpt, ids, n);
    for (int b = 0; b < inference->B; b++)
        for (int t = inference->length; t < inference->length + n; t++)
            for (int l = 0; l < gpt->shape.layers; l++) {
                const Remembered r = remembered(inference, gpt, l, b, t);
                memcpy(r.cache, memory, r.kv * sizeof(real));
                memcpy(r.features, memory + r.kv, r.F * sizeof(real));
                memory += r.kv + r.F;
            }
    inference->length += n;
}

void inference_logits(real *logits, const Inference *inference, const Gpt *gpt, int n) {
    head_forward(logits, inference->buffers.norm, gpt->w.wte, inference->B * n, gpt->shape.width, gpt->shape.vocab);
}

void inference_nll(double *nll, const Inference *inference, const Gpt *gpt, const int *targets, int n) {
#pragma omp parallel
    loss_forward(nll, inference->buffers.norm, gpt->w.wte, targets, inference->buffers.scratch, inference->B * n,
                 gpt->shape.width, gpt->shape.vocab);
}
