// Variants with seeds of their own: Welch's test beside another program's numbers, and in simulated studies.
#include "tests/lab/stats/studies.h"

enum { RUNS_MOST = 12 };

static const struct {
    int na, nb;
    double a[6], b[6], mean, sd, se, df;
    Interval intervals[3]; // one of 1, 10 and 28 comparisons
} examples[] = {
    // by scipy's ttest_ind(equal_var=False) and stats.t.isf
    {5,
     5,
     {3.921, 3.874, 3.9305, 3.888, 3.902},
     {3.861, 3.8595, 3.8702, 3.8543, 3.8664},
     0.04082,
     0.02397888654629311,
     0.010723684068453311,
     4.56624026994236,
     {{0.012447349704066846, 0.06919265029593331},
      {-0.013497729068572072, 0.09513772906857224},
      {-0.029046104987474328, 0.11068610498747448}}},
    {2,
     6,
     {0.25, 0.75},
     {1.5, 1.25, 1.0, 2.5, 1.75, 1.5},
     -1.0833333333333333,
     0.6258327785172862,
     0.32702361450580975,
     2.658982868418693,
     {{-2.2038084269248372, 0.03714176025817095},
      {-3.9320793572111574, 1.7654126905444907},
      {-5.31009777130013, 3.143431104633464}}},
};

static void worked_examples_come_out(void **state) {
    static const double comparisons[] = {1, 10, 28};
    for (size_t i = 0; i < COUNT(examples); i++) {
        const Paired gap = unpaired_summary(examples[i].a, examples[i].na, examples[i].b, examples[i].nb);
        assert_int_equal(gap.n, examples[i].na < examples[i].nb ? examples[i].na : examples[i].nb);
        expect_near("mean", i, gap.mean, examples[i].mean, 1e-14);
        expect_relative("sd", i, gap.sd, examples[i].sd, 1e-12);
        expect_relative("se", i, gap.se, examples[i].se, 1e-12);
        expect_relative("df", i, gap.df, examples[i].df, 1e-11);
        expect_interval("alone", gap.alone, examples[i].intervals[0], 1e-9);
        for (size_t c = 0; c < COUNT(comparisons); c++)
            expect_interval("corrected", paired_interval(&gap, comparisons[c]), examples[i].intervals[c], 1e-9);
        // The other way round it is the same with the other sign.
        const Paired back = unpaired_summary(examples[i].b, examples[i].nb, examples[i].a, examples[i].na);
        expect_interval("back", back.alone, (Interval){-gap.alone.high, -gap.alone.low}, 1e-12);
    }
}

static void too_few_or_not_finite_have_no_interval(void **state) {
    static const double a[] = {1, 2, 3}, bad[] = {1, NAN, 3};
    const Paired known[] = {unpaired_summary(a, 1, a, 3), unpaired_summary(a, 3, a, 0), unpaired_summary(a, 3, bad, 3),
                            unpaired_summary(bad, 3, a, 3)};
    for (size_t i = 0; i < COUNT(known); i++) {
        assert_true(isnan(known[i].se) && isnan(known[i].df) && isnan(known[i].alone.low));
        assert_true(isnan(paired_interval(&known[i], 3).high));
        assert_int_equal(paired_verdict(&known[i], 3), VERDICT_UNRESOLVED);
    }
    assert_true(known[0].mean == -1);
    for (size_t i = 1; i < COUNT(known); i++) assert_true(isnan(known[i].mean));
}

// Without any spread the means are exact; with spread in one variant alone, its degrees of freedom count.
static void variants_without_spread_have_their_means(void **state) {
    static const double level[] = {0.1, 0.1, 0.1, 0.1, 0.1}, other[] = {0.7, 0.7, 0.7}, spread[] = {0.2, 0.3, 0.7, 0.8};
    const Paired same = unpaired_summary(level, 5, level, 4), apart = unpaired_summary(other, 3, level, 5);
    assert_true(same.mean == 0 && same.se == 0 && same.alone.low == 0 && same.alone.high == 0);
    assert_int_equal(paired_verdict(&same, 1), VERDICT_UNRESOLVED);
    assert_true(apart.se == 0 && apart.alone.low == apart.mean && apart.df >= 2);
    assert_int_equal(paired_verdict(&apart, 100), VERDICT_WORSE);
    expect_near("df", 0, unpaired_summary(level, 5, spread, 4).df, 3, 1e-12);
    expect_near("df", 1, unpaired_summary(spread, 4, level, 5).df, 3, 1e-12);
}

// --- studies ---

typedef struct {
    int na, nb;
    double sd_a, sd_b;
} Variants;

static void draw(double *a, double *b, const Variants *variants, int study) {
    const uint64_t key = random_key(17, "arms");
    for (int i = 0; i < variants->na; i++) a[i] = variants->sd_a * normal_of(key, study, i);
    for (int i = 0; i < variants->nb; i++) b[i] = variants->sd_b * normal_of(key, study, RUNS_MOST + i);
}

// The share of studies whose 95% interval holds the true difference, 0.
static double welch_coverage(const Variants *variants) {
    double covered = 0;
    for (int study = 0; study < STUDIES; study++) {
        double a[RUNS_MOST], b[RUNS_MOST];
        draw(a, b, variants, study);
        const Paired gap = unpaired_summary(a, variants->na, b, variants->nb);
        const bool inside = holds(gap.alone, 0);
        assert_int_equal(inside, paired_verdict(&gap, 1) == VERDICT_UNRESOLVED);
        covered += inside / (double)STUDIES;
    }
    return covered;
}

static void unequal_variances_are_covered(void **state) {
    static const struct {
        Variants variants;
        double welch; // by scipy's ttest_ind in 200000 studies, so their own error is 0.1%
    } known[] = {{{5, 5, 1, 1}, 0.956},
                 {{5, 5, 1, 3}, 0.946},
                 {{5, 5, 1, 10}, 0.948},
                 {{4, 12, 3, 1}, 0.942},
                 {{3, 8, 1, 2}, 0.954}};
    for (size_t i = 0; i < COUNT(known); i++) {
        const double welch = welch_coverage(&known[i].variants);
        expect_near("Welch", i, welch, known[i].welch, share_error(known[i].welch));
        if (known[i].variants.na == known[i].variants.nb) expect_coverage("5 against 5", welch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples_come_out),
        cmocka_unit_test(too_few_or_not_finite_have_no_interval),
        cmocka_unit_test(variants_without_spread_have_their_means),
        cmocka_unit_test(unequal_variances_are_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
