#include "lab/extend/search.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

// --- candidates ---

const int unscaled_choices[UNSCALED_CHOICES] = {0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 64, 128, 256};

SearchSpace search_space(int pairs, double factor, int original) {
    SearchSpace space = {.pairs = pairs, .step = 0.01};
    space.most = (int)floor((1.25 * factor - 1) / space.step + 1e-9);
    while (space.unscaled_count < UNSCALED_CHOICES && unscaled_choices[space.unscaled_count] <= original)
        space.unscaled_count++;
    return space;
}

Candidate candidate_of(const SearchSpace *space, const Stretch *stretch) {
    Candidate candidate = {0};
    double steps = 0;
    for (int i = 0; i < space->pairs; i++) {
        steps = fmax(steps, round((stretch->factors[i] - 1) / space->step));
        candidate.steps[i] = (int)fmin(steps, space->most);
    }
    while (candidate.unscaled_choice + 1 < space->unscaled_count &&
           unscaled_choices[candidate.unscaled_choice] < stretch->unscaled)
        candidate.unscaled_choice++;
    return candidate;
}

void candidate_stretch(Stretch *stretch, const SearchSpace *space, const Candidate *candidate) {
    for (int i = 0; i < space->pairs; i++) stretch->factors[i] = 1 + space->step * candidate->steps[i];
    stretch->unscaled = unscaled_choices[candidate->unscaled_choice];
}

// Uniform in low..high.
static int between(int low, int high, Random *random) {
    return low + random_below(random, high - low + 1);
}

// Two numbers, uniform in 0..most, the smaller one first.
static void two_between(int *low, int *high, int most, Random *random) {
    const int a = between(0, most, random), b = between(0, most, random);
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

Candidate mutate_near(const SearchSpace *space, const Candidate *parent, Random *random) {
    Candidate child = *parent;
    do {
        for (int i = 0; i < space->pairs; i++) {
            if (random_next(random) >= SEARCH_PROBABILITY) continue;
            const int low = i > 0 ? child.steps[i - 1] : 0,
                      high = i + 1 < space->pairs ? child.steps[i + 1] : space->most;
            child.steps[i] = between(low, high, random);
        }
        if (random_next(random) < SEARCH_PROBABILITY)
            child.unscaled_choice = random_below(random, space->unscaled_count);
    } while (candidates_equal(&child, parent));
    return child;
}

Candidate mutate_far(const SearchSpace *space, const Candidate *parent, Random *random) {
    Candidate child = *parent;
    int first, last, low, high;
    two_between(&first, &last, space->pairs - 1, random);
    two_between(&low, &high, space->most, random);
    for (int i = 0; i < space->pairs; i++) {
        if (i < first)
            child.steps[i] = child.steps[i] < low ? child.steps[i] : low;
        else if (i > last)
            child.steps[i] = child.steps[i] > high ? child.steps[i] : high;
        else
            child.steps[i] = low + (int)((long long)(high - low) * (i - first) / (last > first ? last - first : 1));
    }
    return child;
}

static int rising(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

Candidate cross(const SearchSpace *space, const Candidate *first, const Candidate *second, Random *random) {
    Candidate child = *first;
    for (int i = 0; i < space->pairs; i++)
        if (random_next(random) < SEARCH_PROBABILITY) child.steps[i] = second->steps[i];
    if (random_next(random) < SEARCH_PROBABILITY) child.unscaled_choice = second->unscaled_choice;
    qsort(child.steps, (size_t)space->pairs, sizeof *child.steps, rising);
    return child;
}

// --- the search ---

enum {
    TRIES = 10,      // attempts to draw a child that was not proposed before
    FIRST_BATCH = 16 // candidates of the first population scored before the bar for abandoning is updated
};

long long search_budget(const SearchOptions *o) {
    return o->population + 2 * o->generations * (o->population / 4);
}

bool search_begin(Search *search, const SearchSpace *space, const SearchOptions *options, const SearchHooks *hooks) {
    const size_t budget = (size_t)search_budget(options), population = (size_t)options->population,
                 most = population > FIRST_BATCH ? population : FIRST_BATCH; // parents and children
    assert(options->windows <= SEARCH_WINDOWS_MOST && options->population >= 4);
    *search = (Search){.space = *space, .options = *options, .hooks = *hooks};
    search->archive = malloc(budget * sizeof *search->archive);
    search->members = malloc(most * sizeof *search->members);
    search->batch = malloc(most * sizeof *search->batch);
    return search->archive && search->members && search->batch;
}

void search_end(Search *search) {
    free(search->archive);
    free(search->members);
    free(search->batch);
}

double evaluated_mean(const Evaluated *evaluated) {
    double sum = 0;
    for (int w = 0; w < evaluated->scored; w++) sum += evaluated->scores[w];
    return sum / evaluated->scored;
}

const Evaluated *search_member(const Search *search, int rank) {
    return rank < search->member_count ? search->members[rank] : NULL;
}

// Should scoring of this candidate stop? `bar` is the worst parent, which children have to beat, or NULL while there
// are fewer members than parents. All candidates see the same windows, so differences by window tell more than
// differences of means.
static bool hopeless(const Search *search, const Evaluated *e, const Evaluated *bar) {
    if (!bar || e->scored == 0 || e->scored == search->options.windows) return false;
    double worse = 0;
    for (int w = 0; w < e->scored; w++) worse += e->scores[w] - bar->scores[w];
    return !(worse / e->scored <= SEARCH_ABANDON / sqrt(e->scored)); // true when the loss is NaN
}

static void score(Search *search, Evaluated *e, const Evaluated *bar) {
    const SearchHooks *hooks = &search->hooks;
    while (e->scored < search->options.windows && !hopeless(search, e, bar)) {
        e->scores[e->scored] = hooks->score(hooks->context, omp_get_thread_num(), &e->candidate, e->scored);
        e->scored++;
    }
#pragma omp critical
    {
        search->evaluations++;
        hooks->evaluated(hooks->context, search, e);
    }
}

// A total order, so that the population does not depend on how a library's qsort treats equal elements: if losses are
// equal, the candidate that was proposed first comes first.
static int by_loss(const void *a, const void *b) {
    const Evaluated *x = *(Evaluated *const *)a, *y = *(Evaluated *const *)b;
    const double x_loss = evaluated_mean(x), y_loss = evaluated_mean(y);
    if (x_loss != y_loss) return x_loss < y_loss ? -1 : 1;
    return (x > y) - (x < y);
}

// Score the batch. Candidates that were scored on all windows join the population.
static void score_batch(Search *search) {
    const Evaluated *bar = search_member(search, (int)(search->options.population / 2) - 1);
#pragma omp parallel for schedule(dynamic, 1) if (omp_get_max_threads() > 1)
    for (int i = 0; i < search->batch_count; i++) score(search, search->batch[i], bar);
    for (int i = 0; i < search->batch_count; i++) {
        Evaluated *e = search->batch[i];
        if (e->scored == search->options.windows && isfinite(evaluated_mean(e)))
            search->members[search->member_count++] = e;
    }
    search->batch_count = 0;
    qsort(search->members, (size_t)search->member_count, sizeof *search->members, by_loss);
}

// Put a candidate into the batch. Returns false when it has been proposed before.
static bool propose(Search *search, const Candidate *candidate) {
    for (size_t at = 0; at < search->archived; at++)
        if (candidates_equal(&search->archive[at].candidate, candidate)) return false;
    search->archive[search->archived] = (Evaluated){.candidate = *candidate, .generation = search->generation};
    search->batch[search->batch_count++] = &search->archive[search->archived++];
    return true;
}

static Candidate mutation(const Search *search, const Candidate *parent, Random *random) {
    return random_next(random) < SEARCH_FAR ? mutate_far(&search->space, parent, random)
                                            : mutate_near(&search->space, parent, random);
}

static const Candidate *parent(const Search *search, Random *random) {
    const long long parents = search->options.population / 2;
    const int among = parents < search->member_count ? (int)parents : search->member_count;
    return &search_member(search, random_below(random, among))->candidate;
}

static Candidate crossover(const Search *search, Random *random) {
    const Candidate *first = parent(search, random), *second = parent(search, random);
    return cross(&search->space, first, second, random);
}

static void add_children(Search *search, Random *random) {
    const long long mutations = search->options.population / 4;
    for (long long n = 0; n < 2 * mutations; n++)
        for (int tries = 0; tries < TRIES; tries++) {
            const Candidate child =
                n < mutations ? mutation(search, parent(search, random), random) : crossover(search, random);
            if (propose(search, &child)) break;
        }
}

static bool stopped(const Search *search) {
    return search->hooks.stop->asked(search->hooks.stop->context);
}

// Score the seeds and mutations of them.
static void first_population(Search *search, const Candidate *seeds, int seed_count, Random *random) {
    const long long population = search->options.population;
    for (int n = 0; n < population && !stopped(search); n++) {
        for (int tries = 0; tries < TRIES; tries++) {
            const Candidate *seed = &seeds[n % seed_count];
            const Candidate child = n < seed_count ? *seed : mutation(search, seed, random);
            if (propose(search, &child) || n < seed_count) break;
        }
        if ((n + 1) % FIRST_BATCH == 0 || n + 1 == population) score_batch(search);
    }
}

void search_run(Search *search, const Candidate *seeds, int count) {
    const SearchOptions *o = &search->options;
    const long long parents = o->population / 2;
    Random random = {random_key((uint64_t)o->seed, "search"), 0};
    first_population(search, seeds, count, &random);
    // No member means that no candidate has a finite loss.
    for (search->generation = 1; search->generation <= o->generations && !stopped(search) && search->member_count > 0;
         search->generation++) {
        if (search->member_count > parents) search->member_count = (int)parents;
        add_children(search, &random);
        score_batch(search);
    }
}
