// The pace of schemes: schemes whose speeds differ by noise alone get the same steps, others get as many as fit into
// the time.
#include "lab/compare/pace.h"
#include "tests/support/support.h"

static Speed speed_of(const double *rounds, int count) {
    Speed speed = {{0}};
    for (int i = 0; i < count; i++) speed_add(&speed, rounds[i]);
    return speed;
}

static void the_fastest_rounds_count(void **state) {
    static const double orders[][5] = {{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {3, 5, 1, 4, 2}, {4, 3, 5, 1, 2}};
    for (size_t i = 0; i < COUNT(orders); i++) {
        const Speed speed = speed_of(orders[i], 5);
        for (int r = 0; r < SPEED_ROUNDS; r++) assert_true(speed.rounds[r] == 5 - r);
    }
    const Speed equal = speed_of((const double[]){7, 7, 7}, 3);
    assert_true(equal.rounds[0] == 7 && equal.rounds[SPEED_ROUNDS - 1] == 7);
}

static void noise_is_what_rounds_differ_by(void **state) {
    const Speed steady = speed_of((const double[]){1000, 1000, 999}, 3),
                noisy = speed_of((const double[]){800, 1000, 900}, 3);
    expect_near("steady", 0, speed_noise(&steady, &steady), SPEED_NOISE, 1e-12);
    expect_near("one is noisy", 0, speed_noise(&steady, &noisy), 0.2, 1e-12);
    expect_near("the other one", 0, speed_noise(&noisy, &steady), 0.2, 1e-12);
}

static void steps_fit_into_the_time(void **state) {
    static const struct {
        double rounds[3];
        long long steps;
    } cases[] = {{{1000, 1000, 1000}, 400}, {{1029, 1029, 1029}, 400}, {{971, 971, 971}, 400},
                 {{1031, 1031, 1031}, 412}, {{969, 969, 969}, 388},    {{500, 500, 500}, 200},
                 {{900, 860, 800}, 400},    {{800, 790, 780}, 320},    {{3000, 3000, 3000}, 1200},
                 {{0.001, 0.001, 0.001}, 1}};
    const Speed reference = speed_of((const double[]){1000, 995, 990}, 3);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Speed speed = speed_of(cases[i].rounds, 3);
        assert_int_equal(speed_steps(400, &speed, &reference), cases[i].steps);
        assert_int_equal(speed_same(&speed, &reference), cases[i].steps == 400);
    }
}

// Everything is timed, or it is not known; one scheme alone needs no time.
static void all_or_nothing_is_known(void **state) {
    static Plan plan;
    plan = (Plan){.arm_count = 2, .setting_count = 2};
    assert_false(pace_known(&plan));
    for (int timed = 0; timed < 4; timed++) {
        assert_false(pace_known(&plan));
        speed_add(&plan.arms[timed / 2].speeds[timed % 2], 1000);
    }
    assert_true(pace_known(&plan));
    plan = (Plan){.arm_count = 1, .setting_count = 2};
    assert_true(pace_known(&plan));
    const Speed none = {{0}}, speed = speed_of((const double[]){800, 1000, 900}, 3);
    assert_true(isnan(speed_seconds(&none)) && isnan(speed_spread(&none)));
    expect_near("seconds", 0, speed_seconds(&speed), 1e-3, 1e-12);
    expect_near("spread", 0, speed_spread(&speed), 0.2, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_rounds_count),
        cmocka_unit_test(noise_is_what_rounds_differ_by),
        cmocka_unit_test(steps_fit_into_the_time),
        cmocka_unit_test(all_or_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
