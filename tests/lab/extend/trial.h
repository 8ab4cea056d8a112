// LongRoPE's search with a formula for a loss instead of a model.
#ifndef BITTER_TRIAL_H
#define BITTER_TRIAL_H

#include "lab/extend/search.h"
#include "tests/support/scene.h"

#include <omp.h>
#include <sched.h>

enum { PAIRS = 16, WINDOWS = 4, THREADS = 2, MOST = 64 + 10 * (16 + 16) };

static const SearchSpace usual_space = {.pairs = PAIRS, .step = 0.01, .most = 800, .unscaled_count = 1};
static const SearchOptions usual = {.population = 64, .generations = 10, .windows = WINDOWS, .seed = 1};

// A search, and what it did.
typedef struct {
    Search search;
    double noise;                 // of losses, by candidate and window
    int poor;                     // of four candidates, those whose losses are no numbers
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
static inline double fitness(const double *factors, int pairs) {
    double sum = 0;
    for (int i = 0; i < pairs; i++) {
        const double target = 1 + 7 * (i / 15.0) * (i / 15.0);
        sum += (factors[i] - target) * (factors[i] - target);
    }
    return exp(0.2 * sum / pairs);
}

static inline double candidate_fitness(const SearchSpace *space, const Candidate *candidate) {
    Stretch stretch;
    candidate_stretch(&stretch, space, candidate);
    return fitness(stretch.factors, space->pairs);
}

// The fitness, and what the losses of a window have in common, which adds up to nothing.
static inline bool score(double *value, void *context, int worker, const Candidate *candidate, int window) {
    static const double offsets[WINDOWS] = {0.3, -0.1, -0.4, 0.2};
    Trial *trial = context;
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
        trial->mistakes += others > 0; // a worker has one candidate at a time
    }
#pragma omp atomic
    trial->busy[worker]--;
    *value = candidate->steps[PAIRS - 1] % 4 < trial->poor ? NAN : loss;
    return trial->cut_off == 0 || trial->scored < trial->cut_off;
}

// A candidate is given up after the first window at which it is worse than the worst parent by 0.03 / sqrt(n), and
// no later.
static inline bool well_judged(const Search *search, const Evaluated *e) {
    const SearchOptions *o = &search->options;
    const Evaluated *bar = search_member(search, (int)search_parents(o) - 1);
    double worse = 0;
    if (!bar) return e->scored == o->windows;
    for (int n = 1; n <= e->scored && n < o->windows; n++) {
        worse += e->scores[n - 1] - bar->scores[n - 1];
        const bool hopeless = !(worse / n <= SEARCH_ABANDON / sqrt(n));
        if (hopeless != (n == e->scored)) return false;
    }
    return e->scored > 0;
}

static inline bool record(void *context, const Search *search, const Evaluated *e) {
    Trial *trial = context;
    const Evaluated *best = search_member(search, 0);
    const double loss = best ? evaluated_mean(best) : INFINITY;
    int others;
#pragma omp atomic capture
    others = trial->recording++;
    sched_yield(); // another thread may try to come in
    trial->mistakes += others > 0 || !well_judged(search, e) || e->recalled || !(loss <= trial->best);
    trial->mistakes += search->generation > search->options.generations ||
                       (search->generation > 0 && search->member_count > search_parents(&search->options));
    trial->best = loss;
    trial->evaluated[trial->count++] = *e;
#pragma omp atomic
    trial->recording--;
    return true;
}

static inline void trial_begin(Trial *trial, const SearchSpace *space, const SearchOptions *options) {
    static const Trial fresh;
    const SearchHooks hooks = {trial, score, record};
    *trial = fresh;
    trial->best = INFINITY;
    trial->search = search_begin(space, options, &hooks);
}

// Where the released search started.
static const Stretch start = {.factors = {1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8}};

static inline void trial_run(Trial *trial) {
    const Candidate seed = candidate_of(&trial->search.space, &start);
    trial->complete = search_run(&trial->search, &seed, 1);
    assert_int_equal(trial->mistakes, 0);
}

static inline void run_whole(Trial *trial, const SearchOptions *options, double noise, int threads) {
    trial_begin(trial, &usual_space, options);
    trial->noise = noise;
    omp_set_num_threads(threads);
    trial_run(trial);
    omp_set_num_threads(1);
    assert_true(trial->complete);
}

static inline double found(const Trial *trial) {
    return candidate_fitness(&trial->search.space, &search_member(&trial->search, 0)->candidate);
}

#endif
