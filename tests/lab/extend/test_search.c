// LongRoPE's search finds what the released search finds, and always the same, however many threads score.
#include "lab/extend/search.h"
#include "tests/support/scene.h"

#include <omp.h>

enum { PAIRS = 16, WINDOWS = 4, THREADS = 2, MOST = 64 + 10 * (16 + 16) };

static const SearchSpace usual_space = {.pairs = PAIRS, .step = 0.01, .most = 800, .unscaled_count = 1};
static const SearchOptions usual = {.population = 64, .generations = 10, .windows = WINDOWS, .seed = 1};

// A search, and a record of what it did.
typedef struct {
    Search search;
    double noise;      // of losses, by candidate and window
    int poor;          // of four candidates, those whose losses are no numbers
    long long cut_off; // the window after which the search shall stop; 0 = none
    long long scored;  // windows
    int mistakes;      // a thread cannot end the test itself
    double best;
    int count;
    Evaluated evaluated[MOST]; // (count) in the order in which they came
    Stop stop;
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

// The fitness, plus a term common to all losses of a window, which adds up to zero.
static double score(void *context, int worker, const Candidate *candidate, int window) {
    static const double offsets[WINDOWS] = {0.3, -0.1, -0.4, 0.2};
    Trial *trial = context;
    uint64_t key = (uint64_t)window;
    for (int i = 0; i < trial->search.space.pairs; i++) key = random_bits(key, (uint64_t)candidate->steps[i]);
    const double loss = candidate_fitness(&trial->search.space, candidate) + offsets[window] +
                        trial->noise * (random_uniform(key, 0) - 0.5);
#pragma omp atomic
    trial->scored++;
    return candidate->steps[PAIRS - 1] % 4 < trial->poor ? NAN : loss;
}

static bool cut_off(const void *context) {
    const Trial *trial = context;
    return trial->cut_off > 0 && trial->scored >= trial->cut_off;
}

// Scoring of a candidate stops after the first window at which it is worse than the worst parent by 0.03 / sqrt(n), and
// no later.
static bool well_judged(const Search *search, const Evaluated *e) {
    const SearchOptions *o = &search->options;
    const Evaluated *bar = search_member(search, (int)(o->population / 2) - 1);
    double worse = 0;
    if (!bar) return e->scored == o->windows;
    for (int n = 1; n <= e->scored && n < o->windows; n++) {
        worse += e->scores[n - 1] - bar->scores[n - 1];
        const bool hopeless = !(worse / n <= SEARCH_ABANDON / sqrt(n));
        if (hopeless != (n == e->scored)) return false;
    }
    return e->scored > 0;
}

static void record(void *context, const Search *search, const Evaluated *e) {
    Trial *trial = context;
    const Evaluated *best = search_member(search, 0);
    const double loss = best ? evaluated_mean(best) : INFINITY;
    trial->mistakes += !well_judged(search, e) || !(loss <= trial->best);
    trial->mistakes += search->generation > search->options.generations ||
                       (search->generation > 0 && search->member_count > search->options.population / 2);
    trial->best = loss;
    trial->evaluated[trial->count++] = *e;
}

static void trial_begin(Trial *trial, const SearchSpace *space, const SearchOptions *options) {
    static const Trial fresh;
    const SearchHooks hooks = {trial, score, record, &trial->stop};
    *trial = fresh;
    trial->stop = (Stop){cut_off, trial, ""};
    trial->best = INFINITY;
    assert_true(search_begin(&trial->search, space, options, &hooks));
}

// The starting point of the released search.
static const Stretch start = {.factors = {1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8}};

static void trial_run(Trial *trial) {
    const Candidate seed = candidate_of(&trial->search.space, &start);
    search_run(&trial->search, &seed, 1);
    assert_int_equal(trial->mistakes, 0);
}

static void run_whole(Trial *trial, const SearchOptions *options, double noise, int threads) {
    trial_begin(trial, &usual_space, options);
    trial->noise = noise;
    omp_set_num_threads(threads);
    trial_run(trial);
    omp_set_num_threads(1);
}

static double found(const Trial *trial) {
    return candidate_fitness(&trial->search.space, &search_member(&trial->search, 0)->candidate);
}

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
        assert_false(candidates_equal(&search_member(&whole.search, 0)->candidate, &before));
        before = search_member(&whole.search, 0)->candidate;
        expect_near("loss", 0, evaluated_mean(search_member(&whole.search, 0)), found(&whole), 1e-12);
        search_end(&whole.search);
    }
    json_decref(root);
}

// The search starts from PI, whose neighbours all have the same loss.
static void it_leaves_a_flat_start(void **state) {
    Candidate pi = {0};
    for (int i = 0; i < PAIRS; i++) pi.steps[i] = 700;
    trial_begin(&whole, &usual_space, &usual);
    search_run(&whole.search, &pi, 1);
    assert_true(found(&whole) < 1.05);
    search_end(&whole.search);
}

// --- the same result, however the search is run ---
static void expect_same(const Search *a, const Search *b) {
    assert_int_equal(a->evaluations, b->evaluations);
    assert_true(a->archived == b->archived && a->member_count == b->member_count);
    for (int m = 0; m < a->member_count; m++) {
        assert_true(candidates_equal(&search_member(a, m)->candidate, &search_member(b, m)->candidate));
        assert_memory_equal(search_member(a, m)->scores, search_member(b, m)->scores,
                            (size_t)a->options.windows * sizeof(double));
    }
}

// Candidates whose scoring has begun are scored to the end, and no others.
static void it_stops_when_asked(void **state) {
    run_whole(&whole, &usual, 0.2, 1);
    for (int after = 1; after <= 300; after += 50) {
        trial_begin(&other, &usual_space, &usual);
        other.noise = whole.noise;
        other.cut_off = after;
        trial_run(&other);
        assert_true(other.count < whole.count && other.scored >= after && other.scored < after + 32 * WINDOWS);
        for (int n = 0; n < other.count; n++)
            assert_memory_equal(other.evaluated[n].scores, whole.evaluated[n].scores,
                                (size_t)whole.evaluated[n].scored * sizeof(double));
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

// --- losses that are not finite ---
static void a_loss_that_is_no_number_is_never_the_best(void **state) {
    for (int way = 0; way < 2; way++) {
        SearchOptions options = usual;
        options.windows = way ? 1 : WINDOWS;
        trial_begin(&whole, &usual_space, &options);
        whole.poor = 3;
        trial_run(&whole);
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
        assert_null(search_member(&whole.search, 0));
        assert_int_equal(whole.count, options.population);
        search_end(&whole.search);
    }
}

// There are 4 + 3 + 2 + 1 rising pairs of steps, with two choices of n_hat: from one seed, the search finds all others.
static void known_candidates_are_not_scored_again(void **state) {
    const SearchSpace small = {.pairs = 2, .step = 0.01, .most = 3, .unscaled_count = 2};
    trial_begin(&whole, &small, &usual);
    trial_run(&whole);
    assert_int_equal(whole.count, 20);
    for (int n = 0; n < whole.count; n++)
        for (int m = 0; m < n; m++)
            assert_false(candidates_equal(&whole.evaluated[m].candidate, &whole.evaluated[n].candidate));
    search_end(&whole.search);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_what_the_released_search_finds),
        cmocka_unit_test(it_leaves_a_flat_start),
        cmocka_unit_test(it_stops_when_asked),
        cmocka_unit_test(known_candidates_are_not_scored_again),
        cmocka_unit_test(it_is_the_same_with_two_threads),
        cmocka_unit_test(a_loss_that_is_no_number_is_never_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
