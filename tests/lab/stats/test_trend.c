// Gaps at increasing model sizes: the line through them, and the words for where it leads.
#include "lab/stats/paired.h"
#include "tests/lab/stats/intervals.h"

#include <math.h>

enum { SEEDS = 5, POINTS = 4 };

static const double ladder[POINTS] = {12, 13, 14.5, 11}; // in no order

// Gaps on the line that is `first` at x = 11 and `last` at 14.5, with noise of each seed and each point.
static void plant(double *gaps, double first, double last, double noise, uint64_t repetition) {
    for (int s = 0; s < SEEDS; s++)
        for (int k = 0; k < POINTS; k++) {
            const uint64_t counter = repetition * SEEDS * POINTS + (uint64_t)(s * POINTS + k);
            gaps[s * POINTS + k] = first + (last - first) * (ladder[k] - 11) / 3.5 + noise * random_normal(40, counter);
        }
}

static void lines_are_least_squares_lines(void **state) {
    static const double x[] = {1, 2, 4, 5};
    static const double gaps[] = {1, 3, 2, 4, /**/ 0, 1, 1, 0, /**/ 5, 4, 2, 3};
    // By hand: the center of x is 3, its spread 10, the slopes 5/10, 0 and -6/10, the means 2.5, 0.5 and 3.5.
    const Trend trend = trend_fit(x, gaps, 3, 4);
    const Paired slope = paired_summary((double[]){0.5, 0, -0.6}, 3);
    const Paired first = paired_summary((double[]){1, 0, 5}, 3), last = paired_summary((double[]){4, 0, 3}, 3);
    // The parabola at right angles to all lines is (x - 3)^2 - 2.5: 1.5, -1.5, -1.5, 1.5, its square 9.
    const Paired bend =
        paired_summary((double[]){1.5 * (1 - 3 - 2 + 4) / 9, 1.5 * (0 - 1 - 1 + 0) / 9, 1.5 * (5 - 4 - 2 + 3) / 9}, 3);
    expect_near("slope", 0, trend.slope.mean, slope.mean, 1e-14);
    expect_interval("slope", trend.slope.t, slope.t, 1e-12);
    expect_interval("first", trend.first.t, first.t, 1e-12);
    expect_interval("last", trend.last.t, last.t, 1e-12);
    expect_interval("bend", trend.bend.t, bend.t, 1e-12);
    expect_near("p", 0, trend.slope.p, slope.p, 1e-12);
    // The mean gaps are 2, 8/3, 5/3, 7/3 and the mean line 2.2333, 2.2, 2.1333, 2.1.
    expect_near("misfit", 0, trend.misfit, 7.0 / 15, 1e-14);
}

static void trends_get_the_right_word(void **state) {
    static const struct {
        double first, last, noise;
        TrendVerdict verdict;
    } known[] = {{1, 0.3, 0.02, TREND_CLOSING},   {0.3, 1, 0.02, TREND_OPENING},  {1, -1, 0.02, TREND_CROSSING},
                 {0.5, -2, 0.02, TREND_CROSSING}, {1, 0, 0.02, TREND_CLOSING},    {0, 1, 0.02, TREND_OPENING},
                 {1, 1, 0.02, TREND_UNRESOLVED},  {0, 0, 0.02, TREND_UNRESOLVED}, {1, 0.99, 0.2, TREND_UNRESOLVED},
                 {0.3, -0.3, 1, TREND_UNRESOLVED}};
    for (size_t i = 0; i < COUNT(known); i++)
        for (int sign = -1; sign <= 1; sign += 2) { // who is ahead does not change the word
            double gaps[SEEDS * POINTS];
            plant(gaps, known[i].first, known[i].last, known[i].noise, 7);
            for (int n = 0; n < SEEDS * POINTS; n++) gaps[n] *= sign;
            const Trend trend = trend_fit(ladder, gaps, SEEDS, POINTS);
            if (trend_verdict(&trend, trend.slope.p) != known[i].verdict)
                fail_msg("trend %zu is %s, expected %s", i, trend_words(trend_verdict(&trend, trend.slope.p)),
                         trend_words(known[i].verdict));
            assert_false(trend_is_bent(&trend));
            assert_int_equal(trend_verdict(&trend, 0.051), TREND_UNRESOLVED);
            assert_int_equal(trend_verdict(&trend, NAN), TREND_UNRESOLVED);
        }
}

// The slope can be known where the gap is not: seeds that are apart by the same at every x.
static void a_slope_alone_has_no_word(void **state) {
    double gaps[SEEDS * POINTS];
    plant(gaps, 0.1, -0.1, 0.001, 0);
    for (int s = 0; s < SEEDS; s++)
        for (int k = 0; k < POINTS; k++) gaps[s * POINTS + k] += s - 2;
    Trend trend = trend_fit(ladder, gaps, SEEDS, POINTS);
    assert_true(trend.slope.p < 1e-6 && trend.first.p > 0.5 && trend.last.p > 0.5);
    assert_int_equal(trend_verdict(&trend, trend.slope.p), TREND_UNRESOLVED);
    // Known at the far end only: by its sign the falling line is on its way to 0, or away from it.
    trend.last.p = 0.01;
    trend.first.mean = 0.7;
    trend.last.mean = 0.5;
    assert_int_equal(trend_verdict(&trend, trend.slope.p), TREND_CLOSING);
    trend.last.mean = -0.5;
    assert_int_equal(trend_verdict(&trend, trend.slope.p), TREND_OPENING);
    trend.first.mean = -0.6; // from end to end it rose, though the line falls
    assert_int_equal(trend_verdict(&trend, trend.slope.p), TREND_UNRESOLVED);
}

static void bent_or_broken_trends_show_it(void **state) {
    double gaps[SEEDS * POINTS];
    for (int s = 0; s < SEEDS; s++)
        for (int k = 0; k < POINTS; k++) gaps[s * POINTS + k] = (k == 1) + 0.001 * s;
    Trend trend = trend_fit((const double[]){1, 2, 3, 4}, gaps, SEEDS, POINTS);
    expect_near("misfit", 0, trend.misfit, 0.7, 1e-12); // the line through 0, 1, 0, 0 is 0.3 at x = 2
    assert_true(trend_is_bent(&trend));
    assert_false(isnan(trend.bend.mean));
    trend = trend_fit((const double[]){1, 2, 2, 1}, gaps, SEEDS, POINTS); // two points, twice each
    assert_true(isnan(trend.bend.mean) && !trend_is_bent(&trend));
    for (int at = 0; at < SEEDS * POINTS; at++) {
        plant(gaps, 1, 0.3, 0.02, 7);
        gaps[at] = NAN;
        trend = trend_fit(ladder, gaps, SEEDS, POINTS);
        assert_true(isnan(trend.slope.mean) && isnan(trend.misfit) && !trend_is_bent(&trend));
        assert_int_equal(trend_verdict(&trend, trend.slope.p), TREND_UNRESOLVED);
    }
    plant(gaps, 1, 0.3, 0.02, 7);
    trend = trend_fit((const double[]){12.1, 12.1, 12.1, 12.1}, gaps, SEEDS, POINTS);
    assert_true(isnan(trend.slope.mean));
    for (int n = 0; n < SEEDS * POINTS; n++) gaps[n] = 0.1; // whose sums are not exact
    trend = trend_fit((const double[]){11.1, 12.3, 13.7, 14.2}, gaps, SEEDS, POINTS);
    assert_true(trend.slope.mean == 0 && trend.slope.p == 1 && trend.first.mean == 0.1 && trend.misfit <= 1e-15);
    assert_int_equal(trend_verdict(&trend, trend.slope.p), TREND_UNRESOLVED);
    trend = trend_fit(ladder, gaps, SEEDS, 1);
    assert_true(isnan(trend.slope.mean));
    trend = trend_fit(ladder, gaps, 0, POINTS);
    assert_true(isnan(trend.slope.mean));
    trend = trend_fit(ladder, gaps, 1, POINTS);
    assert_true(isfinite(trend.slope.mean) && isnan(trend.slope.t.low));
    assert_int_equal(trend_verdict(&trend, trend.slope.p), TREND_UNRESOLVED);
    assert_string_equal(trend_words(TREND_CROSSING), "crossing");
}

// The slope is judged among other slopes and the gaps among other gaps, so a word may be lost in either family, and
// "crossing" may become "closing".
static void trends_are_called_by_corrected_intervals(void **state) {
    static const double x[] = {1, 2};
    static const double gaps[] = {-0.55, 0.35, -0.3, 0.7, -0.75, 0.5, -0.4, 0.6, -0.5, 0.35};
    const Trend trend = trend_fit(x, gaps, 5, 2);
    const Paired *const parts[] = {&trend.slope, &trend.first, &trend.last};
    double most[3]; // comparisons at which each is still known
    for (int i = 0; i < 3; i++) {
        most[i] = floor(0.05 / parts[i]->p);
        assert_int_equal(paired_verdict(parts[i], most[i]) != VERDICT_UNRESOLVED, true);
        assert_int_equal(paired_verdict(parts[i], most[i] + 1), VERDICT_UNRESOLVED);
    }
    const double fewer = fmin(most[1], most[2]), more = fmax(most[1], most[2]);
    assert_true(fewer > 1 && more > fewer + 1);
    assert_int_equal(trend_called(&trend, 1, 1), TREND_CROSSING);
    assert_int_equal(trend_called(&trend, most[0], fewer), TREND_CROSSING);
    assert_int_equal(trend_called(&trend, most[0] + 1, fewer), TREND_UNRESOLVED);
    assert_int_equal(trend_called(&trend, 1, fewer + 1), most[1] > most[2] ? TREND_CLOSING : TREND_OPENING);
    assert_int_equal(trend_called(&trend, 1, more + 1), TREND_UNRESOLVED);
}

// A gap that stays the same gets a word in 5% of experiments, and the slope's interval holds a planted slope in 95%.
static void trends_are_called_as_promised(void **state) {
    enum { EXPERIMENTS = 1000 };
    double covered = 0, called = 0, bent = 0;
    for (uint64_t experiment = 0; experiment < EXPERIMENTS; experiment++) {
        double gaps[SEEDS * POINTS];
        plant(gaps, 10, 10, 1, experiment);
        const Trend flat = trend_fit(ladder, gaps, SEEDS, POINTS);
        called += (trend_verdict(&flat, flat.slope.p) != TREND_UNRESOLVED) / (double)EXPERIMENTS;
        covered += holds(flat.slope.t, 0) / (double)EXPERIMENTS;
        bent += trend_is_bent(&flat) / (double)EXPERIMENTS;
    }
    expect_near("covered", 0, covered, 0.95, 0.028);
    expect_near("called", 0, called, 1 - covered, 1e-9);
    expect_near("bent", 0, bent, 0.05, 0.028);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_least_squares_lines),
        cmocka_unit_test(trends_get_the_right_word),
        cmocka_unit_test(a_slope_alone_has_no_word),
        cmocka_unit_test(bent_or_broken_trends_show_it),
        cmocka_unit_test(trends_are_called_by_corrected_intervals),
        cmocka_unit_test(trends_are_called_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
