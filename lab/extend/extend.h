// `bitter extend`: what its methods share. cmd/extend.c has the formulas and writes the new run; search.c,
// descent.c and tune.c find factors on text.
#ifndef BITTER_EXTEND_H
#define BITTER_EXTEND_H

#include "lab/extend/scorer.h"
#include "lab/run/run.h"
#include "posenc/stretch/search.h"

// Where the attention factor applies: everywhere, as in Hugging Face's longrope; in long windows only; or only where
// pairs are slowed, so in long windows and not to their unscaled tokens, as in LongRoPE's released code.
typedef enum { ATTENTION_ALL, ATTENTION_LONG, ATTENTION_STRETCHED } Attention;

typedef struct {
    char out[TEXT_CAPACITY], data[TEXT_CAPACITY];
    int method; // a Method
    double factor;
    FormulaOptions formula;
    int growth;
    int attention; // an Attention
    bool keep_short, short_only, tune, resume;
    long long windows, population, parents, mutations, crossovers, generations, seed, steps, tokens, threads;
    double probability, far, abandon, lr;
    bool forget, one_by_one;
} ExtendOptions;

typedef struct {
    const ExtendOptions *options;
    const char *directory; // of the run that is extended
    Run run;
    RunPaths paths;   // of the new one
    int pairs;        // of a head
    double base;      // of the frequencies
    int window;       // the stretched length
    double factor;    // window / original length, 1 with --short
    int original;     // the length that the frequencies were trained at
    RunStretch found; // in: what the run has; out: what the new one will have
    Corpus corpus;
    Scorer scorer; // on the corpus' training text; only where the method looks at text
} Extension;

// The stretch of a formula for this extension.
Stretch extension_formula(const Extension *x, Method method);

// What search and descent start from: PI, NTK, YaRN, and what a stretched run turns by already, stretched further.
// Returns how many there are.
enum { SEEDS_MOST = 4 };
int extension_seeds(Stretch seeds[SEEDS_MOST], const Extension *x);

// What windows of the original length turn by so far.
Stretch extension_short(const Extension *x);

// The factor that bounds what search and descent try.
double extension_bound(const Extension *x);

// Give a stretch that search or descent tries its attention factor: LongRoPE's for the new length, and with --short
// what those windows have.
void extension_attention(Stretch *stretch, const Extension *x);

// What the search is asked to do.
SearchOptions extension_search(const Extension *x);

// Fill `result` by evolution, each evaluation a row of search.csv in the new run's directory, and `found`'s loss,
// evaluations and tokens. Fails (interrupted) when a signal came: --resume goes on from the rows.
bool extend_by_search(Stretch *result, Extension *x, Error *error);

// The same by gradient descent through the rotations of the frozen model, within the tokens that the search may read.
// Each step is a row of descent.csv.
bool extend_by_descent(Stretch *result, Extension *x, Error *error);

// YaRN with the ramp and the betas that score best, of a grid; sets `found`'s loss, evaluations and tokens.
bool extend_by_tuning(Stretch *result, Extension *x, Error *error);

#endif
