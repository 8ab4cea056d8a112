#include "posenc/stretch/candidate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

const int unscaled_choices[UNSCALED_CHOICES] = {0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 64, 128, 256};

SearchSpace search_space(int pairs, double factor, int original) {
    SearchSpace space = {.pairs = pairs, .step = 0.01};
    space.most = (int)floor((1.25 * factor - 1) / space.step + 1e-9);
    while (space.unscaled_count < UNSCALED_CHOICES && unscaled_choices[space.unscaled_count] <= original)
        space.unscaled_count++;
    return space;
}

static int cut(const SearchSpace *space, double steps) {
    return !(steps > 0) ? 0 : steps > space->most ? space->most : (int)steps; // NaN, from a damaged file, is 0
}

Candidate candidate_of(const SearchSpace *space, const Stretch *stretch) {
    Candidate candidate = {0};
    int least = 0;
    for (int i = 0; i < space->pairs; i++) {
        const int steps = cut(space, round((stretch->factors[i] - 1) / space->step));
        least = space->free || steps > least ? steps : least;
        candidate.steps[i] = least;
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

bool candidates_equal(const SearchSpace *space, const Candidate *a, const Candidate *b) {
    if (a->unscaled_choice != b->unscaled_choice) return false;
    for (int i = 0; i < space->pairs; i++)
        if (a->steps[i] != b->steps[i]) return false;
    return true;
}

// Uniform in low..high.
static int between(int low, int high, Random *random) {
    return low + random_below(random, high - low + 1);
}

static void order(int *low, int *high) {
    if (*low <= *high) return;
    const int swapped = *low;
    *low = *high;
    *high = swapped;
}

// The range from which mutate_near draws a pair's steps.
static void near_range(int *low, int *high, const SearchSpace *space, const Candidate *candidate, int pair) {
    *low = pair > 0 ? candidate->steps[pair - 1] : 0;
    *high = pair + 1 < space->pairs ? candidate->steps[pair + 1] : space->most;
    if (!space->free) return;
    order(low, high);
    const double one = 1 / space->step; // steps from factor 0 to factor 1
    *low = cut(space, (*low - one) / 2);
    *high = cut(space, 2.0 * *high + one);
}

Candidate mutate_near(const SearchSpace *space, const Candidate *parent, double probability, Random *random) {
    Candidate child = *parent;
    do {
        for (int i = 0; i < space->pairs; i++) {
            if (random_next(random) >= probability) continue;
            int low, high;
            near_range(&low, &high, space, &child, i);
            child.steps[i] = between(low, high, random);
        }
        if (random_next(random) < probability) child.unscaled_choice = random_below(random, space->unscaled_count);
    } while (candidates_equal(space, &child, parent));
    return child;
}

Candidate mutate_far(const SearchSpace *space, const Candidate *parent, Random *random) {
    Candidate child = *parent;
    int first = random_below(random, space->pairs), last = random_below(random, space->pairs);
    int low = between(0, space->most, random), high = between(0, space->most, random);
    order(&first, &last);
    if (!space->free) order(&low, &high);
    for (int i = 0; i < space->pairs; i++) {
        if (space->free && (i < first || i > last)) continue;
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

Candidate cross(const SearchSpace *space, const Candidate *first, const Candidate *second, double probability,
                Random *random) {
    Candidate child = *first;
    for (int i = 0; i < space->pairs; i++)
        if (random_next(random) < probability) child.steps[i] = second->steps[i];
    if (random_next(random) < probability) child.unscaled_choice = second->unscaled_choice;
    if (!space->free) qsort(child.steps, (size_t)space->pairs, sizeof *child.steps, rising);
    return child;
}
