// Corrected intervals, the verdicts that they give, and what it costs to test again and again.
#include "tests/lab/stats/studies.h"

static void corrected_intervals_are_known_ones(void **state) {
    static const double differences[] = {-0.031, -0.012, -0.024, 0.003, -0.019};
    static const struct {
        double comparisons, adjusted;
        Interval interval;
        Verdict verdict;
    } known[] = {
        // by scipy's ttest_1samp and stats.t.isf
        {1, 0.045873034854481215, {-0.032708167873177596, -0.0004918321268224078}, VERDICT_BETTER},
        {5, 0.22936517427240607, {-0.043311687168926846, 0.01011168716892685}, VERDICT_UNRESOLVED},
        {10, 0.45873034854481215, {-0.049075546074957094, 0.015875546074957097}, VERDICT_UNRESOLVED},
        {28, 1, {-0.05948840243138677, 0.026288402431386765}, VERDICT_UNRESOLVED},
        {56, 1, {-0.06805334901384309, 0.0348533490138431}, VERDICT_UNRESOLVED},
    };
    const Paired paired = paired_summary(differences, 5);
    assert_true(paired.df == 4);
    expect_relative("se", 0, paired.se, paired.sd / sqrt(5), 1e-14);
    for (size_t i = 0; i < COUNT(known); i++) {
        expect_interval("corrected", paired_interval(&paired, known[i].comparisons), known[i].interval, 1e-12);
        expect_relative("adjusted", i, paired_adjusted(&paired, known[i].comparisons), known[i].adjusted, 1e-10);
        assert_int_equal(paired_verdict(&paired, known[i].comparisons), known[i].verdict);
    }
}

// The interval, the verdict and the adjusted p say the same, and the other sign says the opposite.
static void one_number_has_one_verdict(void **state) {
    const uint64_t key = random_key(17, "one verdict");
    int counts[3] = {0};
    for (int study = 0; study < STUDIES; study++) {
        const int n = 2 + study % 5, comparisons = 1 + study % 31;
        double differences[6], opposite[6];
        for (int i = 0; i < n; i++) {
            differences[i] = 2 * normal_of(key, study, 100) + normal_of(key, study, i);
            opposite[i] = -differences[i];
        }
        const Paired paired = paired_summary(differences, n), other = paired_summary(opposite, n);
        const Interval interval = paired_interval(&paired, comparisons);
        const Verdict verdict = paired_verdict(&paired, comparisons), mirrored = paired_verdict(&other, comparisons);
        assert_int_equal(verdict != VERDICT_UNRESOLVED, paired_adjusted(&paired, comparisons) <= 0.05);
        assert_int_equal(verdict == VERDICT_BETTER, interval.high < 0);
        assert_int_equal(verdict == VERDICT_WORSE, interval.low > 0);
        assert_int_equal(verdict == VERDICT_BETTER, mirrored == VERDICT_WORSE);
        assert_int_equal(verdict == VERDICT_WORSE, mirrored == VERDICT_BETTER);
        counts[verdict]++;
    }
    for (int verdict = 0; verdict < 3; verdict++) assert_true(counts[verdict] > 100);
}

static void what_cannot_be_tested_is_not_resolved(void **state) {
    const Paired known[] = {paired_summary((double[]){1}, 1), paired_summary((double[]){1, NAN, 1}, 3)};
    for (size_t i = 0; i < COUNT(known); i++) {
        assert_true(isnan(paired_interval(&known[i], 5).low) && isnan(paired_interval(&known[i], 5).high));
        assert_true(isnan(paired_adjusted(&known[i], 5)));
        assert_true(isnan(resolvable(known[i].se, known[i].df, 5)));
        assert_int_equal(paired_verdict(&known[i], 5), VERDICT_UNRESOLVED);
    }
    const Paired equal = paired_summary((double[]){-0.1, -0.1, -0.1}, 3), none = paired_summary((double[3]){0}, 3);
    assert_int_equal(paired_verdict(&equal, 1000), VERDICT_BETTER);
    assert_int_equal(paired_verdict(&none, 1), VERDICT_UNRESOLVED);
    assert_true(paired_adjusted(&none, 7) == 1 && paired_adjusted(&equal, 7) == 0);
}

// A difference as large as resolvable() says is found in 80% of studies, with and without pairs.
static void resolvable_differences_are_found(void **state) {
    enum { RUNS = 5, COMPARISONS = 6 };
    const uint64_t key = random_key(17, "resolvable");
    const double paired_effect = resolvable(1 / sqrt(RUNS), RUNS - 1, COMPARISONS);
    const double unpaired_effect = resolvable(sqrt(2.0 / RUNS), 2 * RUNS - 2, COMPARISONS);
    double found[2] = {0};
    for (int study = 0; study < STUDIES; study++) {
        double differences[RUNS], a[RUNS], b[RUNS];
        for (int i = 0; i < RUNS; i++) {
            differences[i] = normal_of(key, study, i) - paired_effect;
            a[i] = normal_of(key, study, RUNS + i) + unpaired_effect;
            b[i] = normal_of(key, study, 2 * RUNS + i);
        }
        const Paired paired = paired_summary(differences, RUNS), gap = unpaired_summary(a, RUNS, b, RUNS);
        found[0] += (paired_verdict(&paired, COMPARISONS) == VERDICT_BETTER) / (double)STUDIES;
        found[1] += (paired_verdict(&gap, COMPARISONS) == VERDICT_WORSE) / (double)STUDIES;
    }
    expect_near("paired", 0, found[0], 0.8, share_error(0.8));
    expect_near("unpaired", 0, found[1], 0.8, share_error(0.8) + 0.03); // Welch's df falls short of 8 in most studies
}

// --- peeking ---

// The share of studies without a difference in which a family of t-tests finds one at one of the looks.
static double peeked(const int *looks, int count, int comparisons) {
    const uint64_t key = random_key(17, "looks");
    double called = 0, critical[11];
    for (int n = 2; n <= 10; n++) critical[n] = -t_quantile(0.025 / comparisons, n - 1);
    for (int study = 0; study < STUDIES; study++) {
        bool any = false;
        for (int c = 0; c < comparisons; c++) {
            double differences[10];
            for (int i = 0; i < 10; i++) differences[i] = normal_of(key, study, 10 * c + i);
            for (int look = 0; look < count; look++) {
                const int n = looks[look];
                any = any || fabs(mean_of(differences, n)) > critical[n] * sqrt(variance_of(differences, n) / n);
            }
        }
        called += any / (double)STUDIES;
    }
    return called;
}

static void peeking_costs_what_it_says(void **state) {
    static const int every[] = {5, 6, 7, 8, 9, 10}, twice[] = {5, 8, 8}, sorted_not[] = {10, 8, 5, 1, 0, 9, 7, 6};
    const double error = peeking_error(every, 6, 1);
    expect_near("5 to 10 seeds", 0, error, 0.126, 0.0016); // three standard errors of 400000 experiments
    expect_near("simulated", 0, peeked(every, 6, 1), error, share_error(error));
    expect_near("simulated", 1, peeked(twice, 2, 1), peeking_error(twice, 2, 1), share_error(error));
    assert_true(peeking_error(sorted_not, 8, 1) == error);
    assert_true(peeking_error(twice, 3, 1) == peeking_error(twice, 2, 1));
    assert_true(peeking_error(twice, 2, 1) < error);
    assert_false(keeps_level(peeked(every, 6, 1)));
}

// Corrected tests lose more by looking: a family of six has more than the 12.6% of one test, and at most what is said.
static void peeking_costs_families_more(void **state) {
    static const int every[] = {5, 6, 7, 8, 9, 10};
    const double said = peeking_error(every, 6, 6), found = peeked(every, 6, 6);
    assert_true(said > peeking_error(every, 6, 1) + 0.01 && said < 6 * 0.05);
    assert_true(found > said / 1.2 - share_error(said) && found < said + share_error(said));
    assert_true(peeking_error(every, 6, 1e6) <= 1);
}

static void one_look_costs_nothing(void **state) {
    static const int looks[] = {2, 3, 5, 10, SEEDS_MOST};
    for (size_t i = 0; i < COUNT(looks); i++) expect_near("one look", i, peeking_error(&looks[i], 1, 1), 0.05, 0.0021);
    assert_true(peeking_error(looks, 0, 1) == 0);
    assert_true(peeking_error((const int[]){1, 0}, 2, 1) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrected_intervals_are_known_ones),
        cmocka_unit_test(one_number_has_one_verdict),
        cmocka_unit_test(what_cannot_be_tested_is_not_resolved),
        cmocka_unit_test(resolvable_differences_are_found),
        cmocka_unit_test(peeking_costs_what_it_says),
        cmocka_unit_test(peeking_costs_families_more),
        cmocka_unit_test(one_look_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
