// LongRoPE's search with a formula for a loss instead of a model: it finds what the released search finds, and the same
// whether it was interrupted or not, however many threads score, and with or without its shortcuts.
#include "posenc/stretch/search.h"
#include "tests/support/scene.h"

#include <omp.h>
#include <sched.h>

enum { PAIRS = 16, WINDOWS = 4, THREADS = 2, MOST = 64 + 10 * (16 + 16) };

static const SearchSpace usual_space = {.pairs = PAIRS, .step = 0.01, .most = 800, .unscaled = 1};
static const SearchOptions usual = {.population = 64,
                                    .parents = 32,
                                    .mutations = 16,
                                    .crossovers = 16,
                                    .generations = 10,
                                    .probability = 0.3,
                                    .far = 0.3,
                                    .windows = WINDOWS,
                                    .abandon = 0.03,
                                    .remember = true,
                                    .side_by_side = true,
                                    .seed = 1};

// A search, and what it did.
typedef struct {
    Search search;
    double noise;                 // of losses, by candidate and window
    int poor;                     // of four candidates, those whose losses are no numbers
    int stop_after;               // evaluations; 0 = when done
    long long cut_off;            // the window after which scoring says stop; 0 = none
    long long scored;             // windows
    int busy[THREADS], recording; // who is at work
    int mistakes;                 // a thread cannot end the test itself
    double best;
    int count;
    Evaluated evaluated[MOST]; // (count) in the order in which they came
    bool complete;
} Trial;

static Trial whole, other; // large

// exp(0.2 mean (f - target)^2), the synthetic fitness of longrope_ga_behaviour.json; its target is 1 + 7 (i/15)^2.
static double fitness(const double *factors, int pairs) {
    double sum = 0;
    for (int i = 0; i < pairs; i++) {
        const double target = 1 + 7 * (i / 15.0) * (i / 15.0);
        sum += (factors[i] - target) * (factors[i] - target);
    }
    return exp(0.2 * sum / pairs);
}

static double candidate_fitness(const SearchSpace *space, const Candidate *candidate) {
    Stretch stretch;
    candidate_stretch(&stretch, space, candidate);
    return fitness(stretch.factors, space->pairs);
}

// The fitness, and what the losses of a window have in common, which adds up to nothing.
static bool score(double *value, void *context, int worker, const Candidate *candidate, int window) {
    static const double offsets[WINDOWS] = {0.3, -0.1, -0.4, 0.2};
    Trial *trial = context;
    const bool all_cores = trial->search.options.side_by_side || !omp_in_parallel();
    int others;
#pragma omp atomic capture
    others = trial->busy[worker]++;
    uint64_t key = (uint64_t)window;
    for (int i = 0; i < trial->search.space.pairs; i++) key = random_bits(key, (uint64_t)candidate->steps[i]);
    const double loss = candidate_fitness(&trial->search.space, candidate) + offsets[window] +
                        trial->noise * (random_uniform(key, 0) - 0.5);
#pragma omp critical(trial)
    {
        trial->scored++;
        trial->mistakes += others > 0 || !all_cores; // a worker has one candidate at a time
    }
#pragma omp atomic
    trial->busy[worker]--;
    *value = candidate->steps[PAIRS - 1] % 4 < trial->poor ? NAN : loss;
    return trial->cut_off == 0 || trial->scored < trial->cut_off;
}

// A candidate is given up after the first window at which it is worse than the worst parent by abandon / sqrt(n), and
// no later.
static bool well_judged(const Search *search, const Evaluated *e) {
    const SearchOptions *o = &search->options;
    const Evaluated *bar = search->member_count >= o->parents ? &search->members[o->parents - 1] : NULL;
    double worse = 0;
    if (!bar || o->abandon == 0) return e->scored == o->windows;
    for (int n = 1; n <= e->scored && n < o->windows; n++) {
        worse += e->scores[n - 1] - bar->scores[n - 1];
        const bool hopeless = !(worse / n <= o->abandon / sqrt(n));
        if (hopeless != (n == e->scored)) return false;
    }
    return e->scored > 0;
}

static bool record(void *context, const Search *search, const Evaluated *e) {
    Trial *trial = context;
    const Evaluated *best = search_best(search);
    const double loss = best ? evaluated_mean(best) : INFINITY;
    int others;
#pragma omp atomic capture
    others = trial->recording++;
    sched_yield(); // another thread may try to come in
    trial->mistakes += others > 0 || !well_judged(search, e) || e->recalled || !(loss <= trial->best);
    trial->mistakes += search->generation > search->options.generations ||
                       (search->generation > 0 && search->member_count > search->options.parents);
    trial->best = loss;
    trial->evaluated[trial->count++] = *e;
#pragma omp atomic
    trial->recording--;
    return trial->stop_after == 0 || trial->count < trial->stop_after;
}

static void trial_begin(Trial *trial, const SearchSpace *space, const SearchOptions *options) {
    static const Trial fresh;
    const SearchHooks hooks = {trial, score, record};
    *trial = fresh;
    trial->best = INFINITY;
    trial->search = search_begin(space, options, &hooks);
}

// Where the released search started.
static const Stretch start = {.factors = {1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8}};

static void trial_run(Trial *trial) {
    const Candidate seed = candidate_of(&trial->search.space, &start);
    trial->complete = search_run(&trial->search, &seed, 1);
    assert_int_equal(trial->mistakes, 0);
}

static void run_whole(Trial *trial, const SearchOptions *options, double noise, int threads) {
    trial_begin(trial, &usual_space, options);
    trial->noise = noise;
    omp_set_num_threads(threads);
    trial_run(trial);
    omp_set_num_threads(1);
    assert_true(trial->complete);
}

static double found(const Trial *trial) {
    return candidate_fitness(&trial->search.space, &search_best(&trial->search)->candidate);
}

// --- what is found ---
static void it_finds_what_the_released_search_finds(void **state) {
    (void)state;
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
        options.seed = (uint64_t)seed;
        run_whole(&whole, &options, 0, 1);
        assert_int_equal(whole.search.evaluations, search_budget(&usual));
        assert_true(found(&whole) < least);
        assert_false(candidates_equal(&usual_space, &search_best(&whole.search)->candidate, &before));
        before = search_best(&whole.search)->candidate;
        expect_near("loss", 0, evaluated_mean(search_best(&whole.search)), found(&whole), 1e-12);
        search_end(&whole.search);
        // With the published operators alone it gets more than half the way.
        options.far = 0;
        run_whole(&whole, &options, 0, 1);
        assert_true(found(&whole) < (1 + fitness(start.factors, PAIRS)) / 2);
        search_end(&whole.search);
    }
    json_decref(root);
}

// From PI, whose neighbours are all equal.
static void a_flat_start_needs_leaps(void **state) {
    (void)state;
    double reached[2];
    for (int far = 0; far <= 1; far++) {
        SearchOptions options = usual;
        Candidate pi = {0};
        for (int i = 0; i < PAIRS; i++) pi.steps[i] = 700;
        options.far = 0.3 * far;
        trial_begin(&whole, &usual_space, &options);
        assert_true(search_run(&whole.search, &pi, 1));
        reached[far] = found(&whole);
        search_end(&whole.search);
    }
    assert_true(reached[1] < 1.05 && reached[0] > 2);
}

static void seeds_come_first(void **state) {
    (void)state;
    Candidate seeds[] = {{.steps = {5}}, {.steps = {7}}, {.steps = {5}}, {.steps = {9}}};
    for (int s = 0; s < 4; s++)
        for (int i = 1; i < PAIRS; i++) seeds[s].steps[i] = 300;
    SearchOptions options = usual;
    options.population = 4;
    options.generations = 0;
    trial_begin(&whole, &usual_space, &options);
    assert_true(search_run(&whole.search, seeds, 4));
    assert_int_equal(whole.count, 3); // the third is the first
    for (int n = 0; n < 3; n++)
        assert_true(candidates_equal(&usual_space, &whole.evaluated[n].candidate, &seeds[n == 2 ? 3 : n]));
    assert_int_equal(whole.search.known, 1);
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
        assert_true(candidates_equal(&a->space, &a->members[m].candidate, &b->members[m].candidate));
        assert_memory_equal(a->members[m].scores, b->members[m].scores, (size_t)a->options.windows * sizeof(double));
    }
}

// What is cut off within a window is forgotten, wherever that is.
static void it_stops_within_a_candidate(void **state) {
    (void)state;
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
    (void)state;
    for (int side_by_side = 0; side_by_side <= 1; side_by_side++) {
        SearchOptions options = usual;
        options.side_by_side = side_by_side;
        run_whole(&whole, &options, 0.2, 1);
        run_whole(&other, &options, 0.2, THREADS);
        expect_same(&whole.search, &other.search);
        assert_int_equal(other.scored, whole.scored);
        search_end(&whole.search);
        search_end(&other.search);
    }
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
    (void)state;
    static const int evaluations[] = {0, 1, 15, 16, 17, 63, 64, 65, 100, 200, 383, 384};
    for (int threads = 1; threads <= THREADS; threads++) {
        SearchOptions options = usual;
        options.abandon = threads == 1 ? usual.abandon : 0;
        run_whole(&whole, &options, 0.2, threads);
        for (size_t n = 0; n < COUNT(evaluations); n++) resume(evaluations[n]);
        search_end(&whole.search);
    }
}

// A hook stops it, again and again; what it has found out is handed on.
static void a_hook_stops_it(void **state) {
    (void)state;
    run_whole(&whole, &usual, 0, 1);
    static Evaluated known[MOST];
    int count = 0, rounds = 0;
    for (int threads = 1; count < whole.count; threads = 3 - threads, rounds++) {
        omp_set_num_threads(threads);
        trial_begin(&other, &usual_space, &usual);
        other.stop_after = 47;
        for (int n = 0; n < count; n++) search_recall(&other.search, &known[n]);
        trial_run(&other);
        if (!other.complete) assert_int_equal(other.count, 47);
        memcpy(known + count, other.evaluated, (size_t)other.count * sizeof *known);
        count += other.count;
        if (other.complete) expect_same(&whole.search, &other.search);
        assert_true(other.complete == (count == whole.count));
        search_end(&other.search);
    }
    omp_set_num_threads(1);
    assert_int_equal(rounds, 9);
    search_end(&whole.search);
}

// --- shortcuts ---
static void hopeless_candidates_are_given_up(void **state) {
    (void)state;
    for (int seed = 0; seed < 3; seed++) {
        SearchOptions options = usual;
        options.seed = (uint64_t)seed;
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
    (void)state;
    const SearchSpace small = {.pairs = 2, .step = 0.01, .most = 3, .unscaled = 2};
    for (int remember = 0; remember <= 1; remember++) {
        SearchOptions options = usual;
        options.remember = remember;
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

// --- what is no number ---
static void a_loss_that_is_no_number_is_never_the_best(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        SearchOptions options = usual;
        options.windows = way % 2 ? 1 : WINDOWS;
        options.abandon = way / 2 ? 0.03 : 0;
        trial_begin(&whole, &usual_space, &options);
        whole.poor = 3;
        trial_run(&whole);
        assert_true(whole.complete);
        double least = INFINITY;
        for (int n = 0; n < whole.count; n++)
            if (whole.evaluated[n].scored == options.windows)
                least = fmin(least, evaluated_mean(&whole.evaluated[n])); // fmin passes over NaN
        assert_true(evaluated_mean(search_best(&whole.search)) == least);
        assert_true(found(&whole) < 1.2);
        search_end(&whole.search);
        trial_begin(&whole, &usual_space, &options);
        whole.poor = 4;
        trial_run(&whole);
        assert_true(whole.complete);
        assert_null(search_best(&whole.search));
        assert_int_equal(whole.count, options.population);
        search_end(&whole.search);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_what_the_released_search_finds),
        cmocka_unit_test(a_flat_start_needs_leaps),
        cmocka_unit_test(seeds_come_first),
        cmocka_unit_test(it_stops_within_a_candidate),
        cmocka_unit_test(it_is_the_same_with_two_threads),
        cmocka_unit_test(it_goes_on_where_it_was_stopped),
        cmocka_unit_test(a_hook_stops_it),
        cmocka_unit_test(hopeless_candidates_are_given_up),
        cmocka_unit_test(known_candidates_are_not_scored_again),
        cmocka_unit_test(a_loss_that_is_no_number_is_never_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
