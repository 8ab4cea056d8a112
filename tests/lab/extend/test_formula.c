// A stretch by a formula, as `compare` takes it: METHOD:factor=S.
#include "lab/extend/extend.h"
#include "tests/lab/compare/plans.h"

static const Shape shape = {.layers = 2, .heads = 2, .width = 32, .context = 64, .vocab = 257};

static void make(Mix *mix, const char *scheme) {
    Error error;
    must(mix_create(mix, scheme, &shape, &error), &error);
}

static void factors_are_those_of_the_formula(void **state) {
    const FormulaOptions authors = {.beta_fast = 32, .beta_slow = 1, .low_freq = 1, .high_freq = 4};
    static const struct {
        const char *formula;
        Method method;
        double factor;
    } cases[] = {{"pi", METHOD_PI, 8},
                 {"pi:factor=4", METHOD_PI, 4},
                 {"ntk:factor=2.5", METHOD_NTK, 2.5},
                 {"yarn:factor=4", METHOD_YARN, 4},
                 {"llama3:factor=16", METHOD_LLAMA3, 16}};
    static Mix mix;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Stretch wanted;
        Error error;
        make(&mix, "rope:base=500");
        must(extension_formula(&mix, cases[i].formula, &error), &error);
        const StretchRule *rule = &mix.part[0].stretch;
        stretch_formula(&wanted, cases[i].method, &authors, cases[i].factor, shape.context, 500, 8);
        assert_int_equal(rule->original, shape.context);
        assert_true(rule->long_stretch.attention == wanted.attention);
        assert_true(rule->has_short && rule->short_stretch.attention == 1);
        for (int pair = 0; pair < 8; pair++) {
            assert_true(rule->long_stretch.factors[pair] == wanted.factors[pair]);
            assert_true(rule->short_stretch.factors[pair] == 1);
        }
    }
}

static void no_formula_changes_nothing(void **state) {
    static Mix mix;
    Error error;
    make(&mix, "alibi");
    must(extension_formula(&mix, "", &error), &error);
    assert_int_equal(mix.part[0].stretch.original, 0);
}

static void what_cannot_be_stretched_is_refused(void **state) {
    static const char *const cases[][3] = {{"alibi", "pi", "the scheme (alibi) cannot be stretched"},
                                           {"rope,partial", "pi", "rotations of several kinds"},
                                           {"rope+learned", "pi", "learned is not defined past"},
                                           {"angle(i) = 1/(1+i)", "yarn", "RoPE's base"},
                                           {"rope", "longrope", "--stretch;'longrope';yarn"},
                                           {"rope", "", ""},
                                           {"rope", ":factor=2", "--stretch"},
                                           {"rope", "pi:", ""},
                                           {"rope", "pi:factor", "needs a value"},
                                           {"rope", "pi:factor=0.9", "1 to"},
                                           {"rope", "pi:factor=nan", "pi:factor"},
                                           {"rope", "dynamic:factor=2", "dynamic takes no options"},
                                           {"rope", "yarn:beta-fast=2", "has no option 'beta-fast'"}};
    static Mix mix;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Error error;
        make(&mix, cases[i][0]);
        if (*cases[i][2])
            expect_refusal(extension_formula(&mix, cases[i][1], &error), &error, cases[i][1], cases[i][2]);
        else
            must(extension_formula(&mix, cases[i][1], &error), &error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(factors_are_those_of_the_formula),
                                       cmocka_unit_test(no_formula_changes_nothing),
                                       cmocka_unit_test(what_cannot_be_stretched_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
