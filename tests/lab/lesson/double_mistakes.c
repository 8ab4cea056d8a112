// Every check is run on every planted mistake, and on the schemes without it.
#include "lab/lesson/checks.h"
#include "lab/lesson/mistakes.h"
#include "num/team.h"
#include "posenc/registry.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/support.h"
#include "tests/support/planted.h"

#include <omp.h>

static const Shape shapes[] = {
    {.vocab = 11, .context = 12, .layers = 2, .heads = 2, .width = 8},
    {.vocab = 7, .context = 9, .layers = 1, .heads = 1, .width = 6},
};

// The checks that notice something, by the first letters of their names, such as "sf" for shift and formula.
static void noticed_by(char letters[CHECKS + 1], const Scheme *scheme, const char *list, const Shape *shape) {
    Mix pos;
    Error error;
    int count = 0;
    must(mix_parse_of(&pos, scheme, list, &error) && mix_fit(&pos, shape, &error), &error);
    for (int c = 0; c < CHECKS; c++) {
        CheckResult result;
        must(check_run(&result, (Check)c, &pos, &error), &error);
        if (check_notices(&result, (Check)c)) letters[count++] = checks[c].name[0];
    }
    letters[count] = 0;
}

static void expect_noticed(const char *name, const char *list, const char *expected) {
    Error error;
    Planted wrong;
    char letters[CHECKS + 1];
    const Mistake *mistake = mistake_find(name, &error);
    assert_non_null(mistake);
    mistake_plant(&wrong, mistake);
    for (size_t i = 0; i < COUNT(shapes); i++) {
        noticed_by(letters, mistake->right, list, &shapes[i]);
        assert_string_equal(letters, "");
        noticed_by(letters, &wrong.scheme, list, &shapes[i]);
        if (strcmp(letters, expected) != 0)
            fail_msg("%s, width %d: noticed by '%s', expected '%s'", name, shapes[i].width, letters, expected);
    }
}

static void each_mistake_is_noticed_by_its_checks(void **state) {
    expect_noticed("sign", NULL, "g");
    expect_noticed("sign", "pairing=interleaved", "g");
    expect_noticed("values", NULL, "sf");
    expect_noticed("pairing", NULL, "u");
    expect_noticed("pairing", "pairing=interleaved", "u");
    expect_noticed("exponent", "base=100", "f");
    expect_noticed("bias", NULL, "f");
    expect_noticed("cache", NULL, "u");
    expect_noticed("dropped", NULL, "g");
}

static void every_mistake_is_noticed_by_some_check(void **state) {
    for (const Mistake *m = mistakes; m->name; m++) {
        Planted wrong;
        char letters[CHECKS + 1];
        mistake_plant(&wrong, m);
        assert_string_equal(wrong.scheme.name, m->right->name);
        noticed_by(letters, &wrong.scheme, NULL, &shapes[0]);
        if (!*letters) fail_msg("%s is not noticed", m->name);
    }
}

// A turn that makes queries longer, and an output that is not a number.
static void stretch_queries(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) q[(size_t)r * (size_t)stride] *= 2;
}

static void spoil_queries(const Tables *tables, int layer, real *q, real *k, int stride, const Place *at, int rows) {
    q[(size_t)(rows - 1) * (size_t)stride] = NAN;
}

static void changed_lengths_and_nan_are_noticed(void **state) {
    char letters[CHECKS + 1];
    Planted wrong = {.scheme = scheme_rope, .family = rotation_family};
    wrong.scheme.family = &wrong.family;
    wrong.family.qk_forward = stretch_queries;
    noticed_by(letters, &wrong.scheme, NULL, &shapes[0]);
    assert_string_equal(letters, "glf");
    wrong.family.qk_forward = spoil_queries;
    noticed_by(letters, &wrong.scheme, NULL, &shapes[0]);
    assert_string_equal(letters, "glsfu");
}

static void checks_say_where_they_do_not_apply(void **state) {
    Mix pos;
    Error error;
    CheckResult result;
    must(mix_create(&pos, "learned", &shapes[0], &error), &error);
    must(check_run(&result, CHECK_SHIFT, &pos, &error), &error);
    assert_false(result.applies);
    must(check_run(&result, CHECK_LENGTH, &pos, &error), &error);
    assert_false(result.applies);
    must(mix_create(&pos, "t5", &shapes[0], &error), &error);
    must(check_run(&result, CHECK_FORMULA, &pos, &error), &error);
    assert_false(result.applies);
}

// The checks that a reader may run on any scheme pass when it has no mistake.
static void schemes_without_mistakes_pass(void **state) {
    static const char *const names[] = {"none", "sinusoidal", "rope-learned", "partial", "t5", "fox"};
    for (size_t i = 0; i < COUNT(names); i++) {
        Mix pos;
        Error error;
        char letters[CHECKS + 1];
        must(mix_parse(&pos, names[i], &error), &error);
        noticed_by(letters, pos.part[0].scheme, NULL, &shapes[0]);
        if (*letters) fail_msg("%s: noticed by '%s'", names[i], letters);
    }
}

static void an_unknown_mistake_is_refused(void **state) {
    Error error;
    expect_refused(mistake_find("sing", &error) != NULL, &error, "choose sign");
    expect_refused(mistake_find("", &error) != NULL, &error, "choose sign, values");
}

int main(void) {
    omp_set_num_threads(1); // the models are tiny
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_noticed_by_its_checks),
        cmocka_unit_test(every_mistake_is_noticed_by_some_check),
        cmocka_unit_test(changed_lengths_and_nan_are_noticed),
        cmocka_unit_test(checks_say_where_they_do_not_apply),
        cmocka_unit_test(schemes_without_mistakes_pass),
        cmocka_unit_test(an_unknown_mistake_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
