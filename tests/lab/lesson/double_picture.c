// The numbers of the page's pictures: slopes compared with rope.c, lengths of schemes, scores and stretches.
#include "lab/lesson/pair.h"
#include "posenc/rotation/rotate.h"
#include "tests/support/support.h"

enum { PAIRS = 8, POSITIONS = 100 };

static void slopes_are_the_gradient_turned_back(void **state) {
    const double x[2] = {0.3, -1.2}, dy[2] = {0.8, 0.5};
    for (int i = 0; i < 20; i++) {
        const double angle = 0.7 * i - 5;
        double dx[2], y[2];
        rope_pair_backward(dx, dy, angle);
        rope_pair_forward(y, x, angle);
        const double moved[2] = {x[0] + 0.5, x[1] - 2}; // the loss is linear in x
        const double rise = picture_loss(moved, dy, angle) - picture_loss(x, dy, angle);
        expect_near("rise", 0, rise, 0.5 * dx[0] - 2 * dx[1], 1e-14);
        expect_near("slope of the angle", 0, picture_angle_slope(x, dy, angle, 1e-5), rope_pair_torque(dy, y), 1e-9);
    }
}

static void rope_keeps_lengths_and_xpos_does_not(void **state) {
    double rope[POSITIONS], queries[POSITIONS], keys[POSITIONS];
    Error error;
    for (int pair = 0; pair < PAIRS; pair++) {
        assert_true(picture_lengths(rope, "rope", false, pair, POSITIONS, &error));
        assert_true(picture_lengths(queries, "xpos:gamma=64", false, pair, POSITIONS, &error));
        assert_true(picture_lengths(keys, "xpos:gamma=64", true, pair, POSITIONS, &error));
        for (int t = 0; t < POSITIONS; t++) {
            expect_near("rope", (size_t)t, rope[t], 1, 1e-14);
            expect_near("xpos", (size_t)t, queries[t] * keys[t], 1, 1e-14);
        }
        assert_true(queries[0] > 1.01 && queries[POSITIONS - 1] < 0.99);
    }
    assert_false(picture_lengths(rope, "alibi", false, 0, POSITIONS, &error));
    assert_false(picture_lengths(rope, "rop", false, 0, POSITIONS, &error));
    assert_false(picture_lengths(rope, "rope", false, PAIRS, POSITIONS, &error));
}

static void scores_depend_on_the_distance(void **state) {
    double vector[2 * PAIRS], factors[PAIRS];
    for (int c = 0; c < 2 * PAIRS; c++) vector[c] = 1 - 0.1 * c;
    picture_factors(factors, METHOD_YARN, 4, 64, 500, PAIRS);
    for (int t = 0; t < POSITIONS; t++) {
        double sum = 0; // of |x|^2 cos(t theta)
        for (int i = 0; i < PAIRS; i++)
            sum += (pow(vector[2 * i], 2) + pow(vector[2 * i + 1], 2)) *
                   cos(t * pow(500, -i / (double)PAIRS) / factors[i]);
        for (int n = 0; n < 50; n += 7)
            expect_near("score", (size_t)t, picture_score(vector, vector, factors, 500, PAIRS, n + t, n), sum, 1e-12);
    }
}

static void factors_are_those_of_the_methods(void **state) {
    double factors[PAIRS];
    expect_near("pi", 0, picture_factors(factors, METHOD_PI, 4, 64, 500, PAIRS), 1, 0);
    for (int i = 0; i < PAIRS; i++) expect_near("pi", (size_t)i, factors[i], 4, 0);
    expect_near("ntk", 0, picture_factors(factors, METHOD_NTK, 4, 64, 500, PAIRS), 1, 0);
    expect_near("ntk", 0, factors[0], 1, 1e-14);
    expect_near("ntk", PAIRS - 1, factors[PAIRS - 1], 4, 1e-14);
    expect_near("yarn", 0, picture_factors(factors, METHOD_YARN, 4, 64, 500, PAIRS), 0.1 * log(4) + 1, 1e-14);
    expect_near("yarn", PAIRS - 1, factors[PAIRS - 1], 4, 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_the_gradient_turned_back),
        cmocka_unit_test(rope_keeps_lengths_and_xpos_does_not),
        cmocka_unit_test(scores_depend_on_the_distance),
        cmocka_unit_test(factors_are_those_of_the_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
