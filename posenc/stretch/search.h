// LongRoPE's search for the factors of a stretch, by evolution: keep the best candidates, mutate some of them and cross
// others (Ding et al. 2024, 2402.13753, algorithm 1). It does not know models: a callback scores candidates.
#ifndef BITTER_SEARCH_H
#define BITTER_SEARCH_H

#include "posenc/stretch/candidate.h"

#include <stddef.h>

#define SEARCH_WINDOWS_MOST 64

// A candidate and its losses on the first `scored` windows; it was abandoned before the other windows.
typedef struct {
    Candidate candidate;
    int scored;
    bool recalled;                      // known from an earlier run, but not yet proposed in this one
    long long order;                    // of joining the population; the older of two equal losses ranks first
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
    // Set *loss to the candidate's mean loss on a window. Called from several threads at once, each with its own worker
    // number. Returns false to stop the search; this candidate is then not recorded.
    bool (*score)(double *loss, void *context, int worker, const Candidate *candidate, int window);
    // Called after each evaluation, never by two threads at once. Returns false to stop the search.
    bool (*evaluated)(void *context, const Search *search, const Evaluated *what);
} SearchHooks;

struct Search {
    SearchSpace space;
    SearchOptions options;
    SearchHooks hooks;
    int generation;        // the current one; 0 = the first population
    long long evaluations; // candidates scored, including those that were abandoned
    long long windows;     // windows scored
    long long abandoned;   // candidates that were not scored on all windows
    long long known;       // children that had been scored before
    Evaluated *archive;    // (archived) all candidates that were ever scored
    size_t archived, capacity;
    Evaluated *members; // (member_count) the population, the best first
    int member_count;
    long long joined; // members that ever joined
    size_t refused;   // the number of candidates for which there was no memory, so that the search stopped; 0 = none
    bool stopped;
};

Search search_begin(const SearchSpace *space, const SearchOptions *options, const SearchHooks *hooks);

// Call before search_run with each evaluation that an earlier run of the same search recorded. These are not scored
// again, and the search goes the same way as if it had never been stopped.
void search_recall(Search *search, const Evaluated *evaluated);

// Search from `seeds` (count) until the last generation. Returns false when a hook stopped it or memory ran out.
bool search_run(Search *search, const Candidate *seeds, int count);

// The best candidate that was scored on all windows; NULL before there is one.
const Evaluated *search_best(const Search *search);
double evaluated_mean(const Evaluated *evaluated); // over the windows scored

// The largest number of evaluations that the whole search can make.
long long search_budget(const SearchOptions *options);

void search_end(Search *search);

#endif
