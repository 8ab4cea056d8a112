// LongRoPE's search for the factors of a stretch, by evolution: keep the best, change them a little or a lot, mix them
// (Ding et al. 2024, 2402.13753, algorithm 1). It knows nothing of models: a callback scores candidates.
#ifndef BITTER_SEARCH_H
#define BITTER_SEARCH_H

#include "posenc/stretch/candidate.h"

#include <stddef.h>

#define SEARCH_WINDOWS_MOST 64

// A candidate and what is known of it. Windows after `scored` were not looked at, because it
// was hopeless by then.
typedef struct {
    Candidate candidate;
    int scored;
    bool recalled;                      // from an earlier run, and this one has not come to it yet
    long long order;                    // in which members joined the population; of equal losses, the older member
                                        // ranks first
    double scores[SEARCH_WINDOWS_MOST]; // (windows) mean loss of each, in nats
} Evaluated;

// Whole numbers are long long, as in all option tables.
typedef struct {
    long long population, parents, mutations, crossovers, generations;
    double probability; // that a pair's factor changes
    double far;         // that a mutation is a far one (mutate_far)
    long long windows;  // that a candidate is scored on
    double abandon;     // stop scoring a candidate once, over n windows, it is this many nats / sqrt(n) worse than the
                        // worst parent; 0 = never
    bool forget;        // score candidates again that have been scored before
    bool one_by_one;    // score one candidate at a time instead of one on each thread
    long long seed;
} SearchOptions;

typedef struct Search Search;

typedef struct {
    void *context;
    // Mean loss of a candidate on a window; called from several threads at once, each with its own worker number. false
    // = stop, and forget this candidate.
    bool (*score)(double *loss, void *context, int worker, const Candidate *candidate, int window);
    // After each evaluation, one at a time. false = stop.
    bool (*evaluated)(void *context, const Search *search, const Evaluated *what);
} SearchHooks;

struct Search {
    SearchSpace space;
    SearchOptions options;
    SearchHooks hooks;
    int generation;        // at work; 0 = the first population
    long long evaluations; // candidates scored, those that were given up too
    long long windows;     // windows scored
    long long abandoned;   // candidates given up
    long long known;       // candidates that needed no scoring
    Evaluated *archive;    // (archived) all that is known
    size_t archived, capacity;
    Evaluated *members; // (member_count) the population, the best first
    int member_count;
    long long joined; // members that ever joined
    size_t refused;   // candidates for which memory did not suffice, so that the search stopped; 0 = none
    bool stopped;
};

Search search_begin(const SearchSpace *space, const SearchOptions *options, const SearchHooks *hooks);

// Before search_run: what an earlier run of the same search has found out. It is not scored again, so that the search
// goes on as if it had never been stopped.
void search_recall(Search *search, const Evaluated *evaluated);

// Search from `seeds` (count) until all generations are over; false when a hook said stop, or for want of memory.
bool search_run(Search *search, const Candidate *seeds, int count);

// The best candidate that was scored on all windows; NULL before there is one.
const Evaluated *search_best(const Search *search);
double evaluated_mean(const Evaluated *evaluated); // over the windows scored

// Evaluations that the whole search will make at most.
long long search_budget(const SearchOptions *options);

void search_end(Search *search);

#endif
