// From tokens to text of any length.
#include "lab/eval/generate.h"
#include "model/sample.h"
#include "posenc/registry.h"
#include "tests/support/little_model.h"

static const Shape shape = {.vocab = 257, .context = 12, .layers = 1, .heads = 2, .width = 8};

// What generate() writes; the caller frees it.
static char *text_of(const Gpt *gpt, const Tokenizer *tokenizer, Generation generation) {
    char *text;
    size_t size;
    Error error;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    const bool ok = generate(out, gpt, tokenizer, &generation, &error);
    fclose(out);
    must(ok, &error);
    return text;
}

static Tokenizer bytes_tokenizer(void) {
    Tokenizer tokenizer;
    Error error;
    must(tokenizer_create(&tokenizer, TOKENIZER_BYTES, &error), &error);
    return tokenizer;
}

static void a_seed_decides_the_text(void **state) {
    Tokenizer tokenizer = bytes_tokenizer();
    Gpt gpt;
    model_make(&gpt, "rope", &shape, false);
    Generation generation = {
        .prompt = "Once", .tokens = 60, .sampling.temperature = 1, .context = 12, .random = {9, 0}};
    char *first = text_of(&gpt, &tokenizer, generation), *second = text_of(&gpt, &tokenizer, generation);
    generation.random.key = 10;
    char *third = text_of(&gpt, &tokenizer, generation);
    assert_string_equal(first, second);
    assert_string_not_equal(first, third);
    assert_int_equal(strncmp(first, "Once", 4), 0);
    free(first);
    free(second);
    free(third);
    gpt_free(&gpt);
    tokenizer_free(&tokenizer);
}

// Greedy text computed the slow way: the whole window is read again for every token. It begins with the text; whenever
// it is full, half a window is kept. Text begins after the mark between documents; without such a mark, at the prompt,
// or else at the first character.
static void slow_text(char *out, const Gpt *gpt, const Tokenizer *tokenizer, const char *prompt, int tokens,
                      int context) {
    int ids[256], count = 0, start = 0;
    real values[257 * 256], scratch[2 * 257];
    Tokens known = {0};
    Error unknown;
    if (tokenizer_end(tokenizer) >= 0)
        ids[count++] = tokenizer_end(tokenizer);
    else if (!*prompt)
        ids[count++] = 0;
    must(tokenizer_encode(&known, tokenizer, prompt, strlen(prompt), "the prompt", &unknown), &unknown);
    for (size_t i = 0; i < known.count; i++) ids[count++] = known.ids[i];
    tokens_free(&known);
    out += sprintf(out, "%s", prompt);
    for (int i = 0; i < tokens; i++) {
        Inference inference;
        Error error;
        const char *text;
        if (count - start > context) start = count - (context + 1) / 2;
        // Randomised positions are drawn for the longest window at once; otherwise there is nothing but this one.
        const int window = mix_random_bound(&gpt->pos) ? context : count - start;
        must(inference_create(&inference, gpt, 1, window, window, &error), &error);
        inference_feed(&inference, gpt, ids + start, count - start);
        inference_logits(values, &inference, gpt, count - start);
        inference_free(&inference);
        const real *last = values + (size_t)(count - start - 1) * (size_t)gpt->shape.vocab;
        ids[count] = sample_token(scratch, last, gpt->shape.vocab, &(Sampling){0}, NULL);
        const size_t length = tokenizer_decode(&text, tokenizer, ids[count]);
        if (ids[count++] == tokenizer_end(tokenizer))
            out += sprintf(out, "\n\n");
        else
            out += sprintf(out, "%.*s", (int)length, text);
    }
}

// --- schemes that treat windows of different lengths differently ---
enum { ORIGINAL = 10, LONG = 40 };

static const struct {
    const char *specification;
    StretchRule stretch;
} by_length[] = {
    {"rope:base=100", {.method = METHOD_DYNAMIC, .factor = 4, .original = ORIGINAL, .growth = 1}},
    {"partial:base=100", {.method = METHOD_DYNAMIC, .factor = 4, .original = ORIGINAL, .growth = 4}},
    {"rope:base=100",
     {.method = METHOD_YARN,
      .factor = 4,
      .original = ORIGINAL,
      .pairs = 2,
      .has_short = true,
      .long_stretch = {.factors = {1.5, 4}, .attention = 1.2},
      .short_stretch = {.factors = {1, 1.3}, .attention = 1}}},
    {"learned:past=interpolate", {0}},
    {"normalized:length=window,scale=5", {0}},
    {"xpos", {0}}, // which is not one of them
};

static void model_by_length(Gpt *gpt, size_t i) {
    const Shape long_shape = {.vocab = 257, .context = ORIGINAL, .layers = 2, .heads = 2, .width = 8};
    model_make(gpt, by_length[i].specification, &long_shape, false);
    gpt->pos.part[0].stretch = by_length[i].stretch;
    memset(gpt->w.wte, 0, (size_t)long_shape.width * sizeof(real)); // no byte 0, as above
}

// Fed token by token, with tokens fed again where needed, the logits are those of a single window of that length.
static void logits_are_those_of_a_window_as_long(void **state) {
    for (size_t i = 0; i < COUNT(by_length); i++) {
        Gpt gpt;
        Inference growing;
        Error error;
        int ids[LONG];
        real found[257], expected[257 * LONG];
        model_by_length(&gpt, i);
        ids_make(ids, LONG, gpt.shape.vocab, 4);
        must(inference_create(&growing, &gpt, 1, LONG, LONG, &error), &error);
        for (int n = 1; n <= LONG; n++) {
            Inference alone;
            inference_window(&growing, n);
            const int fresh = n - growing.length;
            inference_feed(&growing, &gpt, ids + growing.length, fresh);
            logits_forward(found, growing.buffers.norm + (size_t)(fresh - 1) * (size_t)gpt.shape.width, gpt.w.wte, 1,
                           gpt.shape.width, gpt.shape.vocab);
            must(inference_create(&alone, &gpt, 1, n, n, &error), &error);
            inference_feed(&alone, &gpt, ids, n);
            inference_logits(expected, &alone, &gpt, n);
            inference_free(&alone);
            expect_all_near(by_length[i].specification, found, expected + (size_t)(n - 1) * 257, 257, 2e-4);
            // Nothing is fed twice where nothing changed.
            const StretchRule *s = &by_length[i].stretch;
            const bool dynamic = s->method == METHOD_DYNAMIC || i == 3;
            if (i != 4 && n > 1 && !(dynamic && n > ORIGINAL) && !(s->has_short && n == ORIGINAL + 1))
                assert_int_equal(fresh, 1);
        }
        inference_free(&growing);
        gpt_free(&gpt);
    }
}

// Lines end with 'a' and documents with a blank here, so that the prompts and what follows have both.
static void check_windows(int random_positions) {
    static const int contexts[] = {1, 2, 7, 12};
    static const char *const prompts[] = {"", "ab", "a prompt that is longer than any of the windows"};
    Tokenizer tokenizer = bytes_tokenizer();
    Shape scattered = shape;
    char expected[1024];
    scattered.random_positions = random_positions;
    for (int s = 0; schemes[s]; s++) {
        Gpt gpt;
        model_make(&gpt, schemes[s]->name, &scattered, false);
        gpt.pos.rule = (PlaceRule){.newline = 'a', .end = ' '};
        // Byte 0 would end the strings that are compared here.
        memset(gpt.w.wte, 0, (size_t)shape.width * sizeof(real));
        for (size_t p = 0; p < COUNT(prompts); p++) {
            for (size_t c = 0; c < COUNT(contexts); c++) {
                slow_text(expected, &gpt, &tokenizer, prompts[p], 50, contexts[c]);
                char *text =
                    text_of(&gpt, &tokenizer, (Generation){.prompt = prompts[p], .tokens = 50, .context = contexts[c]});
                const size_t length = strlen(expected); // up to 3 bytes may follow, to finish a character
                if (strncmp(text, expected, length) != 0 || strlen(text) > length + 3)
                    fail_msg("%s, context %d: %s, not %s", schemes[s]->name, contexts[c], text, expected);
                free(text);
            }
        }
        gpt_free(&gpt);
    }
    tokenizer_free(&tokenizer);
}

static void every_scheme_writes_past_its_window(void **state) {
    check_windows(0);
}

static void every_scheme_writes_at_random_positions(void **state) {
    check_windows(30);
}

static void characters_need_no_mark_before_a_prompt(void **state) {
    static const char *const prompts[] = {"", "c", "bad cab"};
    const Shape small = {.vocab = 5, .context = 12, .layers = 1, .heads = 2, .width = 8};
    Tokenizer tokenizer;
    Gpt gpt;
    Error error;
    char expected[1024];
    must(tokenizer_create(&tokenizer, TOKENIZER_CHARS, &error) &&
             tokenizer_extend(&tokenizer, " abcd", 5, "text", &error),
         &error);
    model_make(&gpt, "learned", &small, false);
    for (size_t p = 0; p < COUNT(prompts); p++) {
        slow_text(expected, &gpt, &tokenizer, prompts[p], 50, 12);
        char *text = text_of(&gpt, &tokenizer, (Generation){.prompt = prompts[p], .tokens = 50, .context = 12});
        assert_string_equal(text, expected);
        free(text);
    }
    tokenizer_free(&tokenizer);
    gpt_free(&gpt);
}

// A long line does not fit after a short turn: the window begins anew, as for a text of one turn.
static void a_long_line_begins_the_window_anew(void **state) {
    static const char line[] = "a line that is longer than the window";
    Tokenizer tokenizer = bytes_tokenizer();
    Gpt gpt;
    Error error;
    char *texts[2];
    size_t sizes[2];
    model_make(&gpt, "rope", &shape, false);
    for (int turns = 1; turns <= 2; turns++) {
        Generation generation = {.tokens = 1, .context = 12, .random = {9, 0}};
        Generator generator;
        FILE *out = open_memstream(&texts[turns - 1], &sizes[turns - 1]);
        must(generator_create(&generator, &gpt, &tokenizer, 12, &error) &&
                 generator_add(&generator, "ab", 2, "the text", &error) &&
                 (turns == 1 || generator_write(out, &generator, &generation, &error)),
             &error);
        if (turns == 2) generator.tokens.count--; // what the model wrote is not said
        generation.tokens = 8;
        must(generator_add(&generator, line, sizeof line - 1, "the text", &error) &&
                 generator_write(out, &generator, &generation, &error),
             &error);
        generator_free(&generator);
        fclose(out);
    }
    assert_true(sizes[1] > sizes[0]);
    assert_memory_equal(texts[0], texts[1] + sizes[1] - sizes[0], sizes[0]);
    free(texts[0]);
    free(texts[1]);
    gpt_free(&gpt);
    tokenizer_free(&tokenizer);
}

static void an_unknown_character_or_length_is_refused(void **state) {
    const Shape small = {.vocab = 3, .context = 12, .layers = 1, .heads = 2, .width = 8};
    const Generation unknown = {.prompt = "abx", .tokens = 5, .context = 12},
                     long_window = {.prompt = "abc", .tokens = 5, .context = 13};
    Tokenizer tokenizer;
    Gpt gpt;
    Error error;
    must(tokenizer_create(&tokenizer, TOKENIZER_CHARS, &error) &&
             tokenizer_extend(&tokenizer, "abc", 3, "text", &error),
         &error);
    model_make(&gpt, "learned", &small, false);
    Generation generation = unknown;
    expect_refused(generate(stdout, &gpt, &tokenizer, &generation, &error), &error, "the prompt");
    generation = long_window;
    expect_refused(generate(stdout, &gpt, &tokenizer, &generation, &error), &error, "past 12 positions");
    tokenizer_free(&tokenizer);
    gpt_free(&gpt);
}

// A model whose layers forget is fed its prompt in chunks. Its prediction of the next token is the same as for a prompt
// fed at once: a window of the whole context keeps the chunks and forgets nothing.
static void prompts_may_be_fed_in_chunks(void **state) {
    enum { CONTEXT = 600, V = 257 };
    static const Windows windows[] = {{0}, {1, {CONTEXT}}, {1, {3}}};
    static real logits[COUNT(windows)][V];
    char prompt[400];
    Tokenizer tokenizer = bytes_tokenizer();
    for (size_t i = 0; i < sizeof prompt; i++) prompt[i] = (char)('a' + i * i % 23);
    for (size_t w = 0; w < COUNT(windows); w++) {
        const Shape windowed = {
            .vocab = V, .context = CONTEXT, .layers = 2, .heads = 2, .width = 16, .windows = windows[w]};
        Generation generation = {.tokens = 1, .context = CONTEXT};
        Generator generator;
        Gpt gpt;
        Error error;
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        model_make(&gpt, "rope+fox", &windowed, false);
        must(generator_create(&generator, &gpt, &tokenizer, CONTEXT, &error), &error);
        must(generator_add(&generator, prompt, sizeof prompt, "the prompt", &error), &error);
        must(generator_write(out, &generator, &generation, &error), &error);
        assert_int_equal(generator.inference.chunk<CONTEXT, w> 0);
        memcpy(logits[w], generator.logits, sizeof logits[w]);
        generator_free(&generator);
        gpt_free(&gpt);
        fclose(out);
        free(text);
    }
    double farthest = 0;
    for (size_t v = 0; v < V; v++) {
        expect_near("logit", v, (double)logits[1][v], (double)logits[0][v], 1e-4);
        farthest = fmax(farthest, fabs((double)logits[2][v] - (double)logits[0][v]));
    }
    assert_true(farthest > 1e-2);
    tokenizer_free(&tokenizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_decides_the_text),
        cmocka_unit_test(every_scheme_writes_past_its_window),
        cmocka_unit_test(every_scheme_writes_at_random_positions),
        cmocka_unit_test(logits_are_those_of_a_window_as_long),
        cmocka_unit_test(characters_need_no_mark_before_a_prompt),
        cmocka_unit_test(a_long_line_begins_the_window_anew),
        cmocka_unit_test(an_unknown_character_or_length_is_refused),
        cmocka_unit_test(prompts_may_be_fed_in_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
