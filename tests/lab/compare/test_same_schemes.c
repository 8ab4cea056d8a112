// The same scheme under two names, trained in earnest with seeds of their own: it differs from itself as rarely as
// chance has it.
#include "lab/compare/differences.h"
#include "tests/lab/compare/workers.h"

enum { PAIRS = 20, FALSE_MOST = 3 }; // more than 3 of 20 at p < 0.05 have a probability of 1.6%

static void a_scheme_does_not_differ_from_itself(void **state) {
    char words[2 * PAIRS][16], *list[2 * PAIRS];
    Outcome outcome;
    Differences all;
    Error error;
    for (int arm = 0; arm < 2 * PAIRS; arm++) {
        sprintf(words[arm], "x%d=rope", arm);
        list[arm] = words[arm];
    }
    begin(plan);
    plan->unpaired = true;
    plan->seeds = 3;
    tiny_runs("builtin:tales:bytes=20000", 20);
    must(plan_arms(plan, list, 2 * PAIRS, "", &error) && plan_rates(plan, "", &error) &&
             set_sizes(plan, "", "", &error),
         &error);
    begin_work();
    work_all();
    read_all(&outcome);
    assert_int_equal(outcome.seeds, plan->seeds);
    must(outcome_differences(&all, &outcome, &error), &error);
    int called = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        Difference difference;
        assert_true(differences_find(&difference, &all, 0, 2 * pair + 1, 2 * pair));
        assert_true(difference.gap.sd > 0); // they are not the same runs
        called += difference.gap.p < 0.05;
    }
    assert_in_range(called, 0, FALSE_MOST);
    differences_free(&all);
    outcome_free(&outcome);
    end_work();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_scheme_does_not_differ_from_itself, begin_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
