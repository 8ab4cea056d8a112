#include "base/interrupt.h"
#include "base/progress.h"
#include "lab/extend/extend.h"
#include "train/result.h"

#include <limits.h>

typedef struct {
    Extension *x;
    Stretch stretch; // only its attention factor is used
    AtomicFile record;
    ProgressLine line;
} LongropeSearch;

static double score(void *context, int worker, const Candidate *candidate, int window) {
    const LongropeSearch *job = context;
    Stretch stretch = job->stretch;
    candidate_stretch(&stretch, &job->x->space, candidate);
    return score_window(job->x, worker, &stretch, window);
}

static void evaluated(void *context, const Search *search, const Evaluated *e) {
    LongropeSearch *job = context;
    const Evaluated *best = search_member(search, 0);
    progress_show(&job->line, (double)search->evaluations, "generation %d  best %.4f", search->generation,
                  best ? evaluated_mean(best) : INFINITY);
}

// Write a row for each candidate. Returns how many were abandoned before the last window.
static int write_record(const AtomicFile *record, const Search *search) {
    int abandoned = 0;
    for (const Evaluated *e = search->archive; e < search->archive + search->archived; e++) {
        Stretch stretch;
        candidate_stretch(&stretch, &search->space, &e->candidate);
        fprintf(record->stream, "%d,%d,%.9g", e->generation, e->scored, evaluated_mean(e));
        record_row(record, &stretch, search->space.pairs);
        abandoned += e->scored < search->options.windows;
    }
    return abandoned;
}

static bool run(Stretch *result, LongropeSearch *job, Search *search, Error *error) {
    Extension *x = job->x;
    Stretch starts[STARTS_MOST];
    Candidate seeds[STARTS_MOST];
    const int count = extension_starts(starts, x);
    for (int i = 0; i < count; i++) seeds[i] = candidate_of(&x->space, &starts[i]);
    job->stretch = starts[0];
    interrupt_catch();
    progress_start(&job->line, "extend", 0, (double)search_budget(&search->options));
    search_run(search, seeds, count);
    progress_clear(&job->line);
    if (!stop_check(&stop_at_signal, error)) return false;
    printf("search   %lld evaluations, %d given up early\n", search->evaluations, write_record(&job->record, search));
    const Evaluated *best = search_member(search, 0);
    if (!best || !isfinite(evaluated_mean(best)))
        return fail_nonfinite(error, "no candidate has a finite loss; is the model trained?");
    *result = job->stretch;
    candidate_stretch(result, &x->space, &best->candidate);
    x->loss = evaluated_mean(best);
    x->evaluations = search->evaluations;
    x->tokens = x->scorer.tokens;
    return true;
}

bool longrope_find(Stretch *result, Extension *x, Error *error) {
    LongropeSearch job = {.x = x};
    Search search;
    const SearchHooks hooks = {&job, score, evaluated, &stop_at_signal};
    if (!extension_open_text(x, INT_MAX, error) ||
        !record_open(&job.record, x, "search.csv", "generation,scored,loss", error))
        return false;
    bool ok = search_begin(&search, &x->space, &x->options->search, &hooks) ||
              fail_run(error, "no memory for %lld candidates; give smaller --population or --generations",
                       search_budget(&x->options->search));
    ok = ok && run(result, &job, &search, error);
    search_end(&search);
    return result_close(&job.record, ok, error);
}
