#include "lab/extend/scorer.h"

#include "base/interrupt.h"
#include "posenc/stretch/search.h"

#include <omp.h>
#include <stdlib.h>

bool scorer_create(Scorer *scorer, const Gpt *gpt, int original, int window, int windows, int workers,
                   const Split *text, const char *name, Error *error) {
    *scorer = (Scorer){.gpt = gpt, .original = original, .window = window, .windows = windows};
    if (text->count < (uint64_t)window + 1)
        return fail_input(
            error,
            "%s: a window of %d tokens needs %d, but there are %llu; give more text with --data, or a smaller --factor",
            name, window, window + 1, (unsigned long long)text->count);
    scorer->ids = malloc((size_t)windows * ((size_t)window + 1) * sizeof *scorer->ids);
    scorer->workers = calloc((size_t)workers, sizeof *scorer->workers);
    bool ok = (scorer->ids && scorer->workers) ||
              fail_run(error, "no memory for %d windows of %d tokens; try fewer --windows", windows, window);
    for (int w = 0; ok && w < windows; w++) {
        const uint64_t last = text->count - (uint64_t)window - 1,
                       start = windows > 1 ? last * (uint64_t)w / (uint64_t)(windows - 1) : last / 2;
        ok = split_read(scorer->ids + (size_t)w * ((size_t)window + 1), text, start, (size_t)window + 1, error);
    }
    for (; ok && scorer->worker_count < workers; scorer->worker_count++)
        ok = inference_create(&scorer->workers[scorer->worker_count].inference, gpt, 1, window, SCORER_CHUNK, error);
    if (!ok) scorer_free(scorer);
    return ok;
}

void scorer_free(Scorer *scorer) {
    for (int i = 0; i < scorer->worker_count; i++) inference_free(&scorer->workers[i].inference);
    free(scorer->workers);
    free(scorer->ids);
    *scorer = (Scorer){0};
}

double score_window(Scorer *scorer, int worker, const Stretch *stretch, int window) {
    ScorerWorker *w = &scorer->workers[worker];
    Inference *inference = &w->inference;
    const int *ids = scorer->ids + (size_t)window * ((size_t)scorer->window + 1);
    double sum = 0;
    w->tried = (StretchRule){.method = METHOD_LONGROPE,
                             .factor = (double)scorer->window / scorer->original,
                             .original = scorer->original,
                             .long_stretch = *stretch};
    inference->tables.stretch = &w->tried;
    inference->tables.prepared = false; // the tables are those of the stretch before
    inference_restart(inference);
    for (int at = 0; at < scorer->window; at += SCORER_CHUNK) {
        if (interrupt_came()) return NAN;
        const int n = scorer->window - at < SCORER_CHUNK ? scorer->window - at : SCORER_CHUNK;
        inference_feed(inference, scorer->gpt, ids + at, n);
        inference_nll(w->nll, inference, scorer->gpt, ids + at + 1, n);
        for (int t = 0; t < n; t++) sum += w->nll[t];
    }
#pragma omp atomic
    scorer->tokens += scorer->window;
    return sum / scorer->window;
}

double score_all(Scorer *scorer, const Stretch *stretch) {
    double scores[SEARCH_WINDOWS_MOST] = {0}, sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(scorer->worker_count)
    for (int w = 0; w < scorer->windows; w++) scores[w] = score_window(scorer, omp_get_thread_num(), stretch, w);
    for (int w = 0; w < scorer->windows; w++) sum += scores[w]; // in the same order whichever worker finished first
    return sum / scorer->windows;
}
