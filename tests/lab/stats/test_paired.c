// Paired differences: worked examples, cases that cannot be tested, and what a number of seeds can resolve.
#include "tests/lab/stats/intervals.h"

#include <math.h>

// --- one comparison ---

// The 20 differences learned - rope of runs/baseline/experiment-full/primary, to three digits, from the 1st to the
// last.
static const double late[] = {0.143, 0.147, 0.156, 0.163, 0.165, 0.167, 0.167, 0.169, 0.17,  0.176,
                              0.184, 0.191, 0.198, 0.198, 0.22,  0.373, 0.379, 0.384, 0.398, 0.555};

// By scripts/check_report.py's `interval`, with scipy.
static void worked_examples_come_out(void **state) {
    static const struct {
        int n;
        double estimate, mean, sd, comparisons;
        bool exact;
        Interval interval;
    } known[] = {
        {3, 0.398, 0.4456666666666667, 0.09494384305121284, 1, false, {0.20981308564464435, 0.681520247688689}},
        {3, 0.398, 0.4456666666666667, 0.09494384305121284, 6, false, {-0.1510514014464472, 1.0423847347797806}},
        {3, 0.398, 0.4456666666666667, 0.09494384305121284, 28, false, {-0.8497752392119073, 1.7411085725452407}},
        {5, 0.384, 0.41780000000000006, 0.07725088996251113, 1, false, {0.3218803511043495, 0.555}},
        {5, 0.384, 0.41780000000000006, 0.07725088996251113, 6, false, {0.250209066622394, 0.5853909333776062}},
        {5, 0.384, 0.41780000000000006, 0.07725088996251113, 28, false, {0.16241152036016937, 0.6731884796398308}},
        {6, 0.3815, 0.38483333333333336, 0.10627778068188416, 1, true, {0.27464285714285724, 0.4989285714285714}},
        {6, 0.3815, 0.38483333333333336, 0.10627778068188416, 6, false, {0.20176712120973092, 0.5678995454569358}},
        {6, 0.3815, 0.38483333333333336, 0.10627778068188416, 28, false, {0.12256547807244556, 0.6471011885942212}},
        {8, 0.376, 0.338125, 0.12469097515744389, 1, true, {0.198, 0.40810396039603963}},
        {8, 0.376, 0.338125, 0.12469097515744389, 6, true, {0.198, 0.5462777777777783}},
        {8, 0.376, 0.338125, 0.12469097515744389, 28, false, {0.12282021517810124, 0.555}},
        {12,
         0.20900000000000002,
         0.28550000000000003,
         0.1263303749553671,
         1,
         true,
         {0.18584182908545727, 0.38268440779610197}},
        {12,
         0.20900000000000002,
         0.28550000000000003,
         0.1263303749553671,
         6,
         true,
         {0.17797730956239866, 0.3945397082658023}},
        {12,
         0.20900000000000002,
         0.28550000000000003,
         0.1263303749553671,
         28,
         true,
         {0.17454666666666666, 0.4360288888888891}},
        {20, 0.18, 0.23514999999999997, 0.11523261371312332, 1, true, {0.16700000000000004, 0.21482484725050915}},
        {20, 0.18, 0.23514999999999997, 0.11523261371312332, 6, true, {0.16473711676451402, 0.3737886497064579}},
        {20, 0.18, 0.23514999999999997, 0.11523261371312332, 28, true, {0.16235827955087967, 0.37945837174937164}},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        const Paired paired = paired_summary(late + 20 - known[i].n, known[i].n);
        assert_int_equal(paired.n, known[i].n);
        expect_relative("median", i, paired.estimate, known[i].estimate, 1e-12);
        expect_relative("mean", i, paired.mean, known[i].mean, 1e-12);
        expect_relative("sd", i, paired.sd, known[i].sd, 1e-12);
        expect_interval("interval", paired_interval(&paired, known[i].comparisons), known[i].interval, 1e-10);
        assert_int_equal(paired_exact(&paired, known[i].comparisons), known[i].exact);
    }
}

// The order of the differences does not matter, and opposite signs give the mirrored interval.
static void order_and_sign_do_not_matter(void **state) {
    double mixed[COUNT(late)], negative[COUNT(late)];
    for (size_t i = 0; i < COUNT(late); i++) {
        mixed[i] = late[7 * i % COUNT(late)];
        negative[i] = -late[i];
    }
    for (int comparisons = 1; comparisons < 100000; comparisons *= 7) {
        const Paired a = paired_summary(late, 20), b = paired_summary(mixed, 20), c = paired_summary(negative, 20);
        const Interval of_a = paired_interval(&a, comparisons), of_c = paired_interval(&c, comparisons);
        expect_interval("mixed", paired_interval(&b, comparisons), of_a, 1e-14);
        expect_interval("negative", of_c, (Interval){-of_a.high, -of_a.low}, 1e-14);
        assert_true(of_a.low <= a.estimate && a.estimate <= of_a.high);
    }
}

// More comparisons never make an interval shorter, not even where few seeds require Student's t.
static void intervals_grow_with_the_family(void **state) {
    for (int n = 2; n <= 20; n++) {
        const Paired paired = paired_summary(late + 20 - n, n);
        Interval before = paired.alone;
        for (double comparisons = 1; comparisons < 1e5; comparisons *= 1.3) {
            const Interval now = paired_interval(&paired, comparisons);
            assert_true(now.low <= before.low + 1e-15 && now.high >= before.high - 1e-15);
            before = now;
        }
    }
}

static void expect_nothing(const Paired *paired) {
    assert_true(isnan(paired->sd) && isnan(paired->alone.low) && isnan(paired->alone.high));
}

static void too_few_or_not_finite_have_no_interval(void **state) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++)
        for (int n = 1; n <= 10; n++)
            for (int at = 0; at < n; at++) {
                double differences[10] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1};
                differences[at] = bad[i];
                const Paired paired = paired_summary(differences, n);
                assert_true(isnan(paired.mean) && isnan(paired.estimate));
                expect_nothing(&paired);
            }
    const Paired none = paired_summary((double[]){1}, 0), one = paired_summary((double[]){-0.25}, 1);
    assert_true(isnan(none.mean));
    expect_nothing(&none);
    assert_true(one.mean == -0.25 && one.estimate == -0.25);
    expect_nothing(&one);
    assert_true(isnan(resolvable(&one, 1)));
}

// 0.1 and the like are not exact in binary: sums of equal differences must not create a spread.
static void equal_differences_have_the_point_as_interval(void **state) {
    static const double values[] = {0.1, -0.7, 1e-300, 3e20, 0};
    for (size_t i = 0; i < COUNT(values); i++)
        for (int n = 2; n <= 20; n++) {
            double differences[20];
            for (int s = 0; s < n; s++) differences[s] = values[i];
            const Paired paired = paired_summary(differences, n);
            assert_true(paired.estimate == values[i] && paired.mean == values[i] && paired.sd == 0);
            assert_true(paired.alone.low == values[i] && paired.alone.high == values[i]);
        }
}

// The resolvable difference of n seeds, in standard deviations of a difference.
static double in_sd(int n, int comparisons) {
    return resolvable(&(Paired){.n = n, .sd = 1}, comparisons);
}

// The numbers that paired.h quotes.
static void seeds_resolve_what_the_header_says(void **state) {
    static const struct {
        int n, comparisons;
        double found;
    } table[] = {{5, 1, 1.81},   {5, 6, 2.77},  {5, 28, 4.14}, {12, 1, 1.05}, {12, 6, 1.38},
                 {12, 28, 1.60}, {20, 1, 0.80}, {20, 6, 1.02}, {20, 28, 1.21}};
    for (size_t i = 0; i < COUNT(table); i++)
        expect_near("found", i, in_sd(table[i].n, table[i].comparisons), table[i].found, 0.0051);
    static const int enough[][2] = {{6, 1}, {8, 6}, {11, 28}};
    for (size_t i = 0; i < COUNT(enough); i++) {
        const Paired just = paired_summary(late, enough[i][0]), few = paired_summary(late, enough[i][0] - 1);
        assert_true(paired_exact(&just, enough[i][1]) && !paired_exact(&few, enough[i][1]));
    }
}

// Differences whose interval ends nearly at 0, on either side.
static void verdicts_are_by_sign_and_level(void **state) {
    Paired paired = {.n = 5, .sd = sqrt(5)};
    const double reach = student_t(0.025, 4);
    static const struct {
        double in_reaches;
        Verdict verdict;
    } known[] = {{-1.000001, VERDICT_BETTER},    {-0.999999, VERDICT_UNRESOLVED}, {0, VERDICT_UNRESOLVED},
                 {0.999999, VERDICT_UNRESOLVED}, {1.000001, VERDICT_WORSE},       {NAN, VERDICT_DIVERGED}};
    for (size_t i = 0; i < COUNT(known); i++) {
        paired.estimate = paired.mean = known[i].in_reaches * reach;
        for (int k = 0; k < 5; k++) paired.sorted[k] = paired.mean;
        assert_int_equal(paired_verdict(&paired, 1), known[i].verdict);
        assert_true(paired_verdict(&paired, 1.001) > VERDICT_WORSE);
    }
    assert_string_equal(verdict_words(VERDICT_BETTER), "better");
    assert_string_equal(verdict_words(VERDICT_WORSE), "worse");
    assert_string_equal(verdict_words(VERDICT_UNRESOLVED), "not resolved");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples_come_out),
        cmocka_unit_test(order_and_sign_do_not_matter),
        cmocka_unit_test(intervals_grow_with_the_family),
        cmocka_unit_test(too_few_or_not_finite_have_no_interval),
        cmocka_unit_test(equal_differences_have_the_point_as_interval),
        cmocka_unit_test(seeds_resolve_what_the_header_says),
        cmocka_unit_test(verdicts_are_by_sign_and_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
