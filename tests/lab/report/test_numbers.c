// Numbers in words.
#include "lab/report/page/numbers.h"
#include "tests/support/support.h"

#include <math.h>
#include <string.h>

static void numbers_in_words(void **state) {
    static const struct {
        double value;
        const char *words;
    } cases[] = {{0, "0"},        {25000, "25k"},   {3.5e6, "3.5 M"}, {2.1e9, "2.1 G"}, {4e13, "4e+13"},
                 {1e14, "1e+14"}, {0.003, "0.003"}, {3e-4, "0.0003"}, {-25000, "-25k"}, {9999, "9999"},
                 {NAN, "-"},      {INFINITY, "-"},  {128, "128"}};
    char words[NUMBER_WORDS];
    for (size_t i = 0; i < COUNT(cases); i++) assert_string_equal(number_words(words, cases[i].value), cases[i].words);
}

// An end that is not 0 is not shown as 0, if two more digits are enough for that, or if 0 is not inside.
static void ends_are_not_shown_as_0(void **state) {
    static const struct {
        double mean, low, high;
        const char *words;
    } cases[] = {{0.2014, -0.0026, 0.4055, "+0.201 (-0.003 to +0.406)"},
                 {0.2066, 0.0026, 0.4106, "+0.207 (+0.003 to +0.411)"},
                 {0.2, 0, 0.4, "+0.20 (+0.00 to +0.40)"},
                 {0.0069, -0.0051, 0.0188, "+0.007 (-0.005 to +0.019)"},
                 {0.2, -1e-6, 0.4, "+0.2000 (+0.0000 to +0.4000)"},
                 {0.2, 1e-6, 0.4, "+0.200000 (+0.000001 to +0.400000)"},
                 {0.3, NAN, NAN, "+0.30"},
                 {NAN, NAN, NAN, "not known"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char words[INTERVAL_WORDS];
        interval_words(words, cases[i].mean, cases[i].low, cases[i].high);
        assert_string_equal(words, cases[i].words);
    }
}

// The end of an interval without 0 is not shown as 0, and one with 0 in it has ends on both sides.
static void digits_show_the_verdict(void **state) {
    for (double mean = 1e-5; mean < 3; mean *= 1.7)
        for (double half = 1e-6; half < 1; half *= 1.9) {
            char words[INTERVAL_WORDS];
            double shown, low, high;
            interval_words(words, mean, mean - half, mean + half);
            assert_int_equal(sscanf(words, "%lf (%lf to %lf)", &shown, &low, &high), 3);
            if (mean > half ? !(low > 0) : !(low <= 0 && high >= 0)) fail_msg("%s: %g, %g", words, mean, half);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_words),
        cmocka_unit_test(ends_are_not_shown_as_0),
        cmocka_unit_test(digits_show_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
