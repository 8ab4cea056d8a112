// Time never steps back, whatever the system's clock does; this test replaces the clock.
#include "base/progress.h"
#include "tests/support/support.h"

#include <time.h>

static long long now; // seconds

int clock_gettime(clockid_t clock, struct timespec *time) {
    *time = (struct timespec){.tv_sec = (time_t)now};
    return 0;
}

static void time_goes_forward_where_the_clock_steps_back(void **state) {
    now = 1000;
    const double first = clock_seconds();
    now = 1010;
    const double second = clock_seconds();
    expect_near("forward", 0, second - first, 10, 1e-9);
    now = 5; // a machine that was restored
    const double third = clock_seconds();
    assert_true(third > second && third < second + 1);
    now = 25;
    const double fourth = clock_seconds();
    expect_near("forward again", 0, fourth - third, 20, 1e-9);
    now = 24;
    assert_true(clock_seconds() > fourth);
    assert_true(clock_seconds() < fourth + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_goes_forward_where_the_clock_steps_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
