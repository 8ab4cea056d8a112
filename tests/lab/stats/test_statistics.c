// Student's t: compared with another program's numbers. Wilson's interval: with published ones, and its equation. Rank
// correlation: with known ranks.
#include "lab/stats/statistics.h"
#include "tests/lab/stats/intervals.h"

#include <math.h>

static void students_t_is_that_of_the_tables(void **state) {
    static const struct {
        int df;
        double tail, t; // computed by mpmath with 40 digits
    } known[] = {
        {1, 0.025, 12.706204736174705},       {1, 0.000001, 318309.88618274347},  {2, 0.025, 4.3026527297494639},
        {2, 0.000001, 707.1057205259338},     {3, 0.4, 0.27667066233268991},      {4, 0.025, 2.7764451051977944},
        {4, 0.005, 4.6040948713499932},       {4, 0.0025, 5.597568367075459},     {4, 0.000001, 41.577854150450975},
        {4, 0.499999, 2.6666666666706173e-6}, {9, 0.025, 2.2621571627982055},     {9, 0.000001, 10.7201604099095},
        {19, 0.025, 2.0930240544083098},      {19, 0.000001, 6.7233942822001864}, {63, 0.025, 1.9983405425207416},
        {120, 0.025, 1.9799304050824408},     {120, 0.4, 0.25390952321492856},    {1000, 0.025, 1.9623390808264085},
    };
    for (size_t i = 0; i < COUNT(known); i++)
        expect_relative("t", i, student_t(known[i].tail, known[i].df), known[i].t, 1e-8);
}

// Newcombe 1998 (Statistics in Medicine 17, 857-872), table I, score method without continuity correction.
static void wilson_gives_the_published_intervals(void **state) {
    static const struct {
        double right, count, low, high;
    } known[] = {{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}};
    for (size_t i = 0; i < COUNT(known); i++) {
        const Interval interval = wilson(known[i].right, known[i].count);
        expect_near("low", i, interval.low, known[i].low, 5e-5);
        expect_near("high", i, interval.high, known[i].high, 5e-5);
        const Interval mirrored = wilson(known[i].count - known[i].right, known[i].count);
        expect_near("mirrored", i, mirrored.low, 1 - interval.high, 1e-12);
    }
    const Interval nothing = wilson(0, 0);
    assert_true(nothing.low == 0 && nothing.high == 1);
}

static void ranks(void **state) {
    const double up[] = {-3, 0, 0.1, 1e9}, down[] = {4, 3, 2, 1}, tied[] = {1, 2, 2, 3}, flat[] = {5, 5, 5};
    const double mixed[] = {2, 1, 4, 3, 5};
    if (!(fabs(rank_correlation(up, 4) - 1) <= 1e-12)) fail_msg("rising: %g", rank_correlation(up, 4));
    if (!(fabs(rank_correlation(down, 4) + 1) <= 1e-12)) fail_msg("falling: %g", rank_correlation(down, 4));
    // 1 - 6 sum of squared differences / n (n^2 - 1)
    if (!(fabs(rank_correlation(mixed, 5) - 0.8) <= 1e-12)) fail_msg("mixed: %g", rank_correlation(mixed, 5));
    if (!(fabs(rank_correlation(tied, 4) - 4.5 / sqrt(4.5 * 5)) <= 1e-12))
        fail_msg("tied: %g", rank_correlation(tied, 4));
    assert_true(isnan(rank_correlation(flat, 3)));
}

// The last point on a plateau; curves without one, still on it, and rising ones have none.
static void plateaus_have_an_end(void **state) {
    static const double x[] = {0, 1, 2, 3, 4, 5};
    static const struct {
        double y[6];
        int end;
    } curves[] = {{{10, 4, 4, 4, 3, 1}, 3},   {{100, 4, 4, 4, 3, 1}, 3},     {{10, 8, 7.9, 7.8, 4, 0}, 3},
                  {{10, 8, 6, 4, 2, 0}, -1},  {{10, 4, 3, 2.5, 2.2, 2}, -1}, {{10, 4, 4, 4, 4, 4}, -1},
                  {{1, 2, 3, 3, 3, 3}, -1},   {{10, 8.4, 6, 4, 2, 0}, -1},   {{10, 9.9, 9.5, 8, 4, 0}, -1},
                  {{10, 4, 4, 4, NAN, 1}, 3}, {{10, 4, 4, 4, 3, NAN}, -1}};
    for (size_t i = 0; i < COUNT(curves); i++) assert_int_equal(plateau_end(x, curves[i].y, 6, 0.5), curves[i].end);
    for (int count = 0; count < 3; count++) assert_int_equal(plateau_end(x, curves[0].y, count, 0.5), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(students_t_is_that_of_the_tables),
        cmocka_unit_test(wilson_gives_the_published_intervals),
        cmocka_unit_test(ranks),
        cmocka_unit_test(plateaus_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
