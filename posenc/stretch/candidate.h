// The candidates of LongRoPE's search: stretches on a grid, and how new ones are made from known ones (Ding et al.
// 2024, 2402.13753, section 3.2).
#ifndef BITTER_CANDIDATE_H
#define BITTER_CANDIDATE_H

#include "base/random.h"
#include "posenc/stretch/stretch.h"

// A point of the search space. It consists of whole numbers, so that equal candidates are equal bit for bit: factor i
// is 1 + step * steps[i], and the first unscaled_choices[unscaled_choice] tokens are not scaled. LongRoPE's rule is
// that steps[i] never falls with i; in a space that is `free` of the rule it may.
typedef struct {
    int steps[PAIRS_MOST]; // (pairs) 0 .. space->most
    int unscaled_choice;   // index into unscaled_choices
} Candidate;

#define UNSCALED_CHOICES 14
extern const int unscaled_choices[UNSCALED_CHOICES]; // LongRoPE's list of n_hat

typedef struct {
    int pairs;
    double step;        // 0.01
    int most;           // of steps: (1.25 s - 1) / step
    int unscaled_count; // how many of unscaled_choices are tried, from the first on
    bool free;          // factors may fall from one pair to the next
} SearchSpace;

// LongRoPE's search space, with its rule, for a model that was trained at `original` tokens and is stretched by
// `factor`.
SearchSpace search_space(int pairs, double factor, int original);

// The nearest candidate to a stretch: its factors rounded to the grid, cut to its range, and, by the rule, made to
// rise.
Candidate candidate_of(const SearchSpace *space, const Stretch *stretch);
// The stretch of a candidate. Leaves the attention factor as it is.
void candidate_stretch(Stretch *stretch, const SearchSpace *space, const Candidate *candidate);

bool candidates_equal(const SearchSpace *space, const Candidate *a, const Candidate *b);

// Draw each pair's factor again with this probability, uniformly between the factors of its neighbours, and the number
// of unscaled tokens likewise. At least one of them changes. In a free space a factor is drawn between half the smaller
// and twice the larger of its neighbours' factors.
Candidate mutate_near(const SearchSpace *space, const Candidate *parent, double probability, Random *random);
// Give a random run of neighbouring pairs factors on a line between two random ones, and move the others so that all
// still rise. mutate_near can change almost nothing in a flat start such as PI's, where neighbours are equal. In a free
// space the line may fall, and the others stay.
Candidate mutate_far(const SearchSpace *space, const Candidate *parent, Random *random);
// Take each pair's factor, and the number of unscaled tokens, from the second parent with this probability, else from
// the first; then sort the factors, unless the space is free.
Candidate cross(const SearchSpace *space, const Candidate *first, const Candidate *second, double probability,
                Random *random);

#endif
