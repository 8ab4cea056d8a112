// Passkeys: what a model writes after prompts, and how many it finds.
#include "lab/eval/passkey.h"
#include "data/made/builtin.h"
#include "model/infer.h"
#include "model/sample.h"
#include "tests/support/little_model.h"
#include "train/evaluate.h"

#include <string.h>

static void run_make(Run *run, const char *scheme, int context, TokenizerKind kind) {
    static const char characters[] = "\n .0123456789?"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "abcdefghijklmnopqrstuvwxyz";
    Error error;
    *run = (Run){0};
    must(tokenizer_create(&run->tokenizer, kind, &error) &&
             tokenizer_extend(&run->tokenizer, characters, sizeof characters - 1, "test", &error),
         &error);
    const Shape shape = {.layers = 2, .heads = 2, .width = 16, .context = context, .vocab = run->tokenizer.vocab_size};
    model_make(&run->gpt, scheme, &shape, false);
    // Attention that looks at few tokens and is not drowned by the token at hand, so that a key among 250 others can
    // change what is written.
    const int squared = shape.width * shape.width;
    for (int l = 0; l < shape.layers; l++) {
        for (int n = 0; n < 3 * squared; n++) run->gpt.w.layers[l].qkvw[n] *= 4;
        for (int n = 0; n < squared; n++) run->gpt.w.layers[l].projw[n] *= 4;
    }
}

// The same by reading the whole text again for each token, with memory for exactly the window.
static void continue_slowly(Text *continuation, const Run *run, int key, double depth, int window) {
    const Gpt *gpt = &run->gpt;
    const int V = gpt->shape.vocab, end = tokenizer_end(&run->tokenizer), mark = end >= 0;
    Tokens tokens = {0};
    Error error;
    Random random = {0, 0};
    real *logits = malloc((size_t)window * (size_t)V * sizeof *logits), *scratch = malloc((size_t)V * sizeof *scratch);
    int *ids = malloc((size_t)window * sizeof *ids);
    assert_true(logits && scratch && ids);
    Text prompt = {0};
    passkey_prompt(&prompt, key, window - mark - PASSKEY_TOKENS, depth);
    if (mark) must(tokens_add(&tokens, &(uint16_t){(uint16_t)end}, 1, &error), &error);
    must(tokenizer_encode(&tokens, &run->tokenizer, prompt.bytes, prompt.size, "test", &error), &error);
    for (int i = 0; i < PASSKEY_TOKENS; i++) {
        Inference inference;
        const int n = (int)tokens.count;
        for (int t = 0; t < n; t++) ids[t] = tokens.ids[t];
        must(inference_create(&inference, gpt, 1, window, n, &error), &error);
        inference_feed(&inference, gpt, ids, n);
        inference_logits(logits, &inference, gpt, n);
        inference_free(&inference);
        const int id = sample_token(scratch, logits + (size_t)(n - 1) * (size_t)V, V, &(Sampling){0}, &random);
        if (id == end) break;
        const char *text;
        const size_t size = tokenizer_decode(&text, &run->tokenizer, id);
        text_add(continuation, text, size);
        must(tokens_add(&tokens, &(uint16_t){(uint16_t)id}, 1, &error), &error);
    }
    assert_true(tokens.count <= (size_t)window);
    text_free(&prompt);
    tokens_free(&tokens);
    free(logits);
    free(scratch);
    free(ids);
}

// What the model writes after a document, in a window of the inference's capacity.
static Text continuation_of(const Run *run, Inference *inference, int key, double depth) {
    Text text = {0};
    ProgressLine line;
    Error error;
    progress_start(&line, "test", 0, 1);
    must(passkey_continue(&text, inference, run, key, depth, &line, 0, &error), &error);
    return text;
}

static void expect_continuations(const Run *run, int window, int count) {
    Inference inference;
    Error error;
    int different = 0;
    Text first = {0};
    must(inference_create(&inference, &run->gpt, 1, window, 512, &error), &error);
    for (int i = 0; i < count; i++) {
        const int key = passkey_key(1, (uint64_t)i);
        const double depth = i / (count - 1.0);
        Text expected = {0}, found = continuation_of(run, &inference, key, depth);
        continue_slowly(&expected, run, key, depth, window);
        assert_int_equal(found.size, expected.size);
        assert_memory_equal(found.bytes, expected.bytes, expected.size);
        if (i == 0) text_add(&first, found.bytes, found.size);
        different += found.size != first.size || memcmp(found.bytes, first.bytes, first.size) != 0;
        text_free(&expected);
        text_free(&found);
    }
    if (different == 0) fail_msg("all of %d continuations are the same, which tells nothing", count);
    text_free(&first);
    inference_free(&inference);
}

static void chunks_are_as_the_whole_text(void **state) {
    Run run;
    run_make(&run, "rope", 64, TOKENIZER_BYTES);
    expect_continuations(&run, passkey_shortest_window(&run.tokenizer), 5);
    expect_continuations(&run, 700, 3); // 512 and the rest
    run_close(&run);
    run_make(&run, "alibi", 64, TOKENIZER_CHARS);
    assert_int_equal(passkey_shortest_window(&run.tokenizer), PASSKEY_SHORTEST + PASSKEY_TOKENS);
    expect_continuations(&run, 300, 5);
    run_close(&run);
    // Rotations stretched by the length of the window see the same length whatever is fed of it.
    run_make(&run, "rope", 64, TOKENIZER_BYTES);
    run.gpt.pos.part[0].stretch = (StretchRule){.method = METHOD_DYNAMIC, .factor = 8, .original = 64, .growth = 8};
    expect_continuations(&run, 300, 5);
    run_close(&run);
}

// A model that writes the same after any text that ends in 's': the token `first`, and then `second` for ever. Each
// token's embedding is most similar to that of the next.
static void make_say(Run *run, int first, int second) {
    Gpt *gpt = &run->gpt;
    const int C = gpt->shape.width, s = 's';
    for (int l = 0; l < gpt->shape.layers; l++) {
        memset(gpt->w.layers[l].projw, 0, (size_t)C * (size_t)C * sizeof(real));
        memset(gpt->w.layers[l].projb, 0, (size_t)C * sizeof(real));
        memset(gpt->w.layers[l].fcprojw, 0, (size_t)(4 * C) * (size_t)C * sizeof(real));
        memset(gpt->w.layers[l].fcprojb, 0, (size_t)C * sizeof(real));
    }
    memset(gpt->w.wte, 0, (size_t)gpt->shape.vocab * (size_t)C * sizeof(real));
    for (int c = 0; c < C; c++) {
        gpt->w.lnfw[c] = 1;
        gpt->w.lnfb[c] = 0;
    }
    gpt->w.wte[s * C] = 1;
    gpt->w.wte[first * C] = 2;
    gpt->w.wte[first * C + 1] = 5;
    gpt->w.wte[second * C + 1] = 10;
}

static void expect_said(const Run *run, const char *expected) {
    Inference inference;
    Error error;
    must(inference_create(&inference, &run->gpt, 1, 300, 512, &error), &error);
    Text said = continuation_of(run, &inference, 7, 0);
    assert_int_equal(said.size, strlen(expected));
    assert_memory_equal(said.bytes, expected, strlen(expected));
    text_free(&said);
    inference_free(&inference);
}

static void the_mark_between_documents_ends_a_continuation(void **state) {
    Run run;
    run_make(&run, "rope", 64, TOKENIZER_BYTES);
    make_say(&run, '3', '4');
    expect_said(&run, "3444444444");
    make_say(&run, '7', 256);
    expect_said(&run, "7");
    make_say(&run, 256, '7');
    expect_said(&run, "");
    run_close(&run);
}

// --- how many are found ---

enum { WINDOW = 258, SAMPLES = 4 };

// How many documents with the needle at this depth have the key `key`.
static int documents_with(int key, uint64_t seed, uint64_t d) {
    const uint64_t stream = random_bits(random_bits(random_key(seed, "passkey test"), WINDOW), d);
    int count = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) count += passkey_key(stream, i) == key;
    return count;
}

// A model that always answers 7 is right where the key is 7, here once at depth 50%.
static void keys_are_found_where_they_are_right(void **state) {
    Run run;
    Error error;
    ProgressLine line;
    uint64_t seed = 0;
    double done = 0;
    int right[3];
    run_make(&run, "rope", 64, TOKENIZER_BYTES);
    make_say(&run, '7', 256);
    while (documents_with(7, seed, 1) != 1 || documents_with(7, seed, 0) || documents_with(7, seed, 2)) seed++;
    progress_start(&line, "test", 0, 1);
    must(passkey_find(right, &run, WINDOW, 3, SAMPLES, seed, &line, &done, &error), &error);
    assert_true(right[0] == 0 && right[1] == 1 && right[2] == 0);
    expect_near("work", 0, done, 3 * SAMPLES * window_work(&run.gpt, WINDOW), 1e-9 * done);
    run_close(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_as_the_whole_text),
        cmocka_unit_test(the_mark_between_documents_ends_a_continuation),
        cmocka_unit_test(keys_are_found_where_they_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
