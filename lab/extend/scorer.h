// The loss of a model on some windows of text when its rotations are stretched by given factors: what methods of
// `bitter extend` that look at text choose their factors by.
#ifndef BITTER_SCORER_H
#define BITTER_SCORER_H

#include "data/corpus.h"
#include "model/infer.h"

#define SCORER_CHUNK 512 // tokens fed at a time

// What a thread needs to score a window.
typedef struct {
    Inference inference;
    StretchRule tried; // what the inference's rotations are stretched by
    double nll[SCORER_CHUNK];
} ScorerWorker;

typedef struct {
    const Gpt *gpt;
    int original;        // the length that the frequencies were trained at
    int window, windows; // the stretched length, and how many windows of it are scored
    int *ids;            // (windows, window + 1), spread evenly over the text
    ScorerWorker *workers;
    int worker_count; // threads that can score side by side
    long long tokens; // scored so far by all workers
} Scorer;

// Read the windows and allocate what `workers` threads need. Fails (input) when the text, which messages call `name`,
// is shorter than one window, (run) when memory does not suffice.
bool scorer_create(Scorer *scorer, const Gpt *gpt, int original, int window, int windows, int workers,
                   const Split *text, const char *name, Error *error);
void scorer_free(Scorer *scorer);

// The mean loss of a window in nats with rotations stretched by `stretch`. Several threads may call it at the same
// time, each with its own worker number. NAN when a signal came; this is checked often, because long windows take
// minutes.
double score_window(Scorer *scorer, int worker, const Stretch *stretch, int window);

// The mean over all windows; each is scored by one worker.
double score_all(Scorer *scorer, const Stretch *stretch);

#endif
