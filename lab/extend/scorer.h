// How well a model does with another stretch of its rotations: what the searched, the learned and the tuned methods of
// `bitter extend` are scored by.
#ifndef BITTER_SCORER_H
#define BITTER_SCORER_H

#include "data/corpus.h"
#include "model/infer.h"

typedef struct {
    const Gpt *gpt;
    double factor;        // stretched length / original length, and
    int original;         // the length that the frequencies were trained at
    int window, windows;  // so many windows of the stretched length,
    int *ids;             // (windows, window + 1), spread evenly over the text
    int workers;          // that score side by side
    Inference *inference; // (workers)
    double *nll;          // (workers, chunk)
    long long tokens;     // scored so far, in all
} Scorer;

// Take memory and text for `workers` threads that score. Fails (input) when the text is shorter than one window, called
// `name`, (run) when memory does not suffice.
bool scorer_create(Scorer *scorer, const Gpt *gpt, int original, int window, int windows, int workers,
                   const Split *text, const char *name, Error *error);
void scorer_free(Scorer *scorer);

// The mean loss of a window in nats, the rotations stretched by `stretch`. Threads call it at the same time, each with
// a worker number of its own. NAN when a signal came, which is asked after each chunk: long windows take minutes.
double score_window(Scorer *scorer, int worker, const Stretch *stretch, int window);

// The mean over all windows, one worker a window.
double score_all(Scorer *scorer, const Stretch *stretch);

#endif
