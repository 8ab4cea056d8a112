// The text as a source of uncertainty: blocks of one text, and several texts, in simulated studies.
#include "tests/lab/stats/studies.h"

enum { BLOCKS = 32, SEEDS = 5 };

// --- blocks ---

// Runs of two blocks out of eight, in a circle; all by hand.
static void blocks_have_their_interval(void **state) {
    static const double gaps[][2] = {{1, 3}, {2, 4},  {4, 6},  {3, 5},
                                     {0, 2}, {-2, 0}, {-1, 1}, {1, 3}}; // means 2 3 5 4 1 -1 0 2
    // The runs' means are 2.5, 4, 4.5, 2.5, 0, -0.5, 1 and 2, their squared distances from 2 together 22.
    const double half = t_quantile(0.975, 3) * sqrt(22.0 / 8 / 3);
    expect_interval("blocks", blocks_interval(gaps[0], 8, 2), (Interval){2 - half, 2 + half}, 1e-12);
    double flat[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) flat[b] = 0.1;
    const Interval point = blocks_interval(flat, BLOCKS, 1);
    assert_true(point.low == 0.1 && point.high == 0.1);
    for (int b = 0; b < BLOCKS; b++) {
        flat[b] = NAN;
        assert_true(isnan(blocks_interval(flat, BLOCKS, 1).low));
        flat[b] = 0.1;
    }
    assert_true(isnan(blocks_interval(flat, BLOCKS_LEAST - 1, 1).low) && isnan(blocks_interval(flat, 32, 0).high));
    assert_true(blocks_interval(flat, BLOCKS_LEAST, 1).low == 0.1);
}

// Gaps (BLOCKS, SEEDS) around 0: neighbouring blocks of the text have this correlation, and each seed adds some noise.
static void blocks_of(double gaps[BLOCKS][SEEDS], double correlation, int study) {
    const uint64_t key = random_key(17, "blocks");
    double text = normal_of(key, study, 0);
    for (int b = 0; b < BLOCKS; b++) {
        if (b > 0) text = correlation * text + sqrt(1 - correlation * correlation) * normal_of(key, study, b);
        for (int s = 0; s < SEEDS; s++) gaps[b][s] = text + 0.3 * normal_of(key, study, BLOCKS * (1 + s) + b);
    }
}

static double blocks_coverage(double correlation) {
    double covered = 0;
    for (int study = 0; study < STUDIES; study++) {
        double gaps[BLOCKS][SEEDS];
        blocks_of(gaps, correlation, study);
        covered += holds(blocks_interval(gaps[0], BLOCKS, SEEDS), 0) / (double)STUDIES;
    }
    return covered;
}

// The figures of blocks_interval: up to a correlation of 0.3 the interval keeps its promise, beyond that it does not.
static void neighbouring_blocks_may_be_alike(void **state) {
    expect_coverage("correlation 0", blocks_coverage(0));
    expect_coverage("correlation 0.3", blocks_coverage(0.3));
    expect_near("correlation 0.5", 0, blocks_coverage(0.5), 0.91, share_error(0.91));
    expect_near("correlation 0.7", 0, blocks_coverage(0.7), 0.84, share_error(0.84));
}

// --- texts ---

static void texts_have_their_means(void **state) {
    static const double gaps[] = {1, 2, 3, /**/ 0, 0, 3, /**/ 4, 5, 9, /**/ -1, 0, 1};
    const Paired found = texts_summary(gaps, 4, 3), expected = paired_summary((double[]){2, 1, 6, 0}, 4);
    assert_int_equal(found.n, 4);
    expect_near("mean", 0, found.mean, expected.mean, 1e-14);
    expect_near("df", 0, found.df, 3, 0);
    expect_interval("t", found.t, expected.t, 1e-12);
    assert_true(isnan(texts_summary((double[]){1, NAN, 2, 3}, 2, 2).mean));
    assert_true(isnan(texts_summary(gaps, 1, 3).t.low) && texts_summary(gaps, 1, 3).mean == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_their_interval),
        cmocka_unit_test(neighbouring_blocks_may_be_alike),
        cmocka_unit_test(texts_have_their_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
