#include "model/infer.h"

#include "base/random.h"
#include "model/ops/attention_more.h"
#include "num/team.h"

#include <assert.h>

static LayerMemory memory_take(Arena *arena, const Inference *inference, const Gpt *gpt, int layer) {
    const int window = window_of(&gpt->shape, layer), chunk = inference->chunk, capacity = inference->capacity;
    // A query sees its own key and window - 1 before it.
    const double kept = (double)window - 1 + (mix_brings_attention(&gpt->pos, layer) ? TOKENS_BEFORE : 0),
                 room = 2 * kept + chunk;
    LayerMemory memory = {.room = window && room < capacity ? (int)room : capacity, .kept = (int)kept};
    const size_t tokens = (size_t)inference->B * memory.room;
    memory.cache = arena_reals(arena, tokens * 2 * (size_t)key_width(&gpt->shape));
    memory.features = arena_reals(arena, tokens * (size_t)gpt->pos.features);
    memory.key_at = arena_take(arena, tokens * sizeof(Place));
    return memory;
}

static void layout(Inference *inference, const Gpt *gpt) {
    const Shape *shape = &gpt->shape;
    const Mix *pos = &gpt->pos;
    Arena *arena = &inference->arena;
    const size_t rows = (size_t)inference->B * inference->chunk, C = (size_t)shape->width;
    const int drawn = mix_random_bound(pos), span = drawn > inference->capacity ? drawn : inference->capacity;
    int keys = 0;
    mix_layout(&inference->tables, pos, arena, span, inference->B, false);
    inference->memory = arena_take(arena, (size_t)shape->layers * sizeof *inference->memory);
    for (int l = 0; l < shape->layers; l++) {
        const LayerMemory memory = memory_take(arena, inference, gpt, l);
        if (arena->base) inference->memory[l] = memory; // it has no memory yet while layout() only counts
        keys = memory.room > keys ? memory.room : keys;
    }
    inference->drawn = arena_take(arena, (size_t)inference->capacity * sizeof(int));
    inference->cursor = arena_take(arena, (size_t)inference->B * sizeof(Place));
    inference->query_at = arena_take(arena, rows * sizeof(Place));
    layer_buffers_layout(&inference->buffers, arena, gpt, &inference->tables, rows, keys, false);
    LayerActivations *a = &inference->a;
    a->x = a->x_mid = arena_reals(arena, rows * C);
    a->ln1_mean = a->ln2_mean = arena_reals(arena, rows);
    a->ln1_rstd = a->ln2_rstd = arena_reals(arena, rows);
    a->qkv = arena_reals(arena, rows * (size_t)qkv_width(shape));
    a->heads = arena_reals(arena, rows * C);
    a->fc = arena_reals(arena, rows * (size_t)fc_width(shape));
    a->hidden = arena_reals(arena, rows * (size_t)mlp_width(shape));
}

bool inference_create(Inference *inference, const Gpt *gpt, int B, int capacity, int chunk, Error *error) {
    *inference = (Inference){.B = B, .capacity = capacity, .chunk = least(chunk, capacity)};
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
    for (int l = 0; l < inference->tables.mix->shape.layers; l++) inference->memory[l].first = 0;
    memset(inference->cursor, 0, (size_t)inference->B * sizeof(Place));
}

void inference_window(Inference *inference, int length) {
    assert(length <= inference->capacity);
    if (mix_window(&inference->tables, length)) inference_restart(inference);
}

// Where a layer keeps keys, values and features of a token of sequence b.
typedef struct {
    real *cache, *features;
    Place *key_at;
} Remembered;

static Remembered remembered(const LayerMemory *memory, const Gpt *gpt, int b, int token) {
    const size_t at = (size_t)b * memory->room + (size_t)(token - memory->first);
    return (Remembered){memory->cache + at * 2 * (size_t)key_width(&gpt->shape),
                        memory->features + at * (size_t)gpt->pos.features, memory->key_at + at};
}

// Make room for n more tokens.
static void make_room(Inference *inference, const Gpt *gpt, int n) {
    const size_t kv = 2 * (size_t)key_width(&gpt->shape), F = (size_t)gpt->pos.features;
    for (LayerMemory *memory = inference->memory; memory < inference->memory + gpt->shape.layers; memory++) {
        const int first = inference->length - memory->kept;
        if (inference->length + n - memory->first <= memory->room) continue;
        for (int b = 0; b < inference->B; b++) {
            const Remembered to = remembered(memory, gpt, b, memory->first), from = remembered(memory, gpt, b, first);
            const size_t kept = (size_t)memory->kept;
            memmove(to.cache, from.cache, kept * kv * sizeof(real));
            memmove(to.features, from.features, kept * F * sizeof(real));
            memmove(to.key_at, from.key_at, kept * sizeof(Place));
        }
        memory->first = first;
    }
}

// Append the new tokens' coordinates, keys and values, qkv (B, n, C + 2 K*d), and features (B, n, F), to a layer's
// memory. By rows.
static void remember(const LayerMemory *memory, const Inference *inference, const Gpt *gpt, int n) {
    const size_t kv = 2 * (size_t)key_width(&gpt->shape), qkv = (size_t)qkv_width(&gpt->shape);
    const Share own = share_rows(inference->B * n);
    const size_t C = (size_t)gpt->shape.width, F = (size_t)gpt->pos.features;
    for (int r = own.begin; r < own.end; r++) {
        const Remembered to = remembered(memory, gpt, r / n, inference->length + r % n);
        memcpy(to.cache, inference->a.qkv + (size_t)r * qkv + C, kv * sizeof(real));
        memcpy(to.features, inference->buffers.features + r * F, F * sizeof(real));
        *to.key_at = inference->query_at[r];
    }
}

// Layer l on the n new tokens of each sequence, which attend to all tokens in the layer's memory.
static void layer_feed(Inference *inference, const Gpt *gpt, int l, int n) {
    const int Kd = key_width(&gpt->shape), length = inference->length + n;
    const LayerMemory *memory = &inference->memory[l];
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
    attention.P = inference->P ? inference->P + (size_t)l * inference->B * gpt->shape.heads * n * length : NULL;
    attention.k = memory->cache;
    attention.v = memory->cache + Kd;
    attention.kv_stride = 2 * Kd;
    attention.features = memory->features;
    attention.key_at = memory->key_at;
    attention.keys = length - memory->first;
    attention.forgotten = memory->first;
    attention.key_batch = memory->room;
    layer_qkv_forward(&layer);
    remember(memory, inference, gpt, n);
    if (inference->silent && l + 1 == gpt->shape.layers) return;
    team_barrier();
    layer_forward(inference->a.x, &layer, &attention);
}

// Coordinates of the next n tokens of each sequence: ids (B, n).
static void place_tokens(Inference *inference, const Gpt *gpt, const int *ids, int n) {
    for (int r = 0; r < inference->B * n; r++) {
        const Place place = place_next(&inference->cursor[r / n], ids[r], gpt->pos.rule);
        inference->query_at[r] = place_drawn(&place, inference->drawn);
    }
}

void inference_feed(Inference *inference, const Gpt *gpt, const int *ids, int n) {
    assert(n >= 1 && n <= inference->chunk && inference->length + n <= inference->capacity);
    const int rows = inference->B * n, C = gpt->shape.width;
    if (inference->length == 0) mix_prepare(&inference->tables);
    place_tokens(inference, gpt, ids, n);
    make_room(inference, gpt, n);
#pragma omp parallel
    {
        tokens_forward(inference->a.x, ids, gpt->w.wte, rows, C);
        mix_embed_forward(&inference->tables, inference->a.x, inference->query_at, rows);
        for (int l = 0; l < gpt->shape.layers; l++) layer_feed(inference, gpt, l, n);
        norm_forward(inference->buffers.norm, inference->a.ln1_mean, inference->a.ln1_rstd, inference->a.x, gpt->w.lnfw,
                     gpt->w.lnfb, rows, C);
    }
    inference->length += n;
}

void inference_logits(real *logits, const Inference *inference, const Gpt *gpt, int n) {
#pragma omp parallel
    logits_forward(logits, inference->buffers.norm, gpt->w.wte, inference->B * n, gpt->shape.width, gpt->shape.vocab);
}

void inference_last_logits(real *logits, const Inference *inference, const Gpt *gpt, int n) {
    const int C = gpt->shape.width;
    assert(inference->B == 1);
#pragma omp parallel
    logits_forward(logits, inference->buffers.norm + (size_t)(n - 1) * (size_t)C, gpt->w.wte, 1, C, gpt->shape.vocab);
}

void inference_nll(double *nll, const Inference *inference, const Gpt *gpt, const int *targets, int n) {
#pragma omp parallel
    loss_forward(nll, inference->buffers.norm, gpt->w.wte, targets, inference->buffers.scratch, inference->B * n,
                 gpt->shape.width, gpt->shape.vocab);
}
