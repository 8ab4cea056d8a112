// Little models with random weights, for whatever needs a whole model. Anything that fails here fails the test that
// asked.
#ifndef BITTER_LITTLE_MODEL_H
#define BITTER_LITTLE_MODEL_H

#include "model/gpt.h"
#include "tests/support.h"

#include <stdio.h>

// Scheme number `index` with its default options, then with every single choice of every option that has choices:
// "rope", "rope:pairing=half", "rope:pairing=interleaved", ... false when there are no more.
static inline bool scheme_variant(char text[TEXT_CAPACITY], int index) {
    for (int s = 0; schemes[s]; s++) {
        snprintf(text, TEXT_CAPACITY, "%s", schemes[s]->name);
        if (index-- == 0) return true;
        for (const Option *o = schemes[s]->options; o && o->name; o++) {
            char word[TEXT_CAPACITY];
            for (int i = 0; o->type == OPTION_CHOICE && choice_word(o->choices, i, word); i++) {
                snprintf(text, TEXT_CAPACITY, "%s:%s=%.200s", schemes[s]->name, o->name, word);
                if (index-- == 0) return true;
            }
        }
    }
    return false;
}

// A model with initial values plus N(0, 0.4) everywhere, so that attention is sharp, norms and biases do something and
// no scheme is too faint to be seen.
static inline void model_make(Gpt *gpt, const char *scheme, const Shape *shape, bool training) {
    Position pos;
    Error error;
    must(position_create(&pos, scheme, shape, &error), &error);
    must(gpt_create(gpt, shape, &pos, training, &error), &error);
    gpt_init(gpt, 7);
    for (int i = 0; i < gpt->tensors.count; i++) {
        const Tensor *t = &gpt->tensors.items[i];
        const uint64_t key = random_key(8, t->name);
        for (size_t n = 0; n < t->count; n++) gpt->params[t->offset + n] += (real)(0.4 * random_normal(key, n));
    }
}

static inline void ids_make(int *ids, int count, int vocab, uint64_t seed) {
    for (int i = 0; i < count; i++) ids[i] = (int)(random_bits(seed, (uint64_t)i) % (uint64_t)vocab);
}

#endif
