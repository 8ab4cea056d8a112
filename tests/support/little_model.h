// Small models with random weights, for tests that need a whole model. A failure here fails the calling test.
#ifndef BITTER_LITTLE_MODEL_H
#define BITTER_LITTLE_MODEL_H

#include "model/train_pass.h"
#include "posenc/registry.h"
#include "tests/support/support.h"

#include <stdio.h>

// Can the scheme be used with this shape, and does it reach its length?
static inline bool fits_shape(const char *specification, const Shape *shape) {
    Mix pos;
    Error error;
    if (!mix_create(&pos, specification, shape, &error)) return false;
    const int most = mix_max_length(&pos);
    return most == 0 || most >= mix_span(&pos);
}

// The scheme with another value of a numeric option than its preset, which fits the shape.
static inline void other_number(char text[TEXT_CAPACITY], const char *scheme, const Option *option,
                                const Shape *shape) {
    const double preset = option->preset ? atof(option->preset) : 0, others[] = {2, preset / 2, 2 * preset, 1, 8, 12};
    for (size_t i = 0; i < COUNT(others); i++) {
        const bool allowed = others[i] >= option->minimum && others[i] <= option->maximum && others[i] != preset;
        snprintf(text, TEXT_CAPACITY, "%s:%s=%.9g", scheme, option->name, others[i]);
        if (allowed && fits_shape(text, shape)) return;
    }
    fail_msg("%s: no other value of %s fits the shape", scheme, option->name);
}

enum { SCHEMES_MOST = 256 };

// Every scheme with its default options, then with every choice of every option that has choices, another value of each
// number, and every flag: "rope", "rope:base=2", "rope:pairing=half", ... Returns the number of variants.
static inline int variants_of(char variants[SCHEMES_MOST][TEXT_CAPACITY], const Shape *shape) {
    int count = 0;
    for (int s = 0; schemes[s]; s++) {
        snprintf(variants[count++], TEXT_CAPACITY, "%s", schemes[s]->name);
        for (const Option *o = schemes[s]->options; o && o->name; o++) {
            char word[TEXT_CAPACITY];
            assert_in_range(count, 0, SCHEMES_MOST - 16);
            for (int i = 0; o->type == OPTION_CHOICE && choice_word(o->choices, i, word); i++)
                snprintf(variants[count++], TEXT_CAPACITY, "%s:%s=%.200s", schemes[s]->name, o->name, word);
            if (o->type == OPTION_FLAG) {
                snprintf(variants[count], TEXT_CAPACITY, "%s:%s=true", schemes[s]->name, o->name);
                if (fits_shape(variants[count], shape)) count++;
            }
            if (o->type == OPTION_INTEGER || o->type == OPTION_NUMBER)
                other_number(variants[count++], schemes[s]->name, o, shape);
        }
    }
    return count;
}

// Variant number `index`; false when there are no more.
static inline bool scheme_variant(char text[TEXT_CAPACITY], const Shape *shape, int index) {
    static char variants[SCHEMES_MOST][TEXT_CAPACITY];
    static Shape made_for;
    static int count;
    if (memcmp(&made_for, shape, sizeof made_for) != 0) count = variants_of(variants, shape);
    made_for = *shape;
    if (index < count) memcpy(text, variants[index], TEXT_CAPACITY);
    return index < count;
}

// The schemes of a text, for models of this shape.
static inline Mix mix_of(const char *text, const Shape *shape) {
    Mix mix;
    Error error;
    must(mix_create(&mix, text, shape, &error), &error);
    return mix;
}

// A model with initial values plus N(0, 0.4) everywhere, so that attention is sharp, norms and biases have an effect
// and no scheme is too faint to notice.
static inline void model_make(Gpt *gpt, const char *scheme, const Shape *shape, bool training) {
    const Mix pos = mix_of(scheme, shape);
    Error error;
    must(gpt_create(gpt, shape, &pos, training, &error), &error);
    gpt_init(gpt, 7);
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        const uint64_t key = random_key(8, t->name);
        for (size_t n = 0; n < t->count; n++) gpt->params[t->offset + n] += (real)(0.4 * random_normal(key, n));
    }
    mix_project(&gpt->pos);
}

// Such a model, and a training pass through it of B texts of T tokens.
static inline void training_make(Gpt *gpt, TrainPass *pass, const char *scheme, const Shape *shape, int B, int T) {
    Error error;
    model_make(gpt, scheme, shape, true);
    must(train_pass_create(pass, gpt, B, T, &error), &error);
}

static inline void training_free(Gpt *gpt, TrainPass *pass) {
    train_pass_free(pass);
    gpt_free(gpt);
}

static inline void ids_make(int *ids, int count, int vocab, uint64_t seed) {
    for (int i = 0; i < count; i++) ids[i] = (int)(random_bits(seed, (uint64_t)i) % (uint64_t)vocab);
}

// Every coordinate n becomes times n + more.
static inline Place place_moved(Place at, int times, int more) {
    return (Place){.t = times * at.t + more,
                   .column = times * at.column + more,
                   .line = times * at.line + more,
                   .page = times * at.page + more,
                   .document = times * at.document + more};
}

// Ids that make lines and documents for this rule, empty lines among them.
static const PlaceRule text_rule = {.newline = 1, .end = 2};

static inline void text_make(int *ids, int count, int vocab, uint64_t seed) {
    ids_make(ids, count, vocab, seed);
    for (int i = 0; i < count; i++)
        if (random_bits(seed + 1, (uint64_t)i) % 4 == 0) ids[i] = text_rule.newline;
}

#endif
