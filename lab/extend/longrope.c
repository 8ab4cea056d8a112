#include "base/file/crc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "lab/extend/extend.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

// The search at work. search.csv records it: the first line holds the settings, the second names the columns, and each
// further line is an evaluation, which ends with the CRC-32 of what stands before its last comma: a digit that changes
// would otherwise be another candidate. Everything else follows from the seed, so a search that is started again with
// these rows goes the same way as one that was never stopped.
typedef struct {
    Extension *x;
    Search search;
    Stretch stretch; // only its attention factor
    Candidate starts[STARTS_MOST];
    int start_count;
    char path[PATH_CAPACITY];
    Text head; // the first two lines
    FILE *csv;
    int unwritten; // errno of a row that could not be written
    ProgressLine line;
    long long recalled;
} LongropeSearch;

static bool score(double *loss, void *context, int worker, const Candidate *candidate, int window) {
    const LongropeSearch *job = context;
    Stretch stretch = job->stretch;
    candidate_stretch(&stretch, &job->search.space, candidate);
    *loss = score_window(job->x, worker, &stretch, window);
    return !interrupt_came();
}

static void print_row(Text *row, const LongropeSearch *job, int generation, const Evaluated *e) {
    char crc[CRC_CAPACITY];
    text_print(row, "%d,%d,%.17g,%d", generation, e->scored, evaluated_mean(e),
               unscaled_choices[e->candidate.unscaled_choice]);
    for (int i = 0; i < job->search.space.pairs; i++)
        text_print(row, ",%.2f", 1 + job->search.space.step * e->candidate.steps[i]);
    for (int w = 0; w < e->scored; w++) text_print(row, ",%.17g", e->scores[w]);
    for (int w = e->scored; w < job->search.options.windows; w++) text_print(row, ",");
    if (!row->failed) text_print(row, ",%s\n", crc_text(crc, crc_bytes(0, row->bytes, row->size)));
}

static bool evaluated(void *context, const Search *search, const Evaluated *e) {
    LongropeSearch *job = context;
    Text row = {0};
    print_row(&row, job, search->generation, e);
    if (row.failed || fwrite(row.bytes, 1, row.size, job->csv) != row.size || fflush(job->csv) != 0)
        job->unwritten = row.failed ? ENOMEM : errno;
    text_free(&row);
    const Evaluated *best = search_member(search, 0);
    progress_show(&job->line, (double)search->evaluations, "generation %d  best %.4f  %lld given up, %lld known",
                  search->generation, best ? evaluated_mean(best) : INFINITY, search->abandoned, search->known);
    return !job->unwritten && !interrupt_came();
}

// The settings that make two searches the same search, and the names of the columns.
static void print_head(LongropeSearch *job) {
    const SearchOptions *o = &job->search.options;
    const Extension *x = job->x;
    const Gpt *gpt = &x->run.gpt;
    const uint32_t weights = crc_bytes(0, gpt->params, gpt->tensors.total * sizeof(real)),
                   text = crc_bytes(0, x->scorer.ids,
                                    (size_t)o->windows * ((size_t)x->window + 1) * sizeof *x->scorer.ids),
                   starts = crc_bytes(0, job->starts, sizeof job->starts);
    const long long parents = o->population / 2, mutations = o->population / 4;
    // In parts: where a library has printf conversions of its own, as libquadmath below OpenBLAS has, glibc needs
    // memory for more than a dozen of them, and without it prints the beginning and does not say so.
    Text *head = &job->head;
    text_print(head, "# factor %.9g, %lld windows of %d tokens, population %lld, parents %lld, mutations %lld",
               x->factor, o->windows, x->window, o->population, parents, mutations);
    text_print(head, ", crossovers %lld, generations %lld, probability %.9g, far %.9g, abandon %.9g, remember 1",
               mutations, o->generations, SEARCH_PROBABILITY, SEARCH_FAR, SEARCH_ABANDON);
    text_print(head, ", seed %lld%s, attention %.9g", o->seed, job->search.space.free ? ", factors that may fall" : "",
               job->stretch.attention);
    text_print(head, ", start %08" PRIx32 ", weights %08" PRIx32 ", text %08" PRIx32, starts, weights, text);
    text_print(head, "\ngeneration,scored,loss,unscaled");
    for (int i = 0; i < job->search.space.pairs; i++) text_print(head, ",factor_%d", i);
    for (int w = 0; w < o->windows; w++) text_print(head, ",loss_%d", w);
    text_print(head, ",crc32\n");
}

// Are these the first lines of the same search? Fails (input) naming the first setting that differs.
static bool check_head(const LongropeSearch *job, const Buffer *file, Error *error) {
    const char *now = job->head.bytes, *then = (const char *)file->bytes;
    size_t at = 0, setting = 0;
    int line = 1;
    for (; at < job->head.size && at < file->size && then[at] == now[at]; at++) {
        if (now[at] == ',' || now[at] == '\n') setting = at + 1;
        line += now[at] == '\n';
    }
    if (at == job->head.size) return true;
    return fail_input(error,
                      "%s, line %d: of another search, or damaged: '%.*s' stands where this search has '%.*s'; give "
                      "the same options, or another --out",
                      job->path, line, (int)strcspn(then + setting, ",\n"), then + setting,
                      (int)strcspn(now + setting, ",\n"), now + setting);
}

// Read a row, which ends at `end`. It is damaged, and this returns false, unless the evaluation that was read would be
// written as the same row: so checksum, mean loss and the grid of factors are checked, too.
static bool read_row(Evaluated *e, int *generation, const LongropeSearch *job, const char *row, const char *end) {
    double values[4 + PAIRS_MOST + SEARCH_WINDOWS_MOST] = {0}; // generation, scored, loss, unscaled, factors, losses
    const int pairs = job->search.space.pairs;
    int count = 4 + pairs;
    const char *at = row;
    for (int i = 0; i < count; i++) {
        char *next;
        values[i] = strtod(at, &next);
        if (next == at || (i == 1 && !(values[1] >= 1 && values[1] <= job->search.options.windows))) return false;
        if (i == 1) count += (int)values[1];
        at = next + (*next == ',');
    }
    if (!(values[0] >= 0 && values[0] <= job->search.options.generations && values[3] >= 0 &&
          values[3] <= unscaled_choices[UNSCALED_CHOICES - 1]))
        return false;
    Stretch stretch = {.unscaled = (int)values[3]};
    memcpy(stretch.factors, values + 4, (size_t)pairs * sizeof *values);
    *generation = (int)values[0];
    *e = (Evaluated){.candidate = candidate_of(&job->search.space, &stretch), .scored = (int)values[1]};
    memcpy(e->scores, values + 4 + pairs, (size_t)e->scored * sizeof *values);
    Text again = {0};
    print_row(&again, job, *generation, e);
    const bool same =
        !again.failed && again.size == (size_t)(end + 1 - row) && memcmp(again.bytes, row, again.size) == 0;
    text_free(&again);
    return same;
}

// Read the evaluations of a search that was stopped, and how many bytes of the file they take: a last row that was cut
// short is left out.
static bool recall(size_t *size, LongropeSearch *job, Error *error) {
    Buffer file;
    Evaluated e;
    int generation;
    if (!file_read(&file, job->path, error)) return false;
    bool ok = check_head(job, &file, error);
    const char *row = (const char *)file.bytes + (ok ? job->head.size : 0), *end;
    for (int line = 3; ok && (end = strchr(row, '\n')); line++, row = end + 1, job->recalled++) {
        ok =
            (read_row(&e, &generation, job, row, end) && search_recall(&job->search, &e)) ||
            fail_input(error, "%s, line %d: not a row of a search; the file is damaged: start again with another --out",
                       job->path, line);
    }
    *size = (size_t)(row - (const char *)file.bytes);
    free(file.bytes);
    return ok;
}

// Begin search.csv, or read what is known already, and leave the file open for more.
static bool open_csv(LongropeSearch *job, Error *error) {
    const ExtendOptions *o = job->x->options;
    const bool exists = !path_missing(job->path);
    size_t size = job->head.size;
    AtomicFile file;
    if (exists && !o->resume)
        return fail_input(error, "%s already holds a search; continue it with --resume, or choose another --out",
                          o->out);
    if (!exists && o->resume)
        return fail_input(error, "%s holds no search to resume; leave out --resume to start one", o->out);
    if (exists ? !recall(&size, job, error)
               : !atomic_open(&file, job->path, error) || !atomic_write(&file, job->head.bytes, size, error) ||
                     !atomic_commit(&file, error))
        return false;
    job->csv = file_append(job->path);
    return (job->csv && ftruncate(fileno(job->csv), (off_t)size) == 0) ||
           fail_run(error, "cannot append to %s: %s", job->path, strerror(errno));
}

static bool run(Stretch *result, LongropeSearch *job, Error *error) {
    Search *search = &job->search;
    RunStretch *found = &job->x->found;
    static const char go_on[] = "go on with the same command and --resume";
    interrupt_catch();
    progress_start(&job->line, "extend", (double)job->recalled, (double)search_budget(&search->options));
    const bool complete = search_run(search, job->starts, job->start_count);
    progress_clear(&job->line);
    printf("search   %lld evaluations, %lld given up early; %lld children were known already\n", search->evaluations,
           search->abandoned, search->known);
    if (job->unwritten)
        return fail_run(error, "cannot write %s: %s; make room; %s", job->path, strerror(job->unwritten), go_on);
    if (!complete) return fail_interrupted(error, "interrupted after %lld evaluations; %s", search->evaluations, go_on);
    const Evaluated *best = search_member(search, 0);
    if (!best || !isfinite(evaluated_mean(best)))
        return fail_nonfinite(error, "no candidate has a finite loss; is the model trained?");
    *result = job->stretch;
    candidate_stretch(result, &job->search.space, &best->candidate);
    found->loss = evaluated_mean(best);
    found->evaluations = search->evaluations;
    found->tokens = search->windows * job->x->window;
    return true;
}

bool longrope_find(Stretch *result, Extension *x, Error *error) {
    if (!extension_open_text(x, INT_MAX, error)) return false;
    LongropeSearch job = {.x = x};
    const SearchHooks hooks = {&job, score, evaluated};
    if (!path_format(job.path, error, "%s/search.csv", x->options->out)) return false;
    Stretch starts[STARTS_MOST];
    job.start_count = extension_starts(starts, x, error);
    job.stretch = starts[0];
    for (int i = 0; i < job.start_count; i++) job.starts[i] = candidate_of(&x->space, &starts[i]);
    bool ok = search_begin(&job.search, &x->space, &x->options->search, &hooks) ||
              fail_run(error, "no memory for %lld candidates; give smaller --population or --generations",
                       search_budget(&x->options->search));
    print_head(&job);
    ok = ok && (!job.head.failed || fail_run(error, "no memory for the first lines of %s", job.path));
    ok = ok && open_csv(&job, error) && run(result, &job, error);
    if (job.csv && fclose(job.csv) != 0 && ok) ok = fail_run(error, "cannot write %s: %s", job.path, strerror(errno));
    search_end(&job.search);
    text_free(&job.head);
    return ok;
}
