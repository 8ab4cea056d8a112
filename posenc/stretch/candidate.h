// What LongRoPE's search searches: stretches on a grid, and how one is made from another (Ding et al. 2024, 2402.13753,
// section 3.2).
#ifndef BITTER_CANDIDATE_H
#define BITTER_CANDIDATE_H

#include "base/random.h"
#include "posenc/stretch/stretch.h"

// A point of the search space, in whole numbers, so that equal candidates are equal bit for bit: factor i is
// 1 + step * steps[i], and steps rise; the first unscaled_choices[unscaled] tokens are not scaled.
typedef struct {
    int steps[PAIRS_MOST]; // (pairs) 0 .. space->most
    int unscaled;          // index
} Candidate;

#define UNSCALED_CHOICES 14
extern const int unscaled_choices[UNSCALED_CHOICES]; // LongRoPE's list of n_hat

typedef struct {
    int pairs;
    double step;  // 0.01
    int most;     // of steps: (1.25 s - 1) / step
    int unscaled; // the first so many of unscaled_choices are tried
} SearchSpace;

// The space of LongRoPE for stretching by `factor` a model trained at `original`.
SearchSpace search_space(int pairs, double factor, int original);

// The nearest candidate: rounded to the grid, cut to its range, made to rise.
Candidate candidate_of(const SearchSpace *space, const Stretch *stretch);
// And back; attention is left alone.
void candidate_stretch(Stretch *stretch, const SearchSpace *space, const Candidate *candidate);

bool candidates_equal(const SearchSpace *space, const Candidate *a, const Candidate *b);

// Each pair, and n_hat, is redrawn with this probability, a pair's factor uniformly between those of its neighbours; at
// least one of them changes.
Candidate mutate_near(const SearchSpace *space, const Candidate *parent, double probability, Random *random);
// A random stretch of pairs gets factors on a line between two random ones, and the rest is pushed out of its way: from
// a flat start, such as PI's, neighbours leave mutate_near no room.
Candidate mutate_far(const SearchSpace *space, const Candidate *parent, Random *random);
// Each pair's factor, and n_hat, is the second parent's with this probability; factors are put in rising order.
Candidate cross(const SearchSpace *space, const Candidate *first, const Candidate *second, double probability,
                Random *random);

#endif
