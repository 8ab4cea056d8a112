// Axes and labels of charts: round ticks with words that people use, and labels that do not overlap.
#include "lab/report/page/axis.h"
#include "tests/support/support.h"

#include <math.h>
#include <string.h>

// All words of an axis from `low` to `high`, with spaces between them.
static const char *ticks_of(double low, double high, bool log, int most) {
    static char all[TICKS_MOST * TICK_WORDS];
    char words[TICK_WORDS];
    ChartAxis axis;
    axis_fit(&axis, low, high, 0, log);
    axis_ticks(&axis, most);
    all[0] = '\0';
    for (int i = 0; i < axis.count; i++) {
        if (i > 0) strcat(all, " | ");
        strcat(all, axis_words(words, &axis, i));
    }
    return all;
}

static void ticks_are_round_and_named_as_people_do(void **state) {
    static const struct {
        double low, high;
        bool log;
        int most;
        const char *words;
    } cases[] = {
        {0, 1, false, 6, "0 | 0.2 | 0.4 | 0.6 | 0.8 | 1.0"},
        {-0.31, 0.12, false, 6, "-0.3 | -0.2 | -0.1 | 0 | 0.1"},
        {1.346, 1.497, false, 6, "1.35 | 1.40 | 1.45"},
        {0, 25000, false, 6, "0 | 5k | 10k | 15k | 20k | 25k"},
        {0, 3.5e6, false, 8, "0 | 0.5 M | 1.0 M | 1.5 M | 2.0 M | 2.5 M | 3.0 M | 3.5 M"},
        {100, 900, false, 5, "200 | 400 | 600 | 800"},
        {1e-3, 1e-2, true, 6, "0.001 | 0.002 | 0.005 | 0.01"},
        {1e12, 1e15, true, 5, "1e+12 | 1e+13 | 1e+14 | 1e+15"},
        {1e-6, 1e-4, true, 4, "1e-06 | 1e-05 | 0.0001"},
        {1e5, 1e7, true, 8, "100k | 200k | 500k | 1 M | 2 M | 5 M | 10 M"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(ticks_of(cases[i].low, cases[i].high, cases[i].log, cases[i].most), cases[i].words);
}

// Whatever the range is, there are 2 ticks at least (1 where numbers agree in all digits), as many as wished for at
// most, inside of the axis, and their words differ.
static void every_range_has_ticks(void **state) {
    static const double ends[] = {-1e308, -1e6, -3, -1e-9, 0, 1e-300, 1e-9, 0.0213, 1, 1.0000001, 7, 4096, 1e9, 1e308};
    for (size_t a = 0; a < COUNT(ends); a++)
        for (size_t b = a; b < COUNT(ends); b++)
            for (int log = 0; log < 2; log++)
                for (int most = 4; most <= TICKS_MOST; most += 4) {
                    ChartAxis axis;
                    char words[TICKS_MOST][TICK_WORDS];
                    axis_fit(&axis, ends[a], ends[b], 0.05, log);
                    axis.from = 100;
                    axis.to = 200;
                    axis_ticks(&axis, most);
                    assert_true(axis.low < axis.high && isfinite(axis.low) && isfinite(axis.high));
                    if (axis.count < 1 || axis.count > most)
                        fail_msg("%d ticks from %g to %g, log %d", axis.count, ends[a], ends[b], log);
                    for (int i = 0; i < axis.count; i++) {
                        const double at = axis_at(&axis, axis.ticks[i]);
                        if (!(at >= 99.9 && at <= 200.1))
                            fail_msg("tick %g from %g to %g", axis.ticks[i], ends[a], ends[b]);
                        axis_words(words[i], &axis, i);
                        if (i > 0 && strcmp(words[i], words[i - 1]) == 0)
                            fail_msg("twice \"%s\" from %g to %g", words[i], ends[a], ends[b]);
                    }
                }
}

static void places_follow_values(void **state) {
    ChartAxis axis;
    axis_fit(&axis, 1, 100, 0, true);
    axis.from = 0;
    axis.to = 200;
    assert_true(fabs(axis_at(&axis, 10) - 100) < 1e-9);
    assert_true(isnan(axis_at(&axis, 0)) && isnan(axis_at(&axis, -1)) && isnan(axis_at(&axis, NAN)));
    assert_true(axis_at(&axis, 1e300) <= 210 && axis_at(&axis, 1e-300) >= -10);
    axis_fit(&axis, 5, 5, 0.05, false); // equal values are in the middle
    axis.from = 0;
    axis.to = 200;
    assert_true(fabs(axis_at(&axis, 5) - 100) < 1);
    static const double values[] = {16, 17, 32, 64};
    axis_fit(&axis, 16, 64, 0, true);
    axis.from = 0;
    axis.to = 100;
    axis_ticks_at(&axis, values, 4, 30); // 17 is too close to 16
    assert_int_equal(axis.count, 3);
    assert_true(axis.ticks[1] == 32);
}

static void numbers_in_words(void **state) {
    static const struct {
        double value;
        const char *words;
    } cases[] = {{0, "0"},        {25000, "25k"},   {3.5e6, "3.5 M"}, {2.1e9, "2.1 G"}, {4e13, "4e+13"},
                 {1e14, "1e+14"}, {0.003, "0.003"}, {3e-4, "0.0003"}, {-25000, "-25k"}, {9999, "9999"},
                 {NAN, "-"},      {INFINITY, "-"},  {128, "128"}};
    char words[TICK_WORDS];
    for (size_t i = 0; i < COUNT(cases); i++) assert_string_equal(number_words(words, cases[i].value), cases[i].words);
}

// An end that is not 0 is not shown as 0, if that takes two digits more, or if 0 is not inside.
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
        cmocka_unit_test(ticks_are_round_and_named_as_people_do),
        cmocka_unit_test(every_range_has_ticks),
        cmocka_unit_test(places_follow_values),
        cmocka_unit_test(numbers_in_words),
        cmocka_unit_test(ends_are_not_shown_as_0),
        cmocka_unit_test(digits_show_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
