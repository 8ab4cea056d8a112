// `bitter extend`: its options, the run that is extended, and what its methods share. The formulas and yarn --tune are
// in extend.c, the other methods in longrope.c and gradient.c.
#ifndef BITTER_EXTEND_H
#define BITTER_EXTEND_H

#include "data/corpus.h"
#include "lab/extend/search.h"
#include "train/run.h"
#include "model/infer.h"

typedef struct {
    char out[TEXT_CAPACITY], data[TEXT_CAPACITY];
    int method;    // a Method
    double factor; // --factor: the new length / the run's context
    FormulaOptions formula;
    bool keep_short, tune, further;
    SearchOptions search; // yarn --tune and gradient use its windows, too
    long long steps, tokens, threads;
    double lr;
    TextList factors; // for METHOD_GIVEN: lists such as "1,1.5,8", together one factor per pair
    long long unscaled;
    double attention_factor; // 0 = LongRoPE's
} ExtendOptions;

#define FACTOR_ROW                                                                                                     \
    NUMBER_ROW("factor", offsetof(ExtendOptions, factor), "8", 1, 1e5, "S",                                            \
               "new context, as a multiple of the run's own")

#define SCORER_CHUNK 512 // tokens fed at a time

// What a thread needs to score a window.
typedef struct {
    Inference inference;
    StretchRule tried; // the stretch of the inference's rotations
    double nll[SCORER_CHUNK];
} ScorerWorker;

// Windows of text, and the threads that score them side by side.
typedef struct {
    int *ids;              // (windows, window + 1) of the training text
    ScorerWorker *workers; // (worker_count)
    int worker_count;
    long long tokens; // scored so far by all workers
} Scorer;

typedef struct {
    const ExtendOptions *options;
    const char *directory; // of the run that is extended
    Run run;
    RunPaths paths;    // of the new run
    int part;          // index of the position scheme whose rotations are stretched
    int pairs;         // of a head
    double base;       // of the frequencies
    int window;        // the stretched length
    double factor;     // window / original length
    int original;      // the length that the frequencies were trained at
    SearchSpace space; // of search; descent keeps to its limits
    StretchRule found; // what the new run will have
    // For factors that were found on text: the mean loss there in nats, candidates tried, tokens read. 0 for a formula.
    double loss;
    long long evaluations, tokens;
    Corpus corpus;
    Scorer scorer; // if the method looks at text
} Extension;

// Check that x->run can be extended, and set the fields of x from `part` to `original`. Of the run, only the gpt's
// shape and positions are read. Fails (input).
bool extension_settle(Extension *x, Error *error);

// In windows longer than the trained one, stretch a model's rotations by the formula that `text` names:
// METHOD:factor=X; "dynamic", which takes no factor; or "", which changes nothing. Fails (input).
bool extension_formula(Mix *mix, const char *text, Error *error);

// Find the factors by the chosen method, and set x->found, the stretch of the new run's rotations.
bool extension_find(Extension *x, Error *error);

// Close what an extension has opened; x->scorer and x->corpus may be {0}.
void extension_close(Extension *x);

// The methods that have files of their own: find the stretch. Fail (input, run, interrupted, nonfinite).
bool longrope_find(Stretch *result, Extension *x, Error *error);
bool gradient_find(Stretch *result, Extension *x, Error *error);

// The stretches from which search and descent start: PI, NTK, YaRN and, if the run is stretched already, its own
// stretch taken further. All have the attention factor of the final result. Returns their number.
enum { STARTS_MOST = 4 };
int extension_starts(Stretch starts[STARTS_MOST], const Extension *x);

// search.csv or descent.csv of the new run: a row for each stretch that was scored. record_open begins the file with
// the columns `head`, unscaled, factor_0, ...; the caller writes the numbers of `head`, and record_row ends the row
// with the stretch; result_close ends the file.
bool record_open(AtomicFile *record, const Extension *x, const char *name, const char *head, Error *error);
void record_row(const AtomicFile *record, const Stretch *stretch, int pairs);

// --- the loss on windows of text, by which yarn --tune, longrope and gradient choose ---

// Open the text that factors are chosen on, for at most `workers` threads. Fails (input) when it is shorter than one
// window, (run) when memory does not suffice.
bool extension_open_text(Extension *x, int workers, Error *error);

// The mean loss of a window, in nats, with rotations stretched by `stretch`. Several threads may call it at the same
// time, each with its own worker number. Returns NAN after a signal, which is checked for every chunk because long
// windows take minutes.
double score_window(Extension *x, int worker, const Stretch *stretch, int window);

// The mean over all windows; each is scored by one worker.
double score_all(Extension *x, const Stretch *stretch);

#endif
