// The object "rotation" of config.json: a stretch is read back bit for bit, and one that does not fit the model is
// refused.
#include "posenc/registry.h"
#include "tests/train/some_stretch.h"

static void every_method_comes_back(void **state) {
    static const int pairs[] = {1, 4, PAIRS_MOST};
    Random random = {random_key(1, "rotation"), 0};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (size_t p = 0; p < COUNT(pairs); p++)
            for (int brief = 0; brief <= 1; brief++) {
                const StretchRule written = some_rule(methods[m], pairs[p], brief, &random);
                write_stretch(&written);
                const StretchRule found = read_stretch();
                expect_rule(&found, &written);
            }
    const StretchRule none = {0};
    write_stretch(&none);
    const StretchRule found = read_stretch();
    expect_rule(&found, &none);
    assert_int_equal(found.original, 0);
}

// The config of an extended run has other options and another rotation; everything else is unchanged.
static void a_derived_config_keeps_the_rest(void **state) {
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
        options.stretch = some_rule(METHOD_LONGROPE, 4, round == 0, &random);
        must(config_derive(derived, from, &options, &error), &error);
        json_t *before = json_load_file(from, 0, NULL), *after = json_load_file(derived, 0, NULL);
        TrainOptions found;
        int vocab_size;
        must(config_read(derived, &found, &vocab_size, &error), &error);
        assert_int_equal(found.context, 77 + round);
        assert_true(found.lr == options.lr);
        assert_int_equal(vocab_size, 257);
        expect_rule(&found.stretch, &options.stretch);
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

// --- which schemes a stretch fits ---
static void expect_applied(const char *scheme, const StretchRule *rule, const char *refusal) {
    Mix pos;
    Error error;
    must(mix_create(&pos, scheme, &shape, &error), &error);
    const bool ok = stretch_apply(&pos, rule, "the/config.json", &error);
    if (!refusal) {
        must(ok, &error);
        expect_rule(&pos.part[0].stretch, rule);
        return;
    }
    expect_refused(ok, &error, refusal);
    assert_non_null(strstr(error.message, "the/config.json"));
    assert_int_equal(pos.part[0].stretch.original, 0);
}

static void a_stretch_must_fit_its_model(void **state) {
    Random random = {random_key(1, "fit"), 0};
    const StretchRule none = {0}, dynamic = some_rule(METHOD_DYNAMIC, 0, false, &random),
                      two = some_rule(METHOD_YARN, 2, true, &random), four = some_rule(METHOD_PI, 4, false, &random),
                      most = some_rule(METHOD_PI, PAIRS_MOST, false, &random);
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

static void wide_heads_cannot_be_stretched(void **state) {
    Random random = {random_key(1, "wide"), 0};
    const StretchRule dynamic = some_rule(METHOD_DYNAMIC, 0, false, &random);
    Shape wide = shape;
    Mix pos;
    Error error;
    wide.width = wide.heads * 2 * (PAIRS_MOST + 1);
    must(mix_create(&pos, "rope", &wide, &error), &error);
    expect_refused(stretch_apply(&pos, &dynamic, "the/config.json", &error), &error, "at most 256");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_comes_back),
        cmocka_unit_test(a_derived_config_keeps_the_rest),
        cmocka_unit_test(a_stretch_must_fit_its_model),
        cmocka_unit_test(wide_heads_cannot_be_stretched),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
