// Combinations of schemes drawn by a seeded generator: sums, periods, lists of layers, of all schemes with
// all their options, in models with windows and without.
#ifndef BITTER_COMBINATION_H
#define BITTER_COMBINATION_H

#include "base/random.h"
#include "posenc/registry.h"
#include "tests/support/little_model.h"

#define COMBINATIONS 40

// A scheme, mostly with its default options; some have gates.
static inline void draw_scheme(char text[TEXT_CAPACITY], const Shape *shape, Random *random) {
    int count = 0;
    while (scheme_variant(text, shape, count)) count++;
    if (random_below(random, 3) == 0) {
        scheme_variant(text, shape, random_below(random, count));
        return;
    }
    for (count = 0; schemes[count];) count++;
    const Scheme *scheme = schemes[random_below(random, count)];
    const bool gated = scheme->options && option_find(scheme->options, GATE_OPTION) && random_below(random, 3) == 0;
    snprintf(text, TEXT_CAPACITY, "%s%s", scheme->name, gated ? ":gate=trained" : "");
}

static inline void draw_sum(char text[TEXT_CAPACITY], const Shape *shape, Random *random, int most) {
    const int terms = 1 + random_below(random, most);
    *text = 0;
    for (int i = 0; i < terms; i++) {
        char scheme[TEXT_CAPACITY];
        draw_scheme(scheme, shape, random);
        const int used = (int)strlen(text);
        assert_in_range(snprintf(text + used, (size_t)(TEXT_CAPACITY - used), "%s%.100s", i ? "+" : "", scheme), 0,
                        102);
    }
}

// Any text of the grammar; many of these texts fit no model.
static inline void draw_text(char text[TEXT_CAPACITY], const Shape *shape, Random *random) {
    char one[TEXT_CAPACITY], other[TEXT_CAPACITY];
    draw_sum(one, shape, random, 3);
    draw_sum(other, shape, random, 2);
    const int split = 1 + random_below(random, shape->layers - 1);
    switch (random_below(random, 3)) {
    case 0:
        snprintf(text, TEXT_CAPACITY, "%.500s", one);
        break;
    case 1:
        snprintf(text, TEXT_CAPACITY, "%.220s*%d,%.220s", one, split, other);
        break;
    default:
        snprintf(text, TEXT_CAPACITY, "%.220s@%d-%d %.220s@0-%d", one, split, shape->layers - 1, other, split - 1);
    }
    if (random_below(random, 4) == 0) {
        snprintf(other, sizeof other, "%.500s", text);
        snprintf(text, TEXT_CAPACITY, "learned,%.500s", other);
    }
}

// Windows of combination number `index`: none, or shorter or longer than blocks and texts.
static inline Windows draw_windows(const Shape *shape, int index) {
    Random random = {random_bits(random_key(19, "windows"), (uint64_t)index), 0};
    Windows windows = {0};
    if (random_below(&random, 4) == 0) return windows;
    windows.period = 1 + random_below(&random, shape->layers);
    for (int l = 0; l < windows.period; l++) {
        const int kind = random_below(&random, 4);
        windows.keys[l] = kind == 0 ? 0 : kind == 1 ? 20 + random_below(&random, 60) : 1 + random_below(&random, 8);
    }
    return windows;
}

// The block, the key heads, --scale-logits and the windows of combination number `index`.
static inline void draw_shape(Shape *shape, int index) {
    Random random = {random_bits(random_key(19, "blocks"), (uint64_t)index), 0};
    shape->block = random_below(&random, 2) ? BLOCK_LLAMA : BLOCK_GPT2;
    do shape->kv_heads = 1 + random_below(&random, shape->heads);
    while (shape->heads % shape->kv_heads);
    shape->scale_logits = random_below(&random, 2) ? SCALE_LOGITS_LOG : SCALE_LOGITS_NONE;
    shape->windows = draw_windows(shape, index);
}

// Combination number `index`: several schemes that a model of this shape can have.
static inline void draw_combination(char text[TEXT_CAPACITY], const Shape *shape, int index) {
    Random random = {random_bits(random_key(19, "combinations"), (uint64_t)index), 0};
    for (;;) {
        Mix mix;
        Error error;
        draw_text(text, shape, &random);
        if (mix_create(&mix, text, shape, &error) && mix.parts > 1) return;
    }
}

#endif
