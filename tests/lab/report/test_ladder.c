// What the first screen of a report says of a ladder of settings.
#include "tests/lab/report/sections.h"

// What is said of a ladder is what happens between its settings, not one slope.
static void a_ladder_is_told_step_by_step(void **state) {
    static const struct {
        double gaps[3];
        const char *answer, *steps;
    } cases[] = {
        {{0.1, -0.4, -0.2},
         "Change from 0.1M to 1M: learned - sinusoidal moves by 0.30",
         "learned - sinusoidal: from 0.1M to 0.3M -0.499"},
        {{-0.4, 0.1, 0.1}, "Change from 0.1M to 1M: learned - sinusoidal moves by 0.50", "; from 0.3M to 1M -0.0010"},
        {{0.1, 0.1, 0.1}, "Change from 0.1M to 1M: not resolved: learned - sinusoidal.", "not resolved; from"},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        make_plan("sinusoidal;learned", "", "0.1M,0.3M,1M", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3 + job.variant * (cases[n].gaps[job.setting] + 0.001 * job.seed * (1 + job.setting % 2)),
                       0);
        }
        read_all(&outcome);
        char *answer = section(report_answer, &outcome), *scale = section(report_scale, &outcome);
        expect_text(answer, cases[n].answer);
        if (n < 2) expect_text(answer, n == 0 ? ") in favour of learned." : ") in favour of sinusoidal.");
        expect_text(scale, cases[n].steps);
        expect_text(scale, "the intervals are corrected for all 3 changes.");
        if (n == 0) expect_text(scale, "in favour of learned; from 0.3M to 1M +0.199");
        if (n == 0) expect_text(scale, "in favour of sinusoidal; in all, from 0.1M to 1M -0.30");
        if (n == 2) expect_no_text(scale, "favour");
        free(answer);
        free(scale);
        outcome_free(&outcome);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_ladder_is_told_step_by_step, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
