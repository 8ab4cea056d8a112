// Paired differences: worked examples, what cannot be tested, and what so many seeds can resolve.
#include "tests/lab/stats/intervals.h"

#include <math.h>

// --- one comparison ---

static void worked_examples_come_out(void **state) {
    static const struct {
        int n;
        double differences[9], mean, sd, p;
        Interval t;
    } known[] = {
        // by scipy's ttest_1samp
        {5,
         {-0.031, -0.012, -0.024, 0.003, -0.019},
         -0.0166,
         0.0129730489862638,
         0.0458730348544812,
         {-0.0327081678731776, -0.000491832126822411}},
        {6,
         {0.5, 1.25, -0.75, 2, 0.1, 0.9},
         0.666666666666667,
         0.951665207237643,
         0.14682990626008,
         {-0.332044719057514, 1.66537805239085}},
        {9,
         {0.2, 1.4, 0.7, 3.1, -0.6, 0.8, 1.9, 0.4, 1.1},
         1,
         1.06536378763313,
         0.0226349945252196,
         {0.181088900073746, 1.81891109992625}},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        const Paired paired = paired_summary(known[i].differences, known[i].n);
        assert_int_equal(paired.n, known[i].n);
        expect_relative("mean", i, paired.mean, known[i].mean, 1e-12);
        expect_relative("sd", i, paired.sd, known[i].sd, 1e-12);
        expect_relative("p", i, paired.p, known[i].p, 1e-10);
        expect_interval("t", paired.t, known[i].t, 1e-10 * known[i].sd);
    }
}

static void expect_nothing(const Paired *paired) {
    assert_true(isnan(paired->sd) && isnan(paired->p));
    assert_true(isnan(paired->t.low) && isnan(paired->t.high));
}

static void too_few_or_not_finite_have_no_interval(void **state) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++)
        for (int n = 1; n <= 10; n++)
            for (int at = 0; at < n; at++) {
                double differences[10] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1};
                differences[at] = bad[i];
                const Paired paired = paired_summary(differences, n);
                assert_true(isnan(paired.mean));
                expect_nothing(&paired);
            }
    const Paired none = paired_summary((double[]){1}, 0), one = paired_summary((double[]){-0.25}, 1);
    assert_true(isnan(none.mean));
    expect_nothing(&none);
    assert_true(one.mean == -0.25);
    expect_nothing(&one);
    assert_true(isnan(resolvable(one.se, one.df, 1)));
}

// 0.1 and its like have no exact multiples: sums of them must not leave a spread behind.
static void equal_differences_have_the_point_as_interval(void **state) {
    static const double values[] = {0.1, -0.7, 1e-300, 3e20, 0};
    for (size_t i = 0; i < COUNT(values); i++)
        for (int n = 2; n <= 20; n++) {
            double differences[20];
            for (int s = 0; s < n; s++) differences[s] = values[i];
            const Paired paired = paired_summary(differences, n);
            assert_true(paired.mean == values[i] && paired.sd == 0);
            assert_true(paired.t.low == values[i] && paired.t.high == values[i]);
            assert_true(paired.p == (values[i] == 0 ? 1 : 0));
        }
}

// The probability that the test finds a true mean of `effect` standard deviations, as one of so many comparisons.
static double power(double effect, int n, int comparisons) {
    return t_power(effect * sqrt(n), t_quantile(1 - 0.05 / comparisons / 2, n - 1), n - 1);
}

// The resolvable difference of n seeds, in standard deviations of a difference.
static double in_sd(int n, int comparisons) {
    return resolvable(1 / sqrt(n), n - 1, comparisons);
}

static void resolvable_differences_have_their_power(void **state) {
    for (int n = 3; n <= 20; n++) {
        expect_near("level", (size_t)n, power(0, n, 1), 0.05, 1e-9);
        expect_near("level of ten", (size_t)n, power(0, n, 10), 0.005, 1e-9);
        expect_near("same to both sides", (size_t)n, power(-0.7, n, 1), power(0.7, n, 1), 1e-12);
        expect_near("resolvable", (size_t)n, power(in_sd(n, 1), n, 1), 0.8, 1e-9);
        expect_near("in units", (size_t)n, resolvable(0.02, n - 1, 3), 0.02 * resolvable(1, n - 1, 3), 1e-12);
    }
}

// The numbers that paired.h quotes.
static void five_seeds_resolve_what_the_header_says(void **state) {
    expect_near("half-width", 5, t_quantile(0.975, 4) / sqrt(5), 1.24, 0.005);
    static const double table[][3] = {
        {1, 1.24, 1.68}, {5, 2.06, 2.63}, {10, 2.5, 3.16}, {28, 3.31, 4.12}, {56, 3.97, 4.91}};
    for (size_t i = 0; i < COUNT(table); i++) {
        expect_near("reach", i, -t_quantile(0.025 / table[i][0], 4) / sqrt(5), table[i][1], 0.0051);
        expect_near("found", i, in_sd(5, (int)table[i][0]), table[i][2], 0.0051);
    }
    expect_near("ten seeds", 10, in_sd(10, 28), 1.72, 0.0051);
}

// Differences whose interval ends nearly at 0, on either side.
static void verdicts_are_by_sign_and_level(void **state) {
    Paired paired = {.n = 5, .se = 1, .df = 4};
    const double reach = t_quantile(0.975, 4);
    static const struct {
        double in_reaches;
        Verdict verdict;
    } known[] = {{-1.000001, VERDICT_BETTER},    {-0.999999, VERDICT_UNRESOLVED}, {0, VERDICT_UNRESOLVED},
                 {0.999999, VERDICT_UNRESOLVED}, {1.000001, VERDICT_WORSE},       {NAN, VERDICT_UNRESOLVED}};
    for (size_t i = 0; i < COUNT(known); i++) {
        paired.mean = known[i].in_reaches * reach;
        assert_int_equal(paired_verdict(&paired, 1), known[i].verdict);
        assert_int_equal(paired_verdict(&paired, 1.001), VERDICT_UNRESOLVED);
    }
    assert_string_equal(verdict_words(VERDICT_BETTER), "better");
    assert_string_equal(verdict_words(VERDICT_WORSE), "worse");
    assert_string_equal(verdict_words(VERDICT_UNRESOLVED), "not resolved");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples_come_out),
        cmocka_unit_test(too_few_or_not_finite_have_no_interval),
        cmocka_unit_test(equal_differences_have_the_point_as_interval),
        cmocka_unit_test(resolvable_differences_have_their_power),
        cmocka_unit_test(five_seeds_resolve_what_the_header_says),
        cmocka_unit_test(verdicts_are_by_sign_and_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
