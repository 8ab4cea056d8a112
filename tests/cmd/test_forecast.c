// What --minutes chooses, given a machine's speed and the length of a text; no clock is involved.
#include "cmd/train.h"
#include "tests/support/support.h"

static bool given[64];

static void give(TrainOptions *options, const char *name, const char *value) {
    Error error;
    const Option *option = option_find(train_options, name);
    must(option_set(options, option, value, name, &error), &error);
    given[option - train_options] = true;
}

static TrainOptions start(void) {
    TrainOptions options = {0};
    options_default(&options, train_options);
    memset(given, 0, sizeof given);
    return options;
}

static Corpus book_of(double tokens) {
    return (Corpus){.tokenizer = {.kind = TOKENIZER_BYTES, .vocab_size = 257},
                    .train = {.count = (uint64_t)tokens},
                    .val = {.count = (uint64_t)(tokens / 9)}};
}

static double parameters_of(const TrainOptions *options) {
    const Shape shape = sizes_of(options, 257);
    return (double)gpt_parameters(&shape);
}

static double chosen(TrainOptions *options, double operations, const Corpus *corpus) {
    Error error;
    must(choose_size(options, given, operations, corpus, &error), &error);
    return parameters_of(options);
}

static double tokens_of(const TrainOptions *o) {
    return (double)(o->steps * o->batch * o->accumulate * o->context);
}

static void sizes_grow_with_time_and_text(void **state) {
    double before[2] = {0, 0};
    const Corpus library = book_of(1e12);
    for (double scale = 1e9; scale < 1e22; scale *= 3) {
        const Corpus book = book_of(scale / 1e9);
        TrainOptions by_time = start(), by_text = start();
        const double sizes[] = {chosen(&by_time, scale, &library), chosen(&by_text, 1e22, &book)};
        for (int i = 0; i < 2; i++) {
            if (!(sizes[i] >= before[i])) fail_msg("%g parameters for %g, and before %g", sizes[i], scale, before[i]);
            before[i] = sizes[i];
        }
    }
    assert_true(before[0] > 8e7 && before[1] > 8e7);
    TrainOptions least = start(), text = start();
    const Corpus short_story = book_of(1e4), book = book_of(3e6);
    assert_true(chosen(&least, 1, &library) < 5e4);
    assert_true(chosen(&text, 1e22, &short_story) < 5e4);
    TrainOptions of_a_book = start();
    const double size = chosen(&of_a_book, 1e22, &book);
    if (!(size > 3e5 && 20 * size <= PASSES * 3e6)) fail_msg("%g parameters for a book of 3 MB", size);
}

// 20 tokens for each parameter fit into the requested time, except for the smallest size.
static void twenty_tokens_fit(void **state) {
    const Corpus library = book_of(1e12);
    for (double operations = 1e13; operations < 1e21; operations *= 2) {
        TrainOptions options = start();
        const double size = chosen(&options, operations, &library);
        if (!(6 * size * 20 * size <= 1.5 * operations)) fail_msg("%g parameters in %g operations", size, operations);
    }
}

static void given_options_stay(void **state) {
    static const char *const pairs[][2] = {{"layers", "3"}, {"heads", "2"}, {"width", "48"},     {"context", "64"},
                                           {"batch", "5"},  {"lr", "0.5"},  {"min-lr", "0.0002"}};
    const Corpus book = book_of(1e9);
    for (size_t i = 0; i < COUNT(pairs); i++)
        for (double operations = 1; operations < 1e20; operations *= 1e4) {
            char value[TEXT_CAPACITY];
            TrainOptions options = start();
            give(&options, pairs[i][0], pairs[i][1]);
            chosen(&options, operations, &book);
            option_print(&options, option_find(train_options, pairs[i][0]), value);
            assert_string_equal(value, pairs[i][1]);
            assert_int_equal(options.width % options.heads, 0);
        }
    TrainOptions all = start();
    for (size_t i = 0; i < COUNT(pairs); i++) give(&all, pairs[i][0], pairs[i][1]);
    TrainOptions before = all;
    chosen(&all, 1e20, &book);
    memcpy(before.pos, all.pos, sizeof all.pos); // with every option of the scheme
    assert_memory_equal(&all, &before, sizeof all);
}

// The rate of so large a model is below the default of --min-lr.
static void the_rate_falls_to_a_tenth_or_less(void **state) {
    const Corpus book = book_of(1e9);
    TrainOptions large = start(), little = start();
    chosen(&little, 1, &book);
    assert_true(little.min_lr == 1e-4);
    give(&large, "width", "4096");
    give(&large, "layers", "8");
    chosen(&large, 1, &book);
    assert_true(large.lr < 1e-4);
    expect_near("min_lr", 0, large.min_lr, large.lr / 10, 1e-12);
}

static void no_size_goes_with_them(void **state) {
    const Corpus book = book_of(1e6);
    Error error;
    TrainOptions options = start();
    give(&options, "width", "100");
    give(&options, "heads", "3");
    expect_refused(choose_size(&options, given, 1e15, &book, &error), &error, "--heads");
}

static void steps_grow_with_minutes(void **state) {
    const Corpus library = book_of(1e12), book = book_of(3e6);
    double before[2] = {0, 0};
    for (double minutes = 0.01; minutes < 1e4; minutes *= 1.5) {
        const Corpus *const corpora[] = {&library, &book};
        for (int i = 0; i < 2; i++) {
            TrainOptions options = start();
            choose_steps(&options, given, minutes, 0.02, corpora[i]);
            const double tokens = tokens_of(&options), time = (double)options.steps * 0.02;
            assert_true(tokens >= before[i] && options.warmup < options.steps + (options.steps == 1));
            assert_true(options.eval_every >= 1 && options.steps / options.eval_every <= 10);
            if (!((double)options.eval_tokens <= tokens / 10 + 2048 && options.eval_tokens <= 131072))
                fail_msg("%lld tokens to validate, of %g", options.eval_tokens, tokens);
            if (!(time <= 60 * minutes)) fail_msg("%g seconds of steps in %g minutes", time, minutes);
            if (i == 0 && !(time >= 44 * minutes)) fail_msg("only %g seconds of steps in %g minutes", time, minutes);
            if (i == 1) assert_true(tokens <= PASSES * 3e6);
            before[i] = tokens;
        }
    }
    assert_true(before[0] > 1e9 && before[1] > 0.95 * PASSES * 3e6);
    TrainOptions options = start();
    give(&options, "warmup", "7");
    give(&options, "eval-every", "0");
    give(&options, "eval-tokens", "131072");
    choose_steps(&options, given, 0.01, 0.02, &library);
    assert_int_equal(options.warmup, 7);
    assert_int_equal(options.eval_every, 0);
    assert_int_equal(options.eval_tokens, 131072);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_grow_with_time_and_text),
        cmocka_unit_test(twenty_tokens_fit),
        cmocka_unit_test(given_options_stay),
        cmocka_unit_test(the_rate_falls_to_a_tenth_or_less),
        cmocka_unit_test(no_size_goes_with_them),
        cmocka_unit_test(steps_grow_with_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
