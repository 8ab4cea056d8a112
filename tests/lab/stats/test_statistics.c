// Student's t, central and noncentral: compared with another program's numbers, with formulas, and with its own
// inverse. Wilson's interval: with published ones, and its equation. Rank correlation: with known ranks.
#include "lab/stats/statistics.h"
#include "tests/lab/stats/intervals.h"

#include <math.h>

static void quantiles_are_those_of_the_tables(void **state) {
    static const struct {
        double df, p, t; // computed by mpmath with 40 digits
    } known[] = {
        {1, 0.975, 12.706204736174705},    {1, 0.999999, 318309.88618274347},  {1.5, 0.01, -11.197316179568399},
        {2, 0.975, 4.3026527297494639},    {2, 0.000001, -707.1057205259338},  {2.5, 0.975, 3.5746548420036832},
        {3, 0.6, 0.27667066233268991},     {4, 0.975, 2.7764451051977944},     {4, 0.995, 4.6040948713499932},
        {4, 0.9975, 5.597568367075459},    {4, 0.000001, -41.577854150450975}, {4, 0.500001, 2.6666666666706173e-6},
        {7.25, 0.3, -0.54823116883744825}, {9, 0.975, 2.2621571627982055},     {9, 0.000001, -10.7201604099095},
        {19, 0.975, 2.0930240544083098},   {19, 0.999999, 6.7233942822001864}, {63, 0.025, -1.9983405425207416},
        {120, 0.975, 1.9799304050824408},  {120, 0.6, 0.25390952321492856},    {1000, 0.975, 1.9623390808264085},
    };
    for (size_t i = 0; i < COUNT(known); i++)
        expect_relative("t", i, t_quantile(known[i].p, known[i].df), known[i].t, 1e-9);
}

static void probabilities_are_known_ones(void **state) {
    static const struct {
        double df, t, p; // likewise
    } known[] = {
        {1, -1.5, 0.18716704181099882},
        {1, -10000, 0.000031830988512275772},
        {2, -0.25, 0.41296117202215108},
        {2.5, -12, 0.0014181075150391619},
        {4, -1.5, 0.104},
        {4, -0.001, 0.49962500007812498},
        {4, -50, 4.7872268284848492e-7},
        {9, -1, 0.17171819806895676},
        {9, -12, 3.849943111492826e-7},
        {19, -12, 1.2954473186110997e-10},
        {19, -2.5, 0.010870205584198723},
        {63, -4, 0.000084526260542733268},
        {99.5, -0.75, 0.22751223568176584},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        expect_relative("p", i, t_cdf(known[i].t, known[i].df), known[i].p, 1e-12);
        expect_near("1 - p", i, t_cdf(-known[i].t, known[i].df), 1 - known[i].p, 1e-13);
    }
    for (double df = 1; df <= 64; df += 0.5) {
        assert_true(t_cdf(0, df) == 0.5);
        assert_true(t_cdf(INFINITY, df) == 1);
        assert_true(t_cdf(-INFINITY, df) == 0);
        assert_true(isnan(t_cdf(NAN, df)));
    }
}

static void quantiles_and_probabilities_are_inverse(void **state) {
    static const double dfs[] = {1, 1.5, 2, 3, 4, 7.3, 19, 63, 1000};
    for (size_t i = 0; i < COUNT(dfs); i++) {
        double before = -INFINITY;
        for (double p = 1e-6; p < 1; p += p < 0.01 ? p : 0.0173) {
            const double t = t_quantile(p, dfs[i]);
            assert_true(t > before);
            before = t;
            expect_relative("p", i, t_cdf(t, dfs[i]), p, 1e-12);
            expect_relative("mirrored", i, t_quantile(1 - p, dfs[i]), -t, 1e-9);
        }
        assert_true(t_quantile(0.5, dfs[i]) == 0);
        assert_true(t_quantile(0, dfs[i]) == -INFINITY && t_quantile(1, dfs[i]) == INFINITY);
        assert_true(isnan(t_quantile(-0.1, dfs[i])) && isnan(t_quantile(1.1, dfs[i])) &&
                    isnan(t_quantile(NAN, dfs[i])));
    }
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
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(probabilities_are_known_ones),
        cmocka_unit_test(quantiles_and_probabilities_are_inverse),
        cmocka_unit_test(wilson_gives_the_published_intervals),
        cmocka_unit_test(ranks),
        cmocka_unit_test(plateaus_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
