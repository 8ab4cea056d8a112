// How LongRoPE's search saves time: it stops scoring hopeless candidates early, and never scores a candidate twice.
#include "tests/posenc/stretch/trial.h"

static void hopeless_candidates_are_given_up(void **state) {
    for (int seed = 0; seed < 3; seed++) {
        SearchOptions options = usual;
        options.seed = seed;
        options.abandon = 0;
        run_whole(&whole, &options, 0, 1);
        assert_int_equal(whole.search.abandoned, 0);
        assert_int_equal(whole.search.windows, WINDOWS * whole.search.evaluations);
        options.abandon = 0.03;
        run_whole(&other, &options, 0, 1);
        assert_true(other.search.abandoned > other.search.evaluations / 20);
        assert_true(other.search.windows < whole.search.windows - 2 * other.search.abandoned);
        assert_int_equal(other.search.evaluations, whole.search.evaluations);
        // Here windows differ by the same for all candidates, so that one window tells all.
        assert_true(candidates_equal(&usual_space, &search_best(&whole.search)->candidate,
                                     &search_best(&other.search)->candidate));
        search_end(&other.search);
        run_whole(&other, &options, 0.05, 1);
        assert_true(found(&other) < found(&whole) + 0.05);
        assert_true(other.search.windows < whole.search.windows);
        search_end(&other.search);
        search_end(&whole.search);
    }
}

static bool evaluated_before(const Trial *trial, int n) {
    for (int m = 0; m < n; m++)
        if (candidates_equal(&trial->search.space, &trial->evaluated[m].candidate, &trial->evaluated[n].candidate))
            return true;
    return false;
}

// There are 4 + 3 + 2 + 1 rising pairs of steps, with two choices of n_hat: one seed, and all others are found.
static void known_candidates_are_not_scored_again(void **state) {
    const SearchSpace small = {.pairs = 2, .step = 0.01, .most = 3, .unscaled_count = 2};
    for (int remember = 0; remember <= 1; remember++) {
        SearchOptions options = usual;
        options.forget = !remember;
        options.abandon = 0;
        trial_begin(&whole, &small, &options);
        trial_run(&whole);
        int again = 0;
        for (int n = 0; n < whole.count; n++) again += evaluated_before(&whole, n);
        assert_int_equal(whole.count, remember ? 20 : search_budget(&options));
        assert_true((again == 0) == remember);
        assert_true((whole.search.known > 0) == remember);
        assert_int_equal(whole.search.evaluations, whole.count);
        assert_int_equal(whole.scored, (long long)WINDOWS * whole.count);
        search_end(&whole.search);
    }
    run_whole(&whole, &usual, 0, 1);
    for (int n = 0; n < whole.count; n++) assert_false(evaluated_before(&whole, n));
    search_end(&whole.search);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hopeless_candidates_are_given_up),
        cmocka_unit_test(known_candidates_are_not_scored_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
