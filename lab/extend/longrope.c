#include "base/file/crc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "lab/extend/extension.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

// The search at work. search.csv records it: the first line holds the settings, the second names the columns, and each
// further line is an evaluation. Everything else follows from the seed, so a search that is started again with these
// rows goes the same way as one that was never stopped.
typedef struct {
    Extension *x;
    Search search;
    Stretch stretch; // only its attention factor
    Candidate starts[STARTS_MOST];
    int start_count;
    char path[PATH_CAPACITY], settings[TEXT_CAPACITY];
    Text columns;
    FILE *csv;
    int unwritten; // errno of a row that could not be written
    ProgressLine line;
    double started;
    double best; // loss of all candidates that were scored on all windows, also those not yet in the population
    long long recalled;
} LongropeSearch;

static bool score(double *loss, void *context, int worker, const Candidate *candidate, int window) {
    const LongropeSearch *job = context;
    Stretch stretch = job->stretch;
    candidate_stretch(&stretch, &job->search.space, candidate);
    *loss = score_window(job->x, worker, &stretch, window);
    return !interrupt_came();
}

// Searches of earlier versions have rows without a checksum. Of others, a row ends with the CRC-32 of what stands
// before its last comma: a digit that changes would otherwise be another candidate.
static void print_row(Text *row, const LongropeSearch *job, int generation, const Evaluated *e, bool sealed) {
    text_print(row, "%d,%d,%.17g,%d", generation, e->scored, evaluated_mean(e),
               unscaled_choices[e->candidate.unscaled_choice]);
    for (int i = 0; i < job->search.space.pairs; i++)
        text_print(row, ",%.2f", 1 + job->search.space.step * e->candidate.steps[i]);
    for (int w = 0; w < job->search.options.windows; w++)
        if (w < e->scored)
            text_print(row, ",%.17g", e->scores[w]);
        else
            text_print(row, ",");
    char crc[CRC_CAPACITY];
    if (sealed && !row->failed) text_print(row, ",%s", crc_text(crc, crc_bytes(0, row->bytes, row->size)));
    text_print(row, "\n");
}

static bool write_row(FILE *csv, const LongropeSearch *job, int generation, const Evaluated *e) {
    Text row = {0};
    print_row(&row, job, generation, e, true);
    const bool ok = !row.failed && fwrite(row.bytes, 1, row.size, csv) == row.size;
    text_free(&row);
    return ok;
}

static void note_best(LongropeSearch *job, const Evaluated *e) {
    if (e->scored == job->search.options.windows) job->best = fmin(job->best, evaluated_mean(e));
}

static bool evaluated(void *context, const Search *search, const Evaluated *e) {
    LongropeSearch *job = context;
    if (!write_row(job->csv, job, search->generation, e) || fflush(job->csv) != 0) job->unwritten = errno;
    note_best(job, e);
    progress_show(&job->line, (double)search->evaluations, "generation %d  best %.4f  %lld given up, %lld known",
                  search->generation, job->best, search->abandoned, search->known);
    return !job->unwritten && !interrupt_came();
}

// The settings that make two searches the same search. False when there is no memory to print so many.
static bool describe_settings(LongropeSearch *job) {
    const SearchOptions *o = &job->search.options;
    const Extension *x = job->x;
    const Gpt *gpt = &x->run.gpt;
    const uint32_t weights = crc_bytes(0, gpt->params, gpt->tensors.total * sizeof(real)),
                   text = crc_bytes(0, x->scorer.ids,
                                    (size_t)o->windows * ((size_t)x->window + 1) * sizeof *x->scorer.ids),
                   starts = crc_bytes(0, job->starts, sizeof job->starts);
    // In parts: where a library has printf conversions of its own, as libquadmath below OpenBLAS has, glibc needs
    // memory for more than a dozen of them, and without it prints the beginning and does not say so.
    Text all = {0};
    text_print(&all, "# factor %.9g, %lld windows of %d tokens, population %lld, parents %lld, mutations %lld",
               x->factor, o->windows, x->window, o->population, o->parents, o->mutations);
    text_print(&all, ", crossovers %lld, generations %lld, probability %.9g, far %.9g, abandon %.9g, remember %d",
               o->crossovers, o->generations, o->probability, o->far, o->abandon, !o->forget);
    text_print(&all, ", seed %lld%s, attention %.9g%s", o->seed,
               job->search.space.free ? ", factors that may fall" : "", job->stretch.attention,
               job->stretch.bare_start ? " except at the start" : "");
    text_print(&all, ", start %08" PRIx32 ", weights %08" PRIx32 ", text %08" PRIx32, starts, weights, text);
    const bool ok = !all.failed;
    snprintf(job->settings, sizeof job->settings, "%.*s", (int)all.size, all.size > 0 ? all.bytes : "");
    text_free(&all);
    return ok;
}

// The names of the columns but for that of the checksum.
static void name_columns(LongropeSearch *job) {
    Text *columns = &job->columns;
    text_print(columns, "generation,scored,loss,unscaled");
    for (int i = 0; i < job->search.space.pairs; i++) text_print(columns, ",factor_%d", i);
    for (int w = 0; w < job->search.options.windows; w++) text_print(columns, ",loss_%d", w);
}

// Does the line name the columns of this search? Sets *sealed to whether there is one for the checksum.
static bool check_columns(bool *sealed, const LongropeSearch *job, const char *line, Error *error) {
    const Text *columns = &job->columns;
    const char *end = strncmp(line, columns->bytes, columns->size) == 0 ? line + columns->size : "";
    *sealed = strncmp(end, ",crc32\n", 7) == 0;
    return *sealed || *end == '\n' ||
           fail_input(error,
                      "%s, line 2: not the columns of a search; the file is damaged: start again with another --out",
                      job->path);
}

// Read a row, which ends at `end`. It is damaged, and this returns false, unless the evaluation that was read would be
// written as the same row: so checksum, mean loss and the grid of factors are checked, too.
static bool read_row(Evaluated *e, int *generation, const LongropeSearch *job, bool sealed, const char *row,
                     const char *end) {
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
    print_row(&again, job, *generation, e, sealed);
    const bool same =
        !again.failed && again.size == (size_t)(end + 1 - row) && memcmp(again.bytes, row, again.size) == 0;
    text_free(&again);
    return same;
}

// Is this the first line of the same search? Fails (input) naming the first setting that differs.
static bool check_settings(const LongropeSearch *job, const char *line, size_t length, Error *error) {
    const char *now = job->settings;
    if (length == strlen(now) && strncmp(line, now, length) == 0) return true;
    size_t start = strlen("# "), at = 0; // of the setting that differs
    for (; at < length && line[at] == now[at]; at++)
        if (at >= 1 && line[at - 1] == ',' && line[at] == ' ') start = at + 1;
    const int there = at < start ? 0 : (int)strcspn(line + start, ",\n"), here = (int)strcspn(now + start, ",");
    if (there == 0 || there > 40 || !now[at])
        return fail_input(
            error,
            "%s does not begin with the settings of a search; the file is damaged: start again with another --out",
            job->path);
    return fail_input(
        error, "%s is of another search: it has %.*s, and this one %.*s; give the same options, or another --out",
        job->path, there, line + start, here, now + start);
}

static bool fail_memory(const LongropeSearch *job, Error *error) {
    return fail_run(error, "%s: no memory for %zu candidates; give smaller --population or --generations", job->path,
                    job->search.refused);
}

static bool recall_row(LongropeSearch *job, AtomicFile *file, bool sealed, const char *row, const char *end, int line,
                       Error *error) {
    Evaluated e;
    int generation;
    if (!read_row(&e, &generation, job, sealed, row, end))
        return fail_input(error,
                          "%s, line %d: not a row of a search; the file is damaged: start again with another --out",
                          job->path, line);
    search_recall(&job->search, &e);
    if (job->search.refused) return fail_memory(job, error);
    note_best(job, &e);
    job->recalled++;
    return write_row(file->stream, job, generation, &e) ||
           fail_run(error, "cannot write %s: %s; make room and try again", job->path, strerror(errno));
}

// Read the evaluations of a search that was stopped; a last row that was cut short is left out.
static bool recall(LongropeSearch *job, AtomicFile *file, Error *error) {
    Buffer old;
    if (!file_read(&old, job->path, error)) return false;
    const char *row = (const char *)old.bytes, *end;
    bool sealed = false, ok = check_settings(job, row, strcspn(row, "\n"), error);
    row = strchr(row, '\n');
    ok = ok && (!row || check_columns(&sealed, job, row + 1, error));
    row = row ? strchr(row + 1, '\n') : NULL;
    for (int line = 3; ok && row && (end = strchr(row + 1, '\n')); line++, row = end)
        ok = recall_row(job, file, sealed, row + 1, end, line, error);
    free(old.bytes);
    return ok;
}

// Write search.csv with the rows that are known already, and leave it open for more.
static bool open_csv(LongropeSearch *job, Error *error) {
    const ExtendOptions *o = job->x->options;
    AtomicFile file;
    const bool exists = !path_missing(job->path);
    if (exists && !o->resume)
        return fail_input(error, "%s already holds a search; continue it with --resume, or choose another --out",
                          o->out);
    if (!exists && o->resume)
        return fail_input(error, "%s holds no search to resume; leave out --resume to start one", o->out);
    if (!atomic_open(&file, job->path, error)) return false;
    const Text *columns = &job->columns;
    bool ok = fprintf(file.stream, "%s\n%.*s,crc32\n", job->settings, (int)columns->size, columns->bytes) > 0 ||
              fail_run(error, "cannot write %s: %s", job->path, strerror(errno));
    ok = ok && (!o->resume || recall(job, &file, error));
    if (!ok) {
        atomic_abandon(&file);
        return false;
    }
    if (!atomic_commit(&file, error)) return false;
    job->csv = file_append(job->path);
    return job->csv || fail_run(error, "cannot append to %s: %s", job->path, strerror(errno));
}

static void print_speed(const LongropeSearch *job) {
    const Search *search = &job->search;
    const double seconds = clock_seconds() - job->started;
    const long long fresh = search->evaluations - job->recalled;
    if (fresh > 0)
        printf("search   %lld evaluations in %.1f s, %.2f a second; %lld given up early, %lld children were known "
               "already%s\n",
               fresh, seconds, (double)fresh / seconds, search->abandoned, search->known,
               job->recalled ? ", counted from the start" : "");
}

static bool run(Stretch *result, LongropeSearch *job, Error *error) {
    Search *search = &job->search;
    RunStretch *found = &job->x->found;
    const char *go_on = job->search.options.forget
                            ? "a search with --forget cannot continue: remove the directory to start again"
                            : "go on with the same command and --resume";
    interrupt_catch();
    progress_start(&job->line, "extend", (double)job->recalled, (double)search_budget(&search->options));
    job->started = clock_seconds();
    const bool complete = search_run(search, job->starts, job->start_count);
    progress_clear(&job->line);
    print_speed(job);
    if (job->unwritten)
        return fail_run(error, "cannot write %s: %s; make room; %s", job->path, strerror(job->unwritten), go_on);
    if (search->refused) return fail_memory(job, error);
    if (!complete) return fail_interrupted(error, "interrupted after %lld evaluations; %s", search->evaluations, go_on);
    const Evaluated *best = search_best(search);
    if (!best || !isfinite(evaluated_mean(best)))
        return fail_nonfinite(error, "no candidate has a finite loss; is the model trained?");
    *result = job->stretch;
    candidate_stretch(result, &job->search.space, &best->candidate);
    found->loss = evaluated_mean(best);
    found->evaluations = search->evaluations;
    found->tokens = search->windows * job->x->window;
    return true;
}

static bool find(Stretch *result, Extension *x, Error *error) {
    const SearchOptions *o = &x->options->search;
    if (!extension_open_text(x, o->one_by_one ? 1 : INT_MAX, error)) return false;
    LongropeSearch job = {.x = x, .best = INFINITY};
    const SearchSpace space = extension_space(x);
    const SearchHooks hooks = {&job, score, evaluated};
    job.search = search_begin(&space, o, &hooks);
    extension_attention(&job.stretch, x);
    if (!path_format(job.path, error, "%s/search.csv", x->options->out)) return false;
    Stretch starts[STARTS_MOST];
    job.start_count = extension_starts(starts, x);
    for (int i = 0; i < job.start_count; i++) job.starts[i] = candidate_of(&space, &starts[i]);
    name_columns(&job);
    bool ok = (describe_settings(&job) && !job.columns.failed) ||
              fail_run(error, "no memory for the first lines of %s", job.path);
    ok = ok && open_csv(&job, error) && run(result, &job, error);
    if (job.csv && fclose(job.csv) != 0 && ok) ok = fail_run(error, "cannot write %s: %s", job.path, strerror(errno));
    search_end(&job.search);
    text_free(&job.columns);
    return ok;
}

static const Option longrope_options[] = {
    HEADING_ROW("Method longrope (search factors by evolution, scored on text)"),
    INTEGER_ROW("parents", offsetof(ExtendOptions, search.parents), "32", 2, 1e5,
                "how many of the best candidates become parents"),
    NUMBER_ROW("probability", offsetof(ExtendOptions, search.probability), "0.3", 0.001, 1, "P",
               "probability with which a child's factor differs from its parent's"),
    NUMBER_ROW("far", offsetof(ExtendOptions, search.far), "0.3", 0, 1, "P",
               "fraction of mutations that move the factors of a whole range of pairs together"),
    FLAG_ROW("free", offsetof(ExtendOptions, free),
             "let factors fall from one pair to the next; without it they only rise, which is LongRoPE's rule"),
    NUMBER_ROW(
        "abandon", offsetof(ExtendOptions, search.abandon), "0.03", 0, 100, "X",
        "give a candidate up once its loss over n windows is X / sqrt(n) nats above that of the worst parent; 0 = "
        "score every candidate fully"),
    FLAG_ROW("forget", offsetof(ExtendOptions, search.forget), "do not reuse scores of candidates scored before"),
    FLAG_ROW("one-by-one", offsetof(ExtendOptions, search.one_by_one),
             "score one candidate at a time with all threads, not one on each thread"),
    INTEGER_ROW("seed", offsetof(ExtendOptions, search.seed), "1337", 0, HUGE_VAL, "random seed"),
    FLAG_ROW("resume", offsetof(ExtendOptions, resume), "continue the search that was stopped in --out"),
    {0},
};

const ExtendMethod method_longrope = {{longrope_options, short_window_options, text_options, evolution_options}, find};
