// The object "rotation" of config.json: a stretch comes back bit for bit, one that was damaged is refused with a
// sentence, and so is one that does not belong to the model.
#include "lab/run/config.h"
#include "lab/run/stretch_json.h"
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

static int prepare(void **state) {
    (void)state;
    Error error;
    scratch_make(directory);
    snprintf(path, sizeof path, "%s/config.json", directory);
    must(corpus_open(&corpus, "builtin:tales:bytes=20000", &error), &error);
    model_make(&gpt, "rope", &shape, true);
    return 0;
}

static int finish(void **state) {
    (void)state;
    gpt_free(&gpt);
    corpus_close(&corpus);
    scratch_remove(directory);
    return 0;
}

// --- round trips ---
static Stretch some_stretch(int pairs, Random *random) {
    Stretch stretch = {.unscaled = random_below(random, 300), .attention = 1 + random_next(random) / 3};
    stretch.bare_start = stretch.unscaled % 2;
    for (int i = 0; i < pairs; i++) stretch.factors[i] = exp(8 * random_next(random) - 1);
    return stretch;
}

// Numbers that need all their digits.
static RunStretch some_run_stretch(int method, int pairs, bool has_short, Random *random) {
    StretchRule rule = {.method = method, .factor = 1 + 10 * random_next(random), .original = 2};
    rule.original += random_below(random, 100000);
    if (method == METHOD_DYNAMIC) {
        rule.growth = 1 + random_next(random);
        return (RunStretch){.rule = rule};
    }
    rule.pairs = pairs;
    rule.long_stretch = some_stretch(pairs, random);
    rule.has_short = has_short;
    if (has_short) rule.short_stretch = some_stretch(pairs, random);
    if (method < METHOD_YARN) return (RunStretch){.rule = rule};
    const double loss = 5 * random_next(random);
    const int evaluations = 1 + random_below(random, 100000);
    return (RunStretch){rule, loss, evaluations, INT64_C(9007199254740993)};
}

static void expect_stretch(const Stretch *found, const Stretch *written, int pairs) {
    assert_memory_equal(found->factors, written->factors, (size_t)pairs * sizeof(double));
    assert_int_equal(found->unscaled, written->unscaled);
    assert_true(found->attention == written->attention);
    assert_int_equal(found->bare_start, written->bare_start);
}

static void expect_rule(const StretchRule *found, const StretchRule *written) {
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

static void expect_run_stretch(const RunStretch *found, const RunStretch *written) {
    expect_rule(&found->rule, &written->rule);
    assert_true(found->loss == written->loss);
    assert_true(found->evaluations == written->evaluations && found->tokens == written->tokens);
}

static void write_stretch(const RunStretch *stretch) {
    TrainOptions options = {0};
    Error error;
    options_default(&options, train_options);
    options.stretch = *stretch;
    must(config_write(path, &options, &gpt, &corpus, &error), &error);
}

static RunStretch read_stretch(void) {
    TrainOptions options;
    int vocab_size;
    Error error;
    memset(&options, 0xA5, sizeof options);
    must(config_read(path, &options, &vocab_size, &error), &error);
    return options.stretch;
}

static void every_method_comes_back(void **state) {
    (void)state;
    static const int pairs[] = {1, 4, PAIRS_MOST};
    Random random = {random_key(1, "rotation"), 0};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (size_t p = 0; p < COUNT(pairs); p++)
            for (int brief = 0; brief <= 1; brief++) {
                const RunStretch written = some_run_stretch(methods[m], pairs[p], brief, &random);
                write_stretch(&written);
                const RunStretch found = read_stretch();
                expect_run_stretch(&found, &written);
            }
    const RunStretch none = {0};
    write_stretch(&none);
    const RunStretch found = read_stretch();
    expect_run_stretch(&found, &none);
    assert_int_equal(found.rule.original, 0);
}

static void methods_have_names(void **state) {
    (void)state;
    static const char *const names[] = {[METHOD_PI] = "pi",
                                        [METHOD_NTK] = "ntk",
                                        [METHOD_DYNAMIC] = "dynamic",
                                        [METHOD_YARN] = "yarn",
                                        [METHOD_LLAMA3] = "llama3",
                                        [METHOD_LONGROPE] = "longrope",
                                        [METHOD_GRADIENT] = "gradient"};
    char name[TEXT_CAPACITY];
    for (int m = 0; m < (int)COUNT(names); m++) {
        assert_true(choice_word(METHOD_NAMES, m, name));
        assert_string_equal(name, names[m]);
    }
    assert_false(choice_word(METHOD_NAMES, (int)COUNT(names), name));
}

// The config of an extended run: other options and another rotation, all else as it was.
static void a_derived_config_keeps_the_rest(void **state) {
    (void)state;
    char derived[sizeof path + 8];
    Random random = {random_key(1, "derived"), 0};
    Error error;
    TrainOptions options = {0};
    snprintf(derived, sizeof derived, "%s.derived", path);
    options_default(&options, train_options);
    options.lr = 1.0 / 3;
    must(config_write(path, &options, &gpt, &corpus, &error), &error);
    const char *from = path;
    for (int round = 0; round < 2; round++) { // the second from a config that has a rotation, with short factors
        options.context = 77 + round;
        options.stretch = some_run_stretch(METHOD_LONGROPE, 4, round == 0, &random);
        must(config_derive(derived, from, &options, &error), &error);
        json_t *before = json_load_file(from, 0, NULL), *after = json_load_file(derived, 0, NULL);
        TrainOptions found;
        int vocab_size;
        must(config_read(derived, &found, &vocab_size, &error), &error);
        assert_int_equal(found.context, 77 + round);
        assert_true(found.lr == options.lr);
        assert_int_equal(vocab_size, 257);
        expect_run_stretch(&found.stretch, &options.stretch);
        must(config_check_data(derived, &corpus, &error), &error);
        static const char *const kept[] = {"bitter", "model", "data", "machine"};
        for (size_t i = 0; i < COUNT(kept); i++) {
            assert_non_null(json_object_get(before, kept[i]));
            assert_true(json_equal(json_object_get(before, kept[i]), json_object_get(after, kept[i])));
        }
        json_decref(before);
        json_decref(after);
        assert_int_equal(rename(derived, path), 0);
    }
    assert_false(config_derive(derived, derived, &options, &error)); // it is gone
    assert_int_equal(error.kind, ERROR_INPUT);
}

// --- damage ---
static void expect_refusal(const json_t *rotation, const char *part) {
    RunStretch stretch;
    Error error = {0};
    if (stretch_from_json(&stretch, rotation, "the/config.json", &error)) {
        char *text = json_dumps(rotation, JSON_ENCODE_ANY);
        fail_msg("taken, but expected %s: %s", part, text);
    }
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_non_null(strstr(error.message, "the/config.json"));
    if (!strstr(error.message, part)) fail_msg("no '%s' in: %s", part, error.message);
}

// What no member may be.
static const char *const wrong_values[] = {"null", "\"x\"", "true", "{}", "[]", "-1", "-1e-9", "1e300"};

// Put each of those in the place of a member of `object`, which is in `rotation`, and take it away.
static void damage_member(json_t *rotation, json_t *object, const char *name) {
    json_t *right = json_deep_copy(json_object_get(object, name));
    char quoted[64];
    assert_non_null(right);
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    for (size_t i = 0; i < COUNT(wrong_values); i++) {
        json_object_set_new(object, name, json_loads(wrong_values[i], JSON_DECODE_ANY, NULL));
        expect_refusal(rotation, quoted);
    }
    if (json_is_integer(right)) {
        json_object_set_new(object, name, json_real(2.5));
        expect_refusal(rotation, quoted);
    }
    json_object_del(object, name);
    expect_refusal(rotation, quoted);
    json_object_set_new(object, name, right);
}

static void damage_factors(json_t *rotation, json_t *object) {
    json_t *factors = json_object_get(object, "factors");
    const size_t count = json_array_size(factors);
    for (size_t at = 0; at < count; at++) {
        json_t *right = json_deep_copy(json_array_get(factors, at));
        for (size_t i = 0; i < COUNT(wrong_values); i++) {
            json_array_set_new(factors, at, json_loads(wrong_values[i], JSON_DECODE_ANY, NULL));
            expect_refusal(rotation, "\"factors\"");
        }
        json_array_set_new(factors, at, json_integer(0));
        expect_refusal(rotation, "\"factors\"");
        json_array_set_new(factors, at, right);
    }
    while (json_array_size(factors) <= PAIRS_MOST) json_array_append_new(factors, json_integer(1));
    expect_refusal(rotation, "has 257");
    while (json_array_size(factors) > count) json_array_remove(factors, count);
}

// Runs from before there was a choice do not have the member, and all of their positions have the attention factor.
static void the_factor_is_on_unscaled_positions_unless_said(void **state) {
    (void)state;
    Random random = {random_key(1, "start"), 0};
    RunStretch stretch = some_run_stretch(METHOD_LONGROPE, 3, false, &random), found;
    Error error;
    stretch.rule.long_stretch.bare_start = true;
    json_t *rotation = stretch_to_json(&stretch);
    json_object_set_new(rotation, "attention_on_unscaled", json_integer(0));
    expect_refusal(rotation, "neither true nor false");
    json_object_set_new(rotation, "attention_on_unscaled", json_true());
    must(stretch_from_json(&found, rotation, path, &error), &error);
    assert_false(found.rule.long_stretch.bare_start);
    json_object_del(rotation, "attention_on_unscaled");
    must(stretch_from_json(&found, rotation, path, &error), &error);
    assert_false(found.rule.long_stretch.bare_start);
    json_decref(rotation);
}

static void damaged_members_are_refused(void **state) {
    (void)state;
    static const char *const of_all[] = {"method", "factor", "original_context"}, *const of_stretches[] = {
                                                                                      "factors", "unscaled_positions",
                                                                                      "attention_factor"};
    Random random = {random_key(1, "damage"), 0};
    RunStretch found;
    Error error;
    for (size_t m = 0; m < COUNT(methods); m++) {
        const bool dynamic = methods[m] == METHOD_DYNAMIC;
        const RunStretch stretch = some_run_stretch(methods[m], 3, !dynamic, &random);
        json_t *rotation = stretch_to_json(&stretch), *brief = json_object_get(rotation, "short");
        for (size_t i = 0; i < COUNT(of_all); i++) damage_member(rotation, rotation, of_all[i]);
        for (size_t i = 0; !dynamic && i < COUNT(of_stretches); i++) {
            damage_member(rotation, rotation, of_stretches[i]);
            damage_member(rotation, brief, of_stretches[i]);
        }
        if (dynamic) {
            damage_member(rotation, rotation, "growth");
        } else {
            damage_factors(rotation, rotation);
            damage_factors(rotation, brief);
            json_array_append_new(json_object_get(brief, "factors"), json_integer(1));
            expect_refusal(rotation, "3 factors, and 4 for short windows");
            json_array_remove(json_object_get(brief, "factors"), 3);
        }
        must(stretch_from_json(&found, rotation, path, &error), &error); // all is as it was
        expect_run_stretch(&found, &stretch);
        json_decref(rotation);
    }
}

static void what_is_no_object_is_refused(void **state) {
    (void)state;
    Random random = {random_key(1, "object"), 0};
    const RunStretch stretch = some_run_stretch(METHOD_PI, 3, true, &random);
    json_t *rotation = stretch_to_json(&stretch);
    for (size_t i = 0; i < COUNT(wrong_values); i++) {
        json_t *wrong = json_loads(wrong_values[i], JSON_DECODE_ANY, NULL);
        expect_refusal(wrong, "");
        json_object_set_new(rotation, "short", wrong);
        expect_refusal(rotation, "\"factors\"");
    }
    json_object_set_new(rotation, "method", json_string("yarnn"));
    expect_refusal(rotation, "did you mean 'yarn'");
    json_decref(rotation);
}

// Where the rotation is in the file.
static size_t rotation_start(const Buffer *file) {
    const char *found = strstr((const char *)file->bytes, "\"rotation\"");
    assert_non_null(found);
    return (size_t)(found - (const char *)file->bytes);
}

// A damaged file says so, or its stretch is one that can be used.
static void expect_sentence_or_sense(void) {
    TrainOptions options;
    int vocab_size;
    Error error = {0};
    Position pos;
    if (!config_read(path, &options, &vocab_size, &error)) {
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_non_null(strstr(error.message, path));
        return;
    }
    must(position_create(&pos, "rope", &shape, &error), &error);
    if (!stretch_apply(&pos, &options.stretch.rule, path, &error)) {
        assert_non_null(strstr(error.message, path));
        return;
    }
    if (pos.stretch.original == 0) return; // "rotation" itself was hit
    Stretch made;
    for (int length = 1; length <= 1 << 20; length *= 2) {
        const Stretch *stretch = stretch_of_window(&made, &pos.stretch, length, rotary_pairs(&pos));
        assert_true(stretch->unscaled >= 0 && stretch->attention >= 1e-3 && stretch->attention <= 1e3);
        for (int i = 0; i < rotary_pairs(&pos); i++)
            assert_true(stretch->factors[i] >= 1e-6 && stretch->factors[i] <= 1e12);
    }
}

static void damaged_files_do_no_harm(void **state) {
    (void)state;
    Random random = {random_key(1, "file"), 0};
    for (int dynamic = 0; dynamic <= 1; dynamic++) {
        const RunStretch stretch = some_run_stretch(dynamic ? METHOD_DYNAMIC : METHOD_LONGROPE, 4, true, &random);
        Buffer file;
        Error error;
        write_stretch(&stretch);
        must(file_read(&file, path, &error), &error);
        const size_t start = rotation_start(&file);
        for (uint64_t bit = 8 * start; bit < 8 * file.size; bit++) {
            flip_bit(path, bit);
            expect_sentence_or_sense();
            flip_bit(path, bit);
        }
        const RunStretch found = read_stretch();
        expect_run_stretch(&found, &stretch);
        for (size_t size = file.size - 1; size-- > start;) {
            TrainOptions options;
            int vocab_size;
            assert_int_equal(truncate(path, (off_t)size), 0);
            assert_false(config_read(path, &options, &vocab_size, &error));
            assert_int_equal(error.kind, ERROR_INPUT);
        }
        free(file.bytes);
    }
}

// --- whose stretch it is ---
static void expect_applied(const char *scheme, const StretchRule *rule, const char *refusal) {
    Position pos;
    Error error;
    must(position_create(&pos, scheme, &shape, &error), &error);
    const bool ok = stretch_apply(&pos, rule, "the/config.json", &error);
    if (ok != !refusal) fail_msg("%s: %s", scheme, ok ? "taken" : error.message);
    if (ok) {
        expect_rule(&pos.stretch, rule);
        return;
    }
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_non_null(strstr(error.message, "the/config.json"));
    if (!strstr(error.message, refusal)) fail_msg("no '%s' in: %s", refusal, error.message);
    assert_int_equal(pos.stretch.original, 0);
}

static void a_stretch_must_fit_its_model(void **state) {
    (void)state;
    Random random = {random_key(1, "fit"), 0};
    const StretchRule none = {0}, dynamic = some_run_stretch(METHOD_DYNAMIC, 0, false, &random).rule,
                      two = some_run_stretch(METHOD_YARN, 2, true, &random).rule,
                      four = some_run_stretch(METHOD_PI, 4, false, &random).rule,
                      most = some_run_stretch(METHOD_PI, PAIRS_MOST, false, &random).rule;
    for (int s = 0; schemes[s]; s++) {
        const bool rotary = schemes[s] == &scheme_rope || schemes[s] == &scheme_partial || schemes[s] == &scheme_prope;
        expect_applied(schemes[s]->name, &none, NULL);
        expect_applied(schemes[s]->name, &dynamic, rotary ? NULL : schemes[s]->name);
        expect_applied(schemes[s]->name, &most, rotary ? "256 factors" : "no rotations that could be stretched");
    }
    expect_applied("rope", &four, NULL); // a head of 8 has 4 pairs
    expect_applied("prope", &four, NULL);
    expect_applied("partial", &two, NULL);
    expect_applied("rope", &two, "2 factors, but a head has 4 pairs");
    expect_applied("partial", &four, "4 factors, but a head has 2 pairs");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_comes_back),
        cmocka_unit_test(methods_have_names),
        cmocka_unit_test(the_factor_is_on_unscaled_positions_unless_said),
        cmocka_unit_test(a_derived_config_keeps_the_rest),
        cmocka_unit_test(damaged_members_are_refused),
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(a_stretch_must_fit_its_model),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
