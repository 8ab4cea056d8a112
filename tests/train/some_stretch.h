// Random stretches of every method, to be written to config.json and read back.
#ifndef BITTER_SOME_STRETCH_H
#define BITTER_SOME_STRETCH_H

#include "train/config.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/little_model.h"
#include "tests/support/scratch.h"

static const Shape shape = {.vocab = 257, .context = 8, .layers = 1, .heads = 1, .width = 8};
static const int methods[] = {METHOD_PI,     METHOD_NTK,      METHOD_DYNAMIC, METHOD_YARN,
                              METHOD_LLAMA3, METHOD_LONGROPE, METHOD_GRADIENT};

static char directory[SCRATCH_PATH];
static char path[SCRATCH_PATH + 32];
static Corpus corpus;
static Gpt gpt;

static inline int prepare(void **state) {
    Error error;
    scratch_make(directory);
    snprintf(path, sizeof path, "%s/config.json", directory);
    must(corpus_open(&corpus, "builtin:tales:bytes=20000", &error), &error);
    model_make(&gpt, "rope", &shape, true);
    return 0;
}

static inline int finish(void **state) {
    gpt_free(&gpt);
    corpus_close(&corpus);
    scratch_remove(directory);
    return 0;
}

static inline Stretch some_stretch(int pairs, Random *random) {
    Stretch stretch = {.unscaled = random_below(random, 300), .attention = 1 + random_next(random) / 3};
    for (int i = 0; i < pairs; i++) stretch.factors[i] = exp(8 * random_next(random) - 1);
    return stretch;
}

// Numbers that need all their digits.
static inline StretchRule some_rule(int method, int pairs, bool has_short, Random *random) {
    StretchRule rule = {.method = method, .factor = 1 + 10 * random_next(random), .original = 2};
    rule.original += random_below(random, 100000);
    if (method == METHOD_DYNAMIC) {
        rule.growth = 1 + random_next(random);
        return rule;
    }
    rule.pairs = pairs;
    rule.long_stretch = some_stretch(pairs, random);
    rule.has_short = has_short;
    if (has_short) rule.short_stretch = some_stretch(pairs, random);
    return rule;
}

static inline void expect_stretch(const Stretch *found, const Stretch *written, int pairs) {
    assert_memory_equal(found->factors, written->factors, (size_t)pairs * sizeof(double));
    assert_int_equal(found->unscaled, written->unscaled);
    assert_true(found->attention == written->attention);
}

static inline void expect_rule(const StretchRule *found, const StretchRule *written) {
    assert_int_equal(found->method, written->method);
    assert_true(found->factor == written->factor);
    assert_int_equal(found->original, written->original);
    assert_true(found->growth == written->growth);
    assert_int_equal(found->pairs, written->pairs);
    assert_int_equal(found->has_short, written->has_short);
    assert_false(found->learns);
    expect_stretch(&found->long_stretch, &written->long_stretch, written->pairs);
    expect_stretch(&found->short_stretch, &written->short_stretch, written->pairs);
}

static inline void write_stretch(const StretchRule *stretch) {
    TrainOptions options = {0};
    Error error;
    options_default(&options, train_options);
    options.stretch = *stretch;
    must(config_write(path, &options, &gpt, &corpus, &error), &error);
}

static inline StretchRule read_stretch(void) {
    TrainOptions options;
    int vocab_size;
    Error error;
    memset(&options, 0xA5, sizeof options);
    must(config_read(path, &options, &vocab_size, &error), &error);
    return options.stretch;
}

#endif
