// LongRoPE's search for the factors of a stretch, by evolution: keep the best candidates, mutate some of them and cross
// others (Ding et al. 2024, 2402.13753, section 3.2 and algorithm 1). It does not know models: a callback scores
// candidates.
#ifndef BITTER_SEARCH_H
#define BITTER_SEARCH_H

#include "base/interrupt.h"
#include "base/random.h"
#include "posenc/stretch/stretch.h"

#include <stddef.h>
#include <string.h>

#define SEARCH_WINDOWS_MOST 64
#define SEARCH_PROBABILITY  0.3 // of drawing a factor again, and of taking it from the second parent

// A point of the search space. It consists of whole numbers, so that equal candidates are equal bit for bit: factor i
// is 1 + step * steps[i], and the first unscaled_choices[unscaled_choice] tokens are not scaled. LongRoPE's rule is
// that steps[i] never falls with i.
typedef struct {
    int steps[PAIRS_MOST]; // (pairs) 0 .. space->most; the others are 0
    int unscaled_choice;   // index into unscaled_choices
} Candidate;

#define UNSCALED_CHOICES 14
extern const int unscaled_choices[UNSCALED_CHOICES]; // LongRoPE's list of n_hat

typedef struct {
    int pairs;
    double step;        // 0.01
    int most;           // the largest steps[i]: (1.25 s - 1) / step
    int unscaled_count; // how many of unscaled_choices are tried, from the first on
} SearchSpace;

// LongRoPE's search space, for a model that was trained at `original` tokens and is stretched by `factor`.
SearchSpace search_space(int pairs, double factor, int original);

// The nearest candidate to a stretch: its factors rounded to the grid, cut to its range, and made to rise.
Candidate candidate_of(const SearchSpace *space, const Stretch *stretch);
// The stretch of a candidate. Leaves the attention factor as it is.
void candidate_stretch(Stretch *stretch, const SearchSpace *space, const Candidate *candidate);

static inline bool candidates_equal(const Candidate *a, const Candidate *b) {
    return memcmp(a, b, sizeof *a) == 0; // integers without padding
}

// Draw each pair's factor again with SEARCH_PROBABILITY, uniformly between the factors of its neighbours, and the
// number of unscaled tokens likewise. At least one of them changes.
Candidate mutate_near(const SearchSpace *space, const Candidate *parent, Random *random);
// Give a random range of neighbouring pairs factors on a line between two random values, and move the other factors so
// that all still rise. mutate_near can change almost nothing in a flat start such as PI's, where neighbours are equal.
Candidate mutate_far(const SearchSpace *space, const Candidate *parent, Random *random);
// Take each pair's factor, and the number of unscaled tokens, from the second parent with SEARCH_PROBABILITY, else from
// the first; then sort the factors.
Candidate cross(const SearchSpace *space, const Candidate *first, const Candidate *second, Random *random);

// A candidate and its losses on the first `scored` windows. If these are not all, it was abandoned.
typedef struct {
    Candidate candidate;
    int generation; // in which it was proposed; 0 = the first population
    int scored;
    double scores[SEARCH_WINDOWS_MOST]; // (windows) mean loss of each, in nats
} Evaluated;

// Integers are long long, as in all option tables. As in the paper (population 64), the best half of the population
// become parents, and each generation has population/4 mutations and population/4 children of two parents.
typedef struct {
    long long population;  // candidates of the first generation, at least 4
    long long generations; // after the first
    long long windows;     // on which a candidate is scored
    long long seed;
} SearchOptions;

#define SEARCH_FAR 0.3 // probability that a mutation is a far one (mutate_far)
// Stop scoring a candidate once, over n windows, it is this many nats / sqrt(n) worse than the worst parent.
#define SEARCH_ABANDON 0.03

typedef struct Search Search;

typedef struct {
    void *context;
    // A candidate's mean loss on a window. Called from several threads at once, each with its own worker number.
    double (*score)(void *context, int worker, const Candidate *candidate, int window);
    // Called after each evaluation, never by two threads at once.
    void (*evaluated)(void *context, const Search *search, const Evaluated *what);
    const Stop *stop; // asked before each candidate of the first generation, and after each generation
} SearchHooks;

struct Search {
    SearchSpace space;
    SearchOptions options;
    SearchHooks hooks;
    int generation;        // the current one
    long long evaluations; // candidates scored, including those that were abandoned
    Evaluated *archive;    // (archived) all candidates that were ever proposed, each once
    size_t archived;
    Evaluated **batch; // (batch_count) in the archive: the candidates to score next
    int batch_count;
    Evaluated **members; // (member_count) in the archive: the population, the best first
    int member_count;
};

// Returns false when there is no memory for all candidates. End with search_end in any case.
bool search_begin(Search *search, const SearchSpace *space, const SearchOptions *options, const SearchHooks *hooks);

// Search from `seeds` (count) until the last generation, or until the search is asked to stop.
void search_run(Search *search, const Candidate *seeds, int count);

// The member of this rank, which was scored on all windows; rank 0 is the best. NULL when there are fewer.
const Evaluated *search_member(const Search *search, int rank);
double evaluated_mean(const Evaluated *evaluated); // over the windows scored

// The largest number of evaluations that the whole search can make.
long long search_budget(const SearchOptions *options);

void search_end(Search *search);

#endif
