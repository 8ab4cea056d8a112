// Corrected intervals, and the verdicts that they give.
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrected_intervals_are_known_ones),
        cmocka_unit_test(what_cannot_be_tested_is_not_resolved),
        cmocka_unit_test(resolvable_differences_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
