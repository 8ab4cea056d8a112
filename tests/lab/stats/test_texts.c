// Several texts as the units of an interval.
#include "tests/lab/stats/intervals.h"

static void texts_have_their_medians(void **state) {
    static const double gaps[] = {1, 2, 3, /**/ 0, 0, 3, /**/ 4, 5, 9, /**/ -1, 0, 1};
    const Paired found = texts_summary(gaps, 4, 3), expected = paired_summary((double[]){2, 0, 5, 0}, 4);
    assert_int_equal(found.n, 4);
    expect_near("median", 0, found.estimate, 1, 0);
    expect_interval("alone", found.alone, expected.alone, 1e-12);
    assert_true(isnan(texts_summary((double[]){1, NAN, 2, 3}, 2, 2).estimate));
    assert_true(isnan(texts_summary(gaps, 1, 3).alone.low) && texts_summary(gaps, 1, 3).estimate == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_their_medians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
