// What the first screen of a report says of a ladder of settings.
#include "tests/lab/report/sections.h"

// With several contrasts, the first sentence on a ladder counts who gains along it.
static void gains_are_counted(void **state) {
    static const struct {
        double small[4], large[4]; // losses of sinusoidal, learned, alibi, fire
        const char *sentence;
    } cases[] = {
        {{3, 2.7, 3, 3},
         {3, 3.1, 3, 2.8},
         "in 1 of 2 comparisons (fire - alibi), the designed side in 1 (learned - sinusoidal)."},
        {{3, 3, 3, 3},
         {3, 3.2, 3, 0},
         "in 0 of 2 comparisons, the designed side in 1 (learned - sinusoidal); 1 is not resolved (fire - alibi)."},
        {{3, 3.5, 3, 3.4},
         {3, 3, 3, 3},
         "in 2 of 2 comparisons (learned - sinusoidal, fire - alibi), the designed side in 0."}};
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        make_plan("sinusoidal;learned;alibi;fire", "", "0.1M,1M", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            const double loss = (job.setting ? cases[n].large : cases[n].small)[job.arm];
            put_rising(&job, loss > 0 ? loss + 0.001 * job.arm * job.seed : 3 + 0.1 * (job.seed - 2), 0);
        }
        read_all(&outcome);
        char *text = section(report_answer, &outcome);
        expect_text(text, "- From 0.1M to 1M, the learned side gains ground ");
        expect_text(text, cases[n].sentence);
        expect_no_text(text, "in favour of");
        free(text);
        outcome_free(&outcome);
    }
}

// What cannot be judged, or was named late, is not counted, but told for itself.
static void changes_that_are_not_counted(void **state) {
    enum { DIVERGED, LATE, CASES };
    for (int n = 0; n < CASES; n++) {
        Outcome outcome;
        Error error;
        make_plan("sinusoidal;learned;alibi;fire", "", "0.1M,1M", "");
        plan->contrast_count = 0;
        must(plan_contrast(plan, "learned - sinusoidal", "2026-01-31T23:59:59Z", 0, &error), &error);
        must(plan_contrast(plan, "fire - alibi", "2026-01-31T23:59:59Z", n == LATE ? 6 : 0, &error), &error);
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3 + 0.1 * job.setting * job.arm + 0.001 * job.arm * job.seed, 0);
            if (n == DIVERGED && job.arm == 3 && job.setting == 0 && job.seed == 1)
                put(&job, MEASURED_HEADER "diverged,8,nan,1\n");
        }
        read_all(&outcome);
        char *text = section(report_answer, &outcome);
        expect_no_text(text, "gains ground");
        expect_text(text, "- From 0.1M to 1M, learned - sinusoidal moves by 0.1");
        expect_text(text, n == DIVERGED ? "; not known, because a run diverged: fire - alibi."
                                        : " in favour of alibi (exploratory).");
        free(text);
        outcome_free(&outcome);
    }
}

// What is said of a ladder is what happens between its settings, not one slope.
static void a_ladder_is_told_step_by_step(void **state) {
    static const struct {
        double gaps[3];
        const char *answer, *steps;
    } cases[] = {
        {{0.1, -0.4, -0.2},
         "From 0.1M to 1M, learned - sinusoidal moves by 0.30",
         "learned - sinusoidal: from 0.1M to 0.3M -0.499"},
        {{-0.4, 0.1, 0.1}, "From 0.1M to 1M, learned - sinusoidal moves by 0.50", "; from 0.3M to 1M -0.0010"},
        {{0.1, 0.1, 0.1}, "From 0.1M to 1M, no change of a difference is resolved.", "not resolved; from"},
    };
    for (size_t n = 0; n < COUNT(cases); n++) {
        Outcome outcome;
        make_plan("sinusoidal;learned", "", "0.1M,0.3M,1M", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            put_rising(&job, 3 + job.arm * (cases[n].gaps[job.setting] + 0.001 * job.seed * (1 + job.setting % 2)), 0);
        }
        read_all(&outcome);
        char *answer = section(report_answer, &outcome), *scale = section(report_scale, &outcome);
        expect_text(answer, cases[n].answer);
        expect_text(answer, "as compute grows?");
        if (n < 2) expect_text(answer, n == 0 ? ") in favour of learned." : ") in favour of sinusoidal.");
        expect_no_text(answer, "comparisons"); // one contrast is not counted
        expect_text(scale, cases[n].steps);
        expect_text(scale, "and from the first to the last; 3 intervals hold at once.");
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
        cmocka_unit_test_setup_teardown(gains_are_counted, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(changes_that_are_not_counted, begin_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_ladder_is_told_step_by_step, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
