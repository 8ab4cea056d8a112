#include "base/crc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "lab/extend/extend.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

// The search at work. search.csv is what it remembers: the first line says what was searched how, the second names the
// columns, and each further one is an evaluation. Everything else follows from the seed, so that reading the rows back
// and starting over is the same as never having stopped.
typedef struct {
    Extension *x;
    SearchSpace space;
    SearchOptions options;
    Stretch stretch; // attention
    Candidate seeds[SEEDS_MOST];
    int seed_count;
    char path[PATH_CAPACITY], settings[TEXT_CAPACITY];
    FILE *csv;
    int unwritten; // errno of a row that could not be written
    ProgressLine line;
    double started;
    double best; // loss of all that was scored to the end, which the population has only when its batch is over
    long long recalled;
} Job;

static bool score(double *loss, void *context, int worker, const Candidate *candidate, int window) {
    const Job *job = context;
    Stretch stretch = job->stretch;
    candidate_stretch(&stretch, &job->space, candidate);
    *loss = score_window(&job->x->scorer, worker, &stretch, window);
    return !interrupt_came();
}

// A row ends with the CRC-32 of what stands before its last comma: a digit that changes would be another candidate.
static bool write_row(FILE *csv, const Job *job, int generation, const Evaluated *e) {
    Text row = {0};
    text_print(&row, "%d,%d,%.17g,%d", generation, e->scored, evaluated_mean(e),
               unscaled_choices[e->candidate.unscaled]);
    for (int i = 0; i < job->space.pairs; i++) text_print(&row, ",%.2f", 1 + job->space.step * e->candidate.steps[i]);
    for (int w = 0; w < job->options.windows; w++)
        if (w < e->scored)
            text_print(&row, ",%.17g", e->scores[w]);
        else
            text_print(&row, ",");
    if (!row.failed) text_print(&row, ",%08" PRIx32 "\n", crc_bytes(0, row.bytes, row.size));
    const bool ok = !row.failed && fwrite(row.bytes, 1, row.size, csv) == row.size;
    text_free(&row);
    return ok;
}

static void note_best(Job *job, const Evaluated *e) {
    if (e->scored == job->options.windows) job->best = fmin(job->best, evaluated_mean(e));
}

static bool evaluated(void *context, const Search *search, const Evaluated *e) {
    Job *job = context;
    if (!write_row(job->csv, job, search->generation, e) || fflush(job->csv) != 0) job->unwritten = errno;
    note_best(job, e);
    progress_show(&job->line, (double)search->evaluations, "generation %d  best %.4f  %lld given up, %lld known",
                  search->generation, job->best, search->abandoned, search->known);
    return !job->unwritten && !interrupt_came();
}

// What makes two searches the same one.
static void describe_settings(Job *job) {
    const SearchOptions *o = &job->options;
    const Scorer *s = &job->x->scorer;
    const Gpt *gpt = &job->x->run.gpt;
    const uint32_t weights = crc_bytes(0, gpt->params, gpt->tensors.total * sizeof(real)),
                   text = crc_bytes(0, s->ids, (size_t)s->windows * ((size_t)s->window + 1) * sizeof *s->ids),
                   seeds = crc_bytes(0, job->seeds, sizeof job->seeds);
    snprintf(job->settings, sizeof job->settings,
             "# factor %.9g, %d windows of %d tokens, population %d, parents %d, mutations %d, crossovers %d, "
             "generations %d, probability %.9g, far %.9g, abandon %.9g, remember %d, seed %" PRIu64
             ", attention %.9g%s, start %08" PRIx32 ", weights %08" PRIx32 ", text %08" PRIx32,
             job->x->factor, s->windows, s->window, o->population, o->parents, o->mutations, o->crossovers,
             o->generations, o->probability, o->far, o->abandon, o->remember, o->seed, job->stretch.attention,
             job->stretch.bare_start ? " except at the start" : "", seeds, weights, text);
}

// The names of the columns. Searches of earlier versions have no checksum.
static void name_columns(Text *line, const Job *job, bool sealed) {
    text_print(line, "generation,scored,loss,unscaled");
    for (int i = 0; i < job->space.pairs; i++) text_print(line, ",factor_%d", i);
    for (int w = 0; w < job->options.windows; w++) text_print(line, ",loss_%d", w);
    if (sealed) text_print(line, ",crc32");
    text_print(line, "\n");
}

static bool write_head(FILE *csv, const Job *job) {
    Text columns = {0};
    name_columns(&columns, job, true);
    const bool ok = !columns.failed && fprintf(csv, "%s\n%.*s", job->settings, (int)columns.size, columns.bytes) > 0;
    text_free(&columns);
    return ok;
}

// Does the line name the columns of this search, with a checksum or without?
static bool check_columns(bool *sealed, const Job *job, const char *line, Error *error) {
    for (int with = 0; with <= 1; with++) {
        Text columns = {0};
        name_columns(&columns, job, with);
        const bool same = !columns.failed && strncmp(line, columns.bytes, columns.size) == 0;
        text_free(&columns);
        *sealed = with;
        if (same) return true;
    }
    return fail_input(error,
                      "%s, line 2: not the columns of a search; the file is damaged: start again with another --out",
                      job->path);
}

// Does the row, which ends at `end`, end with its checksum?
static bool is_sealed(const char *row, const char *end) {
    const ptrdiff_t tail = 1 + 8; // ",01234567"
    char text[16];
    if (end - row < tail) return false;
    snprintf(text, sizeof text, ",%08" PRIx32, crc_bytes(0, row, (size_t)(end - row - tail)));
    return strncmp(end - tail, text, (size_t)tail) == 0;
}

// The number before `separator`, which must not come after `end`.
static bool read_number(double *value, const char **row, const char *end, char separator) {
    char *at;
    *value = strtod(*row, &at);
    if (at == *row || at > end || *at != separator) return false;
    *row = at + 1;
    return true;
}

// One row, which ends at `end`; false when it is damaged. The loss is the mean of those by window, and so says whether
// they are what was written.
static bool read_row(Evaluated *e, int *generation, const Job *job, bool sealed, const char *row, const char *end) {
    double values[4];
    Stretch stretch = {0}, again = {0};
    if (sealed && !is_sealed(row, end)) return false;
    for (int i = 0; i < 4; i++)
        if (!read_number(&values[i], &row, end, ',')) return false;
    if (!(values[0] >= 0 && values[0] <= job->options.generations && values[1] >= 1 &&
          values[1] <= job->options.windows && values[3] >= 0 && values[3] <= unscaled_choices[UNSCALED_CHOICES - 1]))
        return false;
    *generation = (int)values[0];
    stretch.unscaled = (int)values[3];
    for (int i = 0; i < job->space.pairs; i++)
        if (!read_number(&stretch.factors[i], &row, end, ',')) return false;
    *e = (Evaluated){.candidate = candidate_of(&job->space, &stretch), .scored = (int)values[1]};
    for (int w = 0; w < e->scored; w++)
        if (!read_number(&e->scores[w], &row, end, sealed || w + 1 < job->options.windows ? ',' : '\n')) return false;
    candidate_stretch(&again, &job->space, &e->candidate);
    for (int i = 0; i < job->space.pairs; i++)
        if (!(fabs(again.factors[i] - stretch.factors[i]) < job->space.step / 2)) return false;
    const double mean = evaluated_mean(e);
    return again.unscaled == stretch.unscaled && (mean == values[2] || (isnan(mean) && isnan(values[2])));
}

// Is this the first line of the same search? Fails (input) naming the first setting that differs.
static bool check_settings(const Job *job, const char *line, size_t length, Error *error) {
    const char *now = job->settings;
    if (length == strlen(now) && strncmp(line, now, length) == 0) return true;
    size_t start = strlen("# "), at = 0; // of the setting that differs
    for (; at < length && line[at] == now[at]; at++)
        if (at >= 1 && line[at - 1] == ',' && line[at] == ' ') start = at + 1;
    const int there = at < start ? 0 : (int)strcspn(line + start, ",\n"), here = (int)strcspn(now + start, ",");
    if (there == 0 || there > 40 || !now[at])
        return fail_input(error,
                          "%s does not begin as a search does; the file is damaged: start again with another --out",
                          job->path);
    return fail_input(error,
                      "%s is of another search: there %.*s, and now %.*s; give the same options, or another --out",
                      job->path, there, line + start, here, now + start);
}

static bool fail_memory(const Job *job, const Search *search, Error *error) {
    return fail_run(error, "%s: no memory for %zu candidates; give smaller --population or --generations", job->path,
                    search->refused);
}

// Take up the evaluations of a search that was stopped; a last row that was cut short is left out.
static bool recall(Job *job, Search *search, AtomicFile *file, Error *error) {
    Buffer old;
    if (!file_read(&old, job->path, error)) return false;
    const char *row = (const char *)old.bytes;
    const size_t length = strcspn(row, "\n");
    bool sealed = false, ok = check_settings(job, row, length, error);
    row = strchr(row, '\n');
    ok = ok && (!row || check_columns(&sealed, job, row + 1, error));
    row = row ? strchr(row + 1, '\n') : NULL;
    for (int line = 3; ok && row && *++row; line++) {
        Evaluated e;
        int generation = 0;
        const char *end = strchr(row, '\n');
        if (!end) break;
        ok =
            read_row(&e, &generation, job, sealed, row, end) ||
            fail_input(error, "%s, line %d: not a row of a search; the file is damaged: start again with another --out",
                       job->path, line);
        if (!ok) break;
        search_recall(search, &e);
        if (search->refused) ok = fail_memory(job, search, error);
        if (!ok) break;
        note_best(job, &e);
        ok = write_row(file->stream, job, generation, &e) ||
             fail_run(error, "cannot write %s: %s; make room and try again", job->path, strerror(errno));
        if (!ok) break;
        job->recalled++;
        row = end;
    }
    free(old.bytes);
    return ok;
}

// search.csv with the rows that are known, open for more.
static bool open_csv(Job *job, Search *search, Error *error) {
    const ExtendOptions *o = job->x->options;
    AtomicFile file;
    const bool exists = path_exists(job->path);
    if (exists && !o->resume)
        return fail_input(error, "%s already holds a search; go on with it by --resume, or choose another --out",
                          o->out);
    if (!exists && o->resume)
        return fail_input(error, "%s holds no search to resume; leave out --resume to start one", o->out);
    if (!atomic_open(&file, job->path, error)) return false;
    bool ok = write_head(file.stream, job) || fail_run(error, "cannot write %s: %s", job->path, strerror(errno));
    ok = ok && (!o->resume || recall(job, search, &file, error));
    if (!ok) {
        atomic_abandon(&file);
        return false;
    }
    if (!atomic_commit(&file, error)) return false;
    job->csv = file_append(job->path);
    return job->csv || fail_run(error, "cannot append to %s: %s", job->path, strerror(errno));
}

static void print_speed(const Job *job, const Search *search) {
    const double seconds = clock_seconds() - job->started;
    const long long fresh = search->evaluations - job->recalled;
    if (fresh > 0)
        printf("search   %lld evaluations in %.1f s, %.2f a second; %lld given up early, %lld children were known "
               "already%s\n",
               fresh, seconds, (double)fresh / seconds, search->abandoned, search->known,
               job->recalled ? ", counted from the start" : "");
}

static bool run(Stretch *result, Job *job, Search *search, Error *error) {
    RunStretch *found = &job->x->found;
    const char *go_on = job->options.remember
                            ? "go on with the same command and --resume"
                            : "with --forget there is no going on: remove the directory to start again";
    interrupt_catch();
    progress_start(&job->line, "extend", (double)job->recalled, (double)search_budget(&job->options));
    job->started = clock_seconds();
    const bool complete = search_run(search, job->seeds, job->seed_count);
    progress_clear(&job->line);
    print_speed(job, search);
    if (job->unwritten)
        return fail_run(error, "cannot write %s: %s; make room, and %s", job->path, strerror(job->unwritten), go_on);
    if (search->refused) return fail_memory(job, search, error);
    if (!complete) {
        fail_run(error, "interrupted after %lld evaluations; %s", search->evaluations, go_on);
        return interrupt_failed(error);
    }
    const Evaluated *best = search_best(search);
    if (!best || !isfinite(evaluated_mean(best)))
        return fail_run(error, "no candidate has a finite loss; is the model trained?");
    *result = job->stretch;
    candidate_stretch(result, &job->space, &best->candidate);
    found->loss = evaluated_mean(best);
    found->evaluations = search->evaluations;
    found->tokens = search->windows * job->x->window;
    return true;
}

bool extend_by_search(Stretch *result, Extension *x, Error *error) {
    Job job = {.x = x,
               .space = search_space(x->pairs, extension_bound(x), x->original),
               .options = extension_search(x),
               .best = INFINITY};
    const SearchHooks hooks = {&job, score, evaluated};
    extension_attention(&job.stretch, x);
    if (!path_format(job.path, error, "%s/search.csv", x->options->out)) return false;
    Stretch seeds[SEEDS_MOST];
    job.seed_count = extension_seeds(seeds, x);
    for (int i = 0; i < job.seed_count; i++) job.seeds[i] = candidate_of(&job.space, &seeds[i]);
    describe_settings(&job);
    Search search = search_begin(&job.space, &job.options, &hooks);
    bool ok = open_csv(&job, &search, error) && run(result, &job, &search, error);
    if (job.csv && fclose(job.csv) != 0 && ok) ok = fail_run(error, "cannot write %s: %s", job.path, strerror(errno));
    search_end(&search);
    return ok;
}
