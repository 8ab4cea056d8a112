// eval --passkey: what a model writes after prompts, and the table of what it found.
#include "cmd/eval/eval.h"
#include "data/made/passkey.h"
#include "model/infer.h"
#include "model/sample.h"
#include "tests/support/little_model.h"
#include "tests/support/scratch.h"

#include <string.h>

static void run_make(Run *run, const char *scheme, int context, TokenizerKind kind) {
    static const char characters[] = "\n .0123456789?"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "abcdefghijklmnopqrstuvwxyz";
    Error error;
    *run = (Run){0};
    must(tokenizer_create(&run->tokenizer, kind, characters, sizeof characters - 1, "test", &error), &error);
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

static void expect_continuations(const Run *run, int window, int count) {
    PasskeyAttempt attempts[16] = {0};
    ProgressLine line;
    Error error;
    int different = 0;
    for (int i = 0; i < count; i++) {
        attempts[i].key = passkey_key(1, (uint64_t)i);
        attempts[i].depth = i / (count - 1.0);
    }
    progress_start(&line, "test", 0, 1);
    must(passkey_attempt(attempts, count, run, window, &line, 0, &error), &error);
    for (int i = 0; i < count; i++) {
        Text expected = {0}, *found = &attempts[i].continuation;
        continue_slowly(&expected, run, attempts[i].key, attempts[i].depth, window);
        assert_int_equal(found->size, expected.size);
        assert_memory_equal(found->bytes, expected.bytes, expected.size);
        const Text *first = &attempts[0].continuation;
        different += found->size != first->size || memcmp(found->bytes, first->bytes, first->size) != 0;
        text_free(&expected);
    }
    if (different == 0) fail_msg("all of %d continuations are the same, which tells nothing", count);
    for (int i = 0; i < count; i++) text_free(&attempts[i].continuation);
}

static void side_by_side_is_as_one_by_one(void **state) {
    Run run;
    run_make(&run, "rope", 64, TOKENIZER_BYTES);
    expect_continuations(&run, passkey_shortest_window(&run.tokenizer), 9); // 7 and 2
    expect_continuations(&run, 700, 3);                                     // 2 and 1, in chunks of 512 and the rest
    run_close(&run);
    run_make(&run, "alibi", 64, TOKENIZER_CHARS);
    assert_int_equal(passkey_shortest_window(&run.tokenizer), PASSKEY_SHORTEST + PASSKEY_TOKENS);
    expect_continuations(&run, 300, 8);
    run_close(&run);
}

// Rotations stretched by the length of the window see the same length whatever is fed of it.
static void the_window_is_what_stretched_rotations_go_by(void **state) {
    Run run;
    run_make(&run, "rope", 64, TOKENIZER_BYTES);
    run.gpt.pos.part[0].stretch = (StretchRule){.method = METHOD_DYNAMIC, .factor = 8, .original = 64, .growth = 8};
    expect_continuations(&run, 300, 7);
    run_close(&run);
}

// A model that writes the same behind any text that ends in 's': the token `first`, and then `second` for ever. Each
// token's embedding is most like that of the next.
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
    PasskeyAttempt attempts[2] = {{.key = 7}, {.key = 8}};
    ProgressLine line;
    Error error;
    progress_start(&line, "test", 0, 1);
    must(passkey_attempt(attempts, 2, run, 300, &line, 0, &error), &error);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(attempts[i].continuation.size, strlen(expected));
        assert_memory_equal(attempts[i].continuation.bytes, expected, strlen(expected));
        text_free(&attempts[i].continuation);
    }
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

// --- the table ---

static char directory[SCRATCH_PATH];

static int make_directory(void **state) {
    scratch_make(directory);
    return 0;
}

static int remove_directory(void **state) {
    scratch_remove(directory);
    return 0;
}

// evaluate_passkey with what it prints going to a file.
static void evaluate_quietly(const Run *run, const EvalOptions *options, const char *printed) {
    Error error;
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    assert_non_null(freopen(printed, "w", stdout));
    const bool ok = evaluate_passkey(run, "RUN", options, &error);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    must(ok, &error);
}

static void expect_lines(const char *path, const char *expected) {
    Buffer buffer;
    Error error;
    must(file_read(&buffer, path, &error), &error);
    assert_string_equal((const char *)buffer.bytes, expected);
    free(buffer.bytes);
}

enum { WINDOW = 258, DEPTHS = 3, SAMPLES = 4 };

// A seed with which one document at depth d has this key, and no other of any depth.
static bool finds_one(const EvalOptions *options, int d, int key) {
    PasskeyAttempt documents[DEPTHS * SAMPLES];
    int found = 0, elsewhere = 0;
    passkey_documents(documents, options, WINDOW);
    for (int i = 0; i < DEPTHS * SAMPLES; i++) *(i / SAMPLES == d ? &found : &elsewhere) += documents[i].key == key;
    return found == 1 && elsewhere == 0;
}

// What a table says of one right answer among four at depth d.
static void expect_one(const EvalOptions *options, const char *printed, int d) {
    static const char *const shares[] = {"0.0%", "25.0%"};
    static const char *const rows[] = {"0,0,0,0.489890836", "1,0.25,0.0455872608,0.699358157"};
    char expected[512];
    snprintf(expected, sizeof expected,
             "RUN: passkeys found, 4 documents of each length and depth\n"
             "  length      0%%     50%%    100%%  minimum  95%% interval of that depth alone\n"
             "     258 %7s %7s %7s     0.0%%  (0.0%% to 49.0%%)\n",
             shares[d == 0], shares[d == 1], shares[d == 2]);
    expect_lines(printed, expected);
    snprintf(expected, sizeof expected,
             "length,depth,samples,right,accuracy,low,high\n258,0,4,%s\n258,0.5,4,%s\n258,1,4,%s\n", rows[d == 0],
             rows[d == 1], rows[d == 2]);
    expect_lines(options->csv, expected);
}

// A model that always answers 7 is right where 7 is the key.
static void the_table_says_what_was_found_where(void **state) {
    Run run;
    char csv[2 * SCRATCH_PATH], printed[2 * SCRATCH_PATH];
    snprintf(csv, sizeof csv, "%s/table.csv", directory);
    snprintf(printed, sizeof printed, "%s/printed", directory);
    run_make(&run, "rope", 64, TOKENIZER_BYTES);
    make_say(&run, '7', 256);
    for (int d = 0; d < DEPTHS; d++) {
        EvalOptions options = {.windows = {WINDOW}, .window_count = 1, .samples = SAMPLES, .depths = DEPTHS};
        assert_true(snprintf(options.csv, sizeof options.csv, "%s", csv) < (int)sizeof options.csv);
        while (options.seed < 1000000 && !finds_one(&options, d, 7)) options.seed++;
        evaluate_quietly(&run, &options, printed);
        expect_one(&options, printed, d);
    }
    run_close(&run);
}

static void each_document_has_a_key_of_its_own(void **state) {
    enum { WINDOWS = 3, ALL = 5 * 20 };
    PasskeyAttempt all[2 * WINDOWS * ALL];
    int count = 0, equal = 0;
    for (long long seed = 0; seed < 2; seed++)
        for (int w = 0; w < WINDOWS; w++, count += ALL)
            passkey_documents(all + count, &(EvalOptions){.seed = seed, .samples = 20, .depths = 5}, 256 << w);
    for (int i = 0; i < count; i++) {
        expect_near("depth", (size_t)i, all[i].depth, i % ALL / 20 * 0.25, 1e-15);
        for (int j = 0; j < i; j++) equal += all[i].key == all[j].key;
    }
    assert_in_range(equal, 0, 15); // 3.6 of 179,700 pairs are to be expected
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(side_by_side_is_as_one_by_one),
        cmocka_unit_test(the_window_is_what_stretched_rotations_go_by),
        cmocka_unit_test(the_mark_between_documents_ends_a_continuation),
        cmocka_unit_test_setup_teardown(the_table_says_what_was_found_where, make_directory, remove_directory),
        cmocka_unit_test(each_document_has_a_key_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
