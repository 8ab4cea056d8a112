// A small model with random weights, as a run, and directories for it in other programs' formats.
#ifndef BITTER_EXCHANGED_H
#define BITTER_EXCHANGED_H

#include "exchange/exchange.h"
#include "train/config.h"
#include "model/infer.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/little_model.h"
#include "tests/support/directory.h"

enum { LENGTH = 24, CONTEXT = 12 }; // tokens that are compared, and the trained context

// The path of a new directory below it.
static inline void new_directory(char path[PATH_CAPACITY], const char *name) {
    Error error;
    snprintf(path, PATH_CAPACITY, "%.900s/%s", directory, name);
    scratch_remove(path);
    must(directory_create(path, NULL, &error), &error);
}

static inline void run_make_as(Run *run, const char *pos, Block block, int kv_heads) {
    Error error;
    *run = (Run){0};
    options_default(&run->options, train_options);
    snprintf(run->options.pos, TEXT_CAPACITY, "%s", pos);
    run->options.layers = run->options.heads = 2;
    run->options.width = 16;
    run->options.block = (int)block;
    run->options.kv_heads = kv_heads;
    run->options.context = CONTEXT;
    must(tokenizer_create(&run->tokenizer, TOKENIZER_BYTES, &error), &error);
    const Shape shape = sizes_of(&run->options, run->tokenizer.vocab_size);
    model_make(&run->gpt, pos, &shape, false);
}

static inline void run_make(Run *run, const char *pos) {
    run_make_as(run, pos, BLOCK_GPT2, 0);
}

// Stretch its rotations by a formula, three times.
static inline void run_stretch(Run *run, Method method, bool keep_short) {
    StretchRule *rule = &run->options.stretch;
    const int pairs = rotary_pairs(&run->gpt.pos.part[0]);
    *rule = (StretchRule){.method = (int)method, .factor = 3, .original = CONTEXT, .pairs = pairs};
    if (method == METHOD_DYNAMIC)
        rule->growth = 3;
    else
        stretch_formula(&rule->long_stretch, method, &formula_defaults, 3, CONTEXT, 10000, pairs);
    rule->has_short = keep_short;
    for (int i = 0; keep_short && i < pairs; i++) rule->short_stretch.factors[i] = 1;
    rule->short_stretch.attention = rule->long_stretch.attention;
    run->options.context = run->gpt.shape.context = run->gpt.pos.part[0].shape.context = 3 * CONTEXT;
    run->gpt.pos.part[0].stretch = *rule;
}

// New memory with the logits of `count` tokens.
static inline real *logits_of(const Gpt *gpt, int count) {
    Inference inference;
    Error error;
    int ids[LENGTH];
    const size_t V = (size_t)gpt->shape.vocab;
    real *logits = malloc((size_t)count * V * sizeof *logits);
    assert_non_null(logits);
    ids_make(ids, count, gpt->shape.vocab, 5);
    must(inference_create(&inference, gpt, 1, count, count, &error), &error);
    inference_window(&inference, count);
    inference_feed(&inference, gpt, ids, count);
    inference_logits(logits, &inference, gpt, count);
    inference_free(&inference);
    return logits;
}

static inline void expect_same_logits(const Run *a, const Run *b, int count) {
    real *x = logits_of(&a->gpt, count), *y = logits_of(&b->gpt, count);
    expect_all_near("logits", x, y, (size_t)count * (size_t)a->gpt.shape.vocab, 2e-4);
    free(x);
    free(y);
}

static inline void expect_same_weights(const Run *a, const Run *b) {
    assert_int_equal(a->gpt.tensors.count, b->gpt.tensors.count);
    assert_int_equal(a->gpt.tensors.total, b->gpt.tensors.total);
    assert_memory_equal(a->gpt.params, b->gpt.params, a->gpt.tensors.total * sizeof(real));
}

static inline Buffer read_from(const char *folder, const char *name) {
    char path[PATH_CAPACITY];
    Error error;
    must(path_format(path, &error, "%s/%s", folder, name), &error);
    return read_file(path);
}

static inline void write_file(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[PATH_CAPACITY];
    Error error;
    must(path_format(path, &error, "%s/%s", folder, name), &error);
    scratch_write(path, bytes, size);
}

static inline void expect_same_file(const char *a, const char *b, const char *name) {
    const Buffer x = read_from(a, name), y = read_from(b, name);
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.bytes, y.bytes, x.size);
    free(x.bytes);
    free(y.bytes);
}

#endif
