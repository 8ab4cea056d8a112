// LongRoPE's search: it finds what the released search finds, and always the same, whether it was interrupted or not
// and however many threads score.
#include "tests/lab/extend/trial.h"

// --- what is found ---
static void it_finds_what_the_released_search_finds(void **state) {
    json_t *root = golden("longrope_ga_behaviour");
    const json_t *runs = json_object_get(root, "runs"), *run;
    double least = INFINITY;
    size_t n;
    json_array_foreach(runs, n, run) {
        double final[PAIRS];
        const double fit = json_number_value(json_object_get(run, "final_fit"));
        for (size_t i = 0; i < PAIRS; i++) {
            final[i] = number_at(json_object_get(run, "final"), i);
            assert_true(number_at(json_object_get(run, "init"), i) == start.factors[i]);
        }
        expect_near("final_fit", n, fitness(final, PAIRS), fit, 1e-12);
        expect_near("init_fit", n, fitness(start.factors, PAIRS), json_number_value(json_object_get(run, "init_fit")),
                    1e-12);
        assert_int_equal(json_integer_value(json_object_get(run, "evals")), search_budget(&usual));
        if (strcmp(json_string_value(json_object_get(run, "algorithm")), "dim_mono") == 0) least = fmin(least, fit);
    }
    assert_true(least < 1.2);
    Candidate before = {0};
    for (int seed = 0; seed < 5; seed++) {
        SearchOptions options = usual;
        options.seed = seed;
        run_whole(&whole, &options, 0, 1);
        assert_int_equal(whole.search.evaluations, search_budget(&usual));
        assert_true(found(&whole) < least);
        assert_false(candidates_equal(&usual_space, &search_member(&whole.search, 0)->candidate, &before));
        before = search_member(&whole.search, 0)->candidate;
        expect_near("loss", 0, evaluated_mean(search_member(&whole.search, 0)), found(&whole), 1e-12);
        search_end(&whole.search);
    }
    json_decref(root);
}

// From PI, whose neighbours are all equal.
static void it_leaves_a_flat_start(void **state) {
    Candidate pi = {0};
    for (int i = 0; i < PAIRS; i++) pi.steps[i] = 700;
    trial_begin(&whole, &usual_space, &usual);
    assert_true(search_run(&whole.search, &pi, 1));
    assert_true(found(&whole) < 1.05);
    search_end(&whole.search);
}

// --- the same, however it is run ---
static void expect_same(const Search *a, const Search *b) {
    assert_int_equal(a->evaluations, b->evaluations);
    assert_int_equal(a->windows, b->windows);
    assert_int_equal(a->abandoned, b->abandoned);
    assert_int_equal(a->known, b->known);
    assert_true(a->archived == b->archived && a->member_count == b->member_count);
    for (int m = 0; m < a->member_count; m++) {
        assert_true(candidates_equal(&a->space, &search_member(a, m)->candidate, &search_member(b, m)->candidate));
        assert_memory_equal(search_member(a, m)->scores, search_member(b, m)->scores,
                            (size_t)a->options.windows * sizeof(double));
    }
}

// What is cut off within a window is forgotten, wherever that is.
static void it_stops_within_a_candidate(void **state) {
    run_whole(&whole, &usual, 0.2, 1);
    for (int cut_off = 1; cut_off <= 50; cut_off += 7) {
        trial_begin(&other, &usual_space, &usual);
        other.noise = whole.noise;
        other.cut_off = cut_off;
        trial_run(&other);
        assert_false(other.complete);
        assert_int_equal(other.scored, cut_off);
        long long windows = 0;
        for (int n = 0; n < other.count; n++) {
            assert_int_equal(other.evaluated[n].scored, whole.evaluated[n].scored);
            assert_memory_equal(other.evaluated[n].scores, whole.evaluated[n].scores,
                                (size_t)whole.evaluated[n].scored * sizeof(double));
            windows += other.evaluated[n].scored;
        }
        assert_true(windows < cut_off && windows + WINDOWS >= cut_off);
        search_end(&other.search);
    }
    search_end(&whole.search);
}

static void it_is_the_same_with_two_threads(void **state) {
    run_whole(&whole, &usual, 0.2, 1);
    run_whole(&other, &usual, 0.2, THREADS);
    expect_same(&whole.search, &other.search);
    assert_int_equal(other.scored, whole.scored);
    search_end(&whole.search);
    search_end(&other.search);
}

// After this many evaluations of the whole search, go on from what they were.
static void resume(int evaluations) {
    trial_begin(&other, &usual_space, &whole.search.options);
    other.noise = whole.noise;
    long long known_windows = 0;
    for (int n = 0; n < evaluations; n++) {
        search_recall(&other.search, &whole.evaluated[n]);
        known_windows += whole.evaluated[n].scored;
    }
    trial_run(&other);
    expect_same(&whole.search, &other.search);
    assert_int_equal(other.count, whole.count - evaluations);
    assert_int_equal(other.scored, whole.scored - known_windows);
    for (int n = 0; n < other.count; n++) // nothing is scored again
        for (int m = 0; m < evaluations; m++)
            assert_false(candidates_equal(&usual_space, &other.evaluated[n].candidate, &whole.evaluated[m].candidate));
    search_end(&other.search);
}

static void it_goes_on_where_it_was_stopped(void **state) {
    static const int evaluations[] = {0, 1, 15, 16, 17, 63, 64, 65, 100, 200, 383, 384};
    for (int threads = 1; threads <= THREADS; threads++) {
        run_whole(&whole, &usual, 0.2, threads);
        for (size_t n = 0; n < COUNT(evaluations); n++) resume(evaluations[n]);
        search_end(&whole.search);
    }
}

// --- what is no number ---
static void a_loss_that_is_no_number_is_never_the_best(void **state) {
    for (int way = 0; way < 2; way++) {
        SearchOptions options = usual;
        options.windows = way ? 1 : WINDOWS;
        trial_begin(&whole, &usual_space, &options);
        whole.poor = 3;
        trial_run(&whole);
        assert_true(whole.complete);
        double least = INFINITY;
        for (int n = 0; n < whole.count; n++)
            if (whole.evaluated[n].scored == options.windows)
                least = fmin(least, evaluated_mean(&whole.evaluated[n])); // fmin passes over NaN
        assert_true(evaluated_mean(search_member(&whole.search, 0)) == least);
        assert_true(found(&whole) < 1.2);
        search_end(&whole.search);
        trial_begin(&whole, &usual_space, &options);
        whole.poor = 4;
        trial_run(&whole);
        assert_true(whole.complete);
        assert_null(search_member(&whole.search, 0));
        assert_int_equal(whole.count, options.population);
        search_end(&whole.search);
    }
}

// There are 4 + 3 + 2 + 1 rising pairs of steps, with two choices of n_hat: one seed, and all others are found.
static void known_candidates_are_not_scored_again(void **state) {
    const SearchSpace small = {.pairs = 2, .step = 0.01, .most = 3, .unscaled_count = 2};
    trial_begin(&whole, &small, &usual);
    trial_run(&whole);
    assert_int_equal(whole.count, 20);
    assert_true(whole.search.known > 0);
    for (int n = 0; n < whole.count; n++)
        for (int m = 0; m < n; m++)
            assert_false(candidates_equal(&small, &whole.evaluated[m].candidate, &whole.evaluated[n].candidate));
    search_end(&whole.search);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_what_the_released_search_finds),
        cmocka_unit_test(it_leaves_a_flat_start),
        cmocka_unit_test(it_stops_within_a_candidate),
        cmocka_unit_test(known_candidates_are_not_scored_again),
        cmocka_unit_test(it_is_the_same_with_two_threads),
        cmocka_unit_test(it_goes_on_where_it_was_stopped),
        cmocka_unit_test(a_loss_that_is_no_number_is_never_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
