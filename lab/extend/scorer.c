// The loss on windows of text of a model whose rotations are stretched: what yarn, longrope and gradient choose by.
#include "base/interrupt.h"
#include "lab/extend/extension.h"

#include <omp.h>
#include <stdlib.h>

// Read the windows: the training text has as many equal parts, and a window stands in the middle of each. The first one
// does not begin with the text, where a book has its contents.
static bool read_windows(Extension *x, const char *data, Error *error) {
    const Split *text = &x->corpus.train;
    const int windows = (int)x->options->search.windows;
    const size_t tokens = (size_t)x->window + 1;
    if (text->count < tokens)
        return fail_input(error,
                          "%s (training): a window of %d tokens needs %zu, but there are %llu; give more text with "
                          "--data, or a smaller --factor",
                          data, x->window, tokens, (unsigned long long)text->count);
    x->scorer.ids = malloc((size_t)windows * tokens * sizeof *x->scorer.ids);
    if (!x->scorer.ids)
        return fail_run(error, "no memory for %d windows of %d tokens; try fewer --windows", windows, x->window);
    for (int w = 0; w < windows; w++) {
        const uint64_t last = text->count - tokens, start = last * (2 * (uint64_t)w + 1) / (2 * (uint64_t)windows);
        if (!split_read(x->scorer.ids + (size_t)w * tokens, text, start, tokens, error)) return false;
    }
    return true;
}

bool extension_open_text(Extension *x, int workers, Error *error) {
    const ExtendOptions *o = x->options;
    const int threads = threads_use(o->threads), count = threads < workers ? threads : workers;
    const char *data = *o->data ? o->data : x->run.options.data;
    Scorer *scorer = &x->scorer;
    if (!corpus_open(&x->corpus, data, error) || !run_check_tokenizer(&x->run, x->directory, &x->corpus, error) ||
        !read_windows(x, data, error))
        return false;
    scorer->workers = calloc((size_t)count, sizeof *scorer->workers);
    if (!scorer->workers) return fail_run(error, "no memory for %d threads that score windows", count);
    for (; scorer->worker_count < count; scorer->worker_count++) {
        Inference *inference = &scorer->workers[scorer->worker_count].inference;
        if (!inference_create(inference, &x->run.gpt, 1, x->window, SCORER_CHUNK, error)) return false;
    }
    return true;
}

void extension_close(Extension *x) {
    for (int i = 0; i < x->scorer.worker_count; i++) inference_free(&x->scorer.workers[i].inference);
    free(x->scorer.workers);
    free(x->scorer.ids);
    corpus_close(&x->corpus);
    run_close(&x->run);
}

double score_window(Extension *x, int worker, const Stretch *stretch, int window) {
    ScorerWorker *w = &x->scorer.workers[worker];
    Inference *inference = &w->inference;
    const int T = x->window, *ids = x->scorer.ids + (size_t)window * ((size_t)T + 1);
    double sum = 0;
    w->tried = (StretchRule){.method = METHOD_LONGROPE,
                             .factor = (double)T / x->original,
                             .original = x->original,
                             .long_stretch = *stretch};
    Tables *tables = &inference->tables.part[x->part];
    tables->stretch = &w->tried;
    tables->prepared = false; // the tables are those of the stretch before
    inference_restart(inference);
    for (int at = 0; at < T; at += SCORER_CHUNK) {
        if (interrupt_came()) return NAN;
        const int n = T - at < SCORER_CHUNK ? T - at : SCORER_CHUNK;
        inference_feed(inference, &x->run.gpt, ids + at, n);
        inference_nll(w->nll, inference, &x->run.gpt, ids + at + 1, n);
        for (int t = 0; t < n; t++) sum += w->nll[t];
    }
#pragma omp atomic
    x->scorer.tokens += T;
    return sum / T;
}

double score_all(Extension *x, const Stretch *stretch) {
    const int windows = (int)x->options->search.windows;
    double scores[SEARCH_WINDOWS_MOST] = {0}, sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(x->scorer.worker_count)
    for (int w = 0; w < windows; w++) scores[w] = score_window(x, omp_get_thread_num(), stretch, w);
    for (int w = 0; w < windows; w++) sum += scores[w]; // in the same order whichever worker finished first
    return sum / windows;
}
