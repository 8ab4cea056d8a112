// The lesson's one pair: gradients compared with differences, what a wrong sign changes and what it does not, what a
// shift changes, and the frequency that follows its torque.
#include "lab/lesson/pair.h"
#include "tests/support/support.h"

static const Pair some = {.q = {1, 0.5}, .k = {0.3, -1}, .m = 3, .n = 1, .theta = 0.5};

static void the_layout_is_what_the_page_reads(void **state) {
    assert_int_equal(sizeof(Pair), PAIR_NUMBERS * sizeof(double));
    assert_int_equal(sizeof(PairForward), 7 * sizeof(double));
    assert_int_equal(sizeof(PairBackward), 14 * sizeof(double));
    assert_int_equal(sizeof(PairTask), 4 * sizeof(double));
}

// For all values that `bitter lesson` accepts, with the tolerance by which it prints "ok".
static void gradients_are_slopes(void **state) {
    Random random = {1, 0};
    for (size_t i = 0; i < 2000; i++) {
        Pair pair;
        PairForward forward;
        PairBackward backward;
        double slopes[PAIR_NUMBERS], largest = 0;
        for (int c = 0; c < 2; c++) {
            pair.q[c] = 8 * random_next(&random) - 4;
            pair.k[c] = 8 * random_next(&random) - 4;
        }
        pair.m = random_below(&random, 1001);
        pair.n = random_below(&random, (int)pair.m + 1);
        pair.theta = 8 * random_next(&random) - 4;
        pair_forward(&forward, &pair);
        pair_backward(&backward, &forward, &pair, -1);
        for (int n = 0; n < PAIR_NUMBERS; n++) {
            slopes[n] = pair_slope(&pair, n);
            largest = fmax(largest, fabs(slopes[n]));
        }
        for (int n = 0; n < PAIR_NUMBERS; n++)
            expect_near("gradient", (size_t)n, pair_number(&backward.d, n), slopes[n], 1e-6 * largest);
        expect_near("|dq|", i, hypot(backward.d.q[0], backward.d.q[1]),
                    hypot(backward.dturned_q[0], backward.dturned_q[1]), 1e-14);
        expect_near("torques", i, backward.torque_q + backward.torque_k, 0, 1e-14);
        expect_near("by distance", i, pair_score_by_distance(&pair), forward.score, 1e-9);
    }
}

static void a_wrong_sign_breaks_two_gradients_and_keeps_lengths(void **state) {
    PairForward forward;
    PairBackward right, wrong;
    pair_forward(&forward, &some);
    pair_backward(&right, &forward, &some, -1);
    pair_backward(&wrong, &forward, &some, +1);
    assert_true(fabs(wrong.d.q[0] - right.d.q[0]) > 0.1 && fabs(wrong.d.k[0] - right.d.k[0]) > 0.1);
    expect_near("|dq|", 0, hypot(wrong.d.q[0], wrong.d.q[1]), hypot(right.d.q[0], right.d.q[1]), 1e-15);
    assert_true(wrong.d.m == right.d.m && wrong.d.n == right.d.n && wrong.d.theta == right.d.theta);
}

static void a_shift_of_both_changes_nothing(void **state) {
    PairForward before, after;
    Pair shifted = some;
    pair_forward(&before, &some);
    shifted.m += 1000, shifted.n += 1000;
    pair_forward(&after, &shifted);
    expect_near("loss", 0, after.loss, before.loss, 1e-12);
    shifted.n -= 1;
    pair_forward(&after, &shifted);
    assert_true(fabs(after.loss - before.loss) > 0.01);
}

static void only_rotations_keep_lengths(void **state) {
    const double c = cos(0.3), s = sin(0.3), turn[4] = {c, -s, s, c}, plain[4] = {1.01 * c, -s, 1.01 * s, c};
    const double d[2] = {0.6, -0.8};
    double lengths[501];
    pair_lengths(lengths, d, turn, 500);
    for (int i = 0; i <= 500; i++) expect_near("length", (size_t)i, lengths[i], 1, 1e-12);
    pair_lengths(lengths, d, plain, 500);
    assert_true(lengths[500] > 3);
    // One step is that of backward, M^T d.
    pair_lengths(lengths, d, plain, 1);
    expect_near("one step", 1, lengths[1], hypot(plain[0] * d[0] + plain[2] * d[1], plain[1] * d[0] + plain[3] * d[1]),
                1e-15);
}

// --- the task ---
static void the_task_has_the_gradient_of_its_loss(void **state) {
    const PairTask task = {.ago = 5, .tokens = 24, .phase = 3.14159, .strength = 6};
    double attention[24], unused, dtheta;
    for (int i = 0; i < 30; i++) {
        const double theta = 0.02 + 0.05 * i, step = 1e-5;
        const double loss = pair_task(&dtheta, attention, theta, &task);
        const double slope =
            (pair_task(&unused, NULL, theta + step, &task) - pair_task(&unused, NULL, theta - step, &task)) /
            (2 * step);
        expect_near("dtheta", (size_t)i, dtheta, slope, 1e-6 * (1 + fabs(slope)));
        expect_near("loss", (size_t)i, loss, -log(attention[5]), 1e-12);
        double sum = 0;
        for (int j = 0; j < 24; j++) sum += attention[j];
        expect_near("sum", (size_t)i, sum, 1, 1e-12);
    }
}

static double settled(double theta, const PairTask *task) {
    for (int i = 0; i < 2000; i++) theta = pair_task_step(theta, 0.002, task);
    return theta;
}

// From a slow start, the frequency comes to rest near phase / ago; from a fast one, near (phase + 2 pi) / ago.
static void the_frequency_comes_to_rest_where_attention_finds_the_token(void **state) {
    const PairTask task = {.ago = 5, .tokens = 11, .phase = 3.14159, .strength = 8};
    for (int turns = 0; turns <= 1; turns++) {
        const double expected = (task.phase + 2 * M_PI * turns) / task.ago, rest = settled(expected - 0.2, &task);
        double attention[11], dtheta;
        pair_task(&dtheta, attention, rest, &task);
        expect_near("dtheta", 0, dtheta, 0, 1e-9);
        expect_near("theta", 0, rest, expected, 0.05);
        for (int j = 0; j < 11; j++)
            if (j != 5) assert_true(attention[j] < attention[5]);
    }
}

static void impossible_tasks_are_refused(void **state) {
    const PairTask wrong[] = {{5, 5, 1, 1},   {-1, 5, 1, 1},  {0.5, 5, 1, 1}, {0, PAIR_TASK_TOKENS + 1, 1, 1},
                              {0, NAN, 1, 1}, {NAN, 5, 1, 1}, {0, 0, 1, 1}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        double dtheta = 7, attention[1] = {7};
        assert_true(isnan(pair_task(&dtheta, attention, 0.5, &wrong[i])));
        assert_true(dtheta == 7 && attention[0] == 7);
        assert_true(pair_task_step(0.5, 1, &wrong[i]) == 0.5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_layout_is_what_the_page_reads),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(a_wrong_sign_breaks_two_gradients_and_keeps_lengths),
        cmocka_unit_test(a_shift_of_both_changes_nothing),
        cmocka_unit_test(only_rotations_keep_lengths),
        cmocka_unit_test(the_task_has_the_gradient_of_its_loss),
        cmocka_unit_test(the_frequency_comes_to_rest_where_attention_finds_the_token),
        cmocka_unit_test(impossible_tasks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
