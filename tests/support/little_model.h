// Small models with random weights, for tests that need a whole model. A failure here fails the calling test.
#ifndef BITTER_LITTLE_MODEL_H
#define BITTER_LITTLE_MODEL_H

#include "model/train_pass.h"
#include "posenc/registry.h"
#include "tests/support/support.h"

#include <stdio.h>

// Another value than the preset for a numeric option: 2, or half the preset where 2 is out of range.
static inline void other_number(char text[TEXT_CAPACITY], const Option *option) {
    const double preset = option->preset ? atof(option->preset) : 0;
    const bool two = preset != 2 && option->minimum <= 2 && option->maximum >= 2;
    snprintf(text, TEXT_CAPACITY, "%.9g", two ? 2 : preset / 2);
}

enum { SCHEMES_MOST = 256 };

// Every scheme with its default options, then with every choice of every option that has choices and another value of
// each number, and with every flag: "rope", "rope:base=2", "rope:pairing=half", ... Numbers with which the scheme
// refuses this shape, or does not reach its length, are left out. Returns the number of variants.
static inline int variants_of(char variants[SCHEMES_MOST][TEXT_CAPACITY], const Shape *shape) {
    int count = 0;
    for (int s = 0; schemes[s]; s++) {
        snprintf(variants[count++], TEXT_CAPACITY, "%s", schemes[s]->name);
        for (const Option *o = schemes[s]->options; o && o->name; o++) {
            char word[TEXT_CAPACITY];
            assert_in_range(count, 0, SCHEMES_MOST - 16);
            for (int i = 0; o->type == OPTION_CHOICE && choice_word(o->choices, i, word); i++)
                snprintf(variants[count++], TEXT_CAPACITY, "%s:%s=%.200s", schemes[s]->name, o->name, word);
            Mix pos;
            Error error;
            if (o->type == OPTION_FLAG)
                snprintf(word, sizeof word, "true");
            else if (o->type == OPTION_INTEGER || o->type == OPTION_NUMBER)
                other_number(word, o);
            else
                continue;
            snprintf(variants[count], TEXT_CAPACITY, "%s:%s=%.200s", schemes[s]->name, o->name, word);
            const bool fits = mix_create(&pos, variants[count], shape, &error);
            const int most = fits ? mix_max_length(&pos) : 0;
            if (fits && (most == 0 || most >= mix_span(&pos))) count++;
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
