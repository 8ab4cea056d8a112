#include "lab/compare/work.h"

#include "base/interrupt.h"
#include "lab/compare/measure.h"
#include "train/config.h"
#include "train/positions.h"
#include "train/result.h"
#include "train/loop.h"
#include "lab/stats/npy.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PAUSES_SILENT 30 // before it is said what is waited for: 9 seconds

bool comparison_paths(Comparison *c, const char *directory, Error *error) {
    if (!*directory) return fail_input(error, "the directory's name is empty; give one, such as runs/compare");
    return path_format(c->directory, error, "%s", directory) &&
           path_format(c->file, error, "%s/compare.json", directory);
}

bool comparison_path(char path[PATH_CAPACITY], const Comparison *c, const Job *job, const char *file, Error *error) {
    char name[PATH_CAPACITY];
    return path_format(path, error, "%s/runs/%s%s%s", c->directory, plan_job_name(name, &c->plan, job),
                       *file ? "/" : "", file);
}

bool comparison_done(int *done, const Comparison *c, Error *error) {
    char runs[PATH_CAPACITY], path[PATH_CAPACITY];
    Error ignored;
    *done = 0;
    if (!path_format(runs, error, "%s/runs", c->directory)) return false;
    if (path_missing(runs)) return true;
    DIR *entries = opendir(runs);
    if (!entries) return fail_open(runs, errno, "put a directory there, or choose another --out", error);
    for (const struct dirent *entry; (entry = directory_next(entries));)
        *done += path_format(path, &ignored, "%s/%s/measured.csv", runs, entry->d_name) && !path_missing(path);
    return directory_end(entries, runs, error);
}

static bool measured_path(char path[PATH_CAPACITY], const Comparison *c, const Job *job) {
    Error ignored;
    return comparison_path(path, c, job, "measured.csv", &ignored);
}

bool job_done(const Comparison *c, const Job *job) {
    char path[PATH_CAPACITY];
    return measured_path(path, c, job) && path_exists(path);
}

bool job_mine(const Comparison *c, int index) {
    return c->shares == 0 || index % c->shares == c->share;
}

// Other machines may have done jobs just now. NFS shows what is new in a directory when it is opened.
static void refresh(const char *path) {
    DIR *directory = opendir(path);
    if (directory) closedir(directory);
}

static bool share_all(const Comparison *c, int share, int shares, bool (*all)(const Comparison *, const Job *)) {
    char path[PATH_CAPACITY];
    Error ignored;
    if (path_format(path, &ignored, "%s/runs", c->directory)) refresh(path);
    for (int i = share; i < plan_job_count(&c->plan); i += shares) {
        const Job job = plan_job(&c->plan, i);
        if (comparison_path(path, c, &job, "", &ignored)) refresh(path);
        if (!all(c, &job)) return false;
    }
    return true;
}

bool share_done(const Comparison *c, int share, int shares) {
    return share_all(c, share, shares, job_done);
}

// As job_done, but a run whose results cannot be looked at counts as done: the report then fails and says why.
static bool job_known(const Comparison *c, const Job *job) {
    char path[PATH_CAPACITY];
    return measured_path(path, c, job) && !path_missing(path);
}

bool comparison_complete(const Comparison *c) {
    return share_all(c, 0, 1, job_known);
}

static void pause_shortly(void) {
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
}

bool comparison_lock(Lock *lock, const Comparison *c, Error *error) {
    char runs[PATH_CAPACITY], path[PATH_CAPACITY];
    LockResult result;
    if (!path_format(runs, error, "%s/runs", c->directory) || !path_format(path, error, "%s/lock", c->directory))
        return false;
    // Files in this directory get replaced or removed, but not those behind a link.
    if (!path_check_link(runs, "remove it, so that a directory can take its place", error)) return false;
    for (int pauses = 0; (result = lock_take(lock, path)) == LOCK_TAKEN; pauses++) {
        if (!stop_check(&stop_at_signal, error)) return false;
        if (pauses == PAUSES_SILENT)
            fprintf(stderr, "bitter: waiting for the process that is writing the plan or the report in %s\n",
                    c->directory);
        pause_shortly();
    }
    return result == LOCK_MINE || fail_lock(path, errno, error);
}

bool comparison_fail_changed(const Comparison *c, const char *name, Error *error) {
    return fail_input(error,
                      "%s has changed since the comparison in %s was begun: the CRC-32s of its tokens differ, or its "
                      "tokenizer.json is lost; restore the old text, or choose another --out",
                      name, c->directory);
}

long long snapshot_step(long long steps, int snapshot) {
    return snapshot == 0 ? 0 : steps >> (SNAPSHOTS - 1 - snapshot);
}

typedef struct {
    Comparison *comparison;
    pid_t parent;                                // the process that waits for this one
    Corpus texts[TEXTS_MOST], tasks[TASKS_MOST]; // opened when they are first needed
    Job job;
    int index;   // of the job
    Error first; // of the jobs that failed
    TrainOptions options;
    Trainer trainer;
    RunFiles files; // of the job; locked
    Stop stop;
} Worker;

// The text or the task of the job; NULL on failure.
static const Corpus *open_corpus(Worker *w, Error *error) {
    const int text = w->comparison->plan.settings[w->job.setting].text;
    Corpus *c = w->job.task < 0 ? &w->texts[text] : &w->tasks[w->job.task];
    const json_t *expected = w->job.task < 0 ? json_array_get(w->comparison->data, (size_t)text) : NULL;
    if (c->tokenizer.vocab_size > 0) return c;
    if (!corpus_open(c, w->options.data, error)) return NULL;
    if (!expected || data_is(expected, c)) return c;
    corpus_close(c);
    comparison_fail_changed(w->comparison, w->options.data, error);
    return NULL;
}

static bool record_positions(const Worker *w, long long step, Error *error) {
    const Gpt *gpt = &w->trainer.gpt;
    char path[PATH_CAPACITY], file[64];
    AtomicFile npy;
    snprintf(file, sizeof file, "positions-%lld.npy", step);
    if (!comparison_path(path, w->comparison, &w->job, file, error) ||
        !npy_open(&npy, path, 1, (long long)tensor_numbers(&gpt->tensors, true), error))
        return false;
    const Tensor *tensor;
    for (int p = 0; (tensor = gpt_position_tensor(gpt, p)); p++) {
        if (!atomic_write(&npy, gpt->params + tensor->offset, tensor->count * sizeof(real), error)) return false;
    }
    return atomic_commit(&npy, error);
}

static bool snapshot(const Worker *w, long long step, Error *error) {
    if (w->job.task >= 0 || !gpt_position_tensor(&w->trainer.gpt, 0)) return true;
    for (int s = 0; s < SNAPSHOTS; s++)
        if (snapshot_step(w->options.steps, s) == step) return record_positions(w, step, error);
    return true;
}

// Has a signal come, here or to the parent, or was the parent killed?
static bool must_stop(const void *context) {
    const Worker *w = context;
    return interrupt_came() || atomic_load(w->comparison->stop) || getppid() != w->parent;
}

static void set_progress(const Worker *w, double share) {
    atomic_store(&w->comparison->jobs[w->index].progress, (int)(share * PROGRESS_ALL));
}

// After each step: record position parameters, tell the progress, and see whether to go on.
static bool after_step(void *context, Trainer *trainer, StepReport *report, Error *error) {
    Worker *w = context;
    const long long step = (long long)trainer->progress.step;
    if (!snapshot(w, step, error)) return false;
    set_progress(w, (double)step / (double)w->options.steps);
    report->stop = must_stop(w);
    return true;
}

static bool train(Worker *w, Error *error) {
    const TrainOptions *o = &w->options;
    const Observer observers[] = {
        {o->eval_every, observe_validation, &w->files},
        {1, observe_lock, &w->files},
        {1, observe_log, &w->files},
        {o->eval_every, observe_positions, &w->files},
        {1, after_step, w},
        {o->save_every, observe_checkpoint, &w->files},
        {0},
    };
    if (w->trainer.progress.step == 0 && !snapshot(w, 0, error)) return false;
    // A run that was killed within its last checkpoint has its state, but maybe not its weights.
    if (w->trainer.progress.step >= o->steps && !observe_checkpoint(&w->files, &w->trainer, NULL, error)) return false;
    return train_loop(&w->trainer, observers, error) && stop_check(&w->stop, error);
}

static const char diverged_rows[] = MEASURED_HEADER "diverged,"; // how the rows of one that diverged begin

// What was measured, or that the run diverged.
static bool print_measures(Text *rows, const Worker *w, bool diverged, Error *error) {
    if (diverged) text_print(rows, "%s%lld,nan,1\n", diverged_rows, (long long)w->trainer.progress.step + 1);
    return diverged || measure(rows, &w->trainer, w->comparison->plan.base.eval_tokens, w->comparison->plan.exercises,
                               &w->stop, error);
}

static bool write_measures(const Worker *w, bool diverged, Error *error) {
    char path[PATH_CAPACITY], seal[64];
    Text rows = {0};
    AtomicFile csv;
    if (!comparison_path(path, w->comparison, &w->job, "measured.csv", error) || !atomic_open(&csv, path, error))
        return false;
    bool ok = print_measures(&rows, w, diverged, error) &&
              (!rows.failed || fail_run(error, "no memory for the rows of %s", path));
    if (ok) fprintf(csv.stream, "%.*s%s", (int)rows.size, rows.bytes, measure_seal(seal, rows.bytes, rows.size));
    text_free(&rows);
    return result_close(&csv, ok, error);
}

// What a run that is done does not need: its state, which is large, and goes last, because it says that this is still
// to be done; and the weights of one that diverged, because they are not its result.
static void drop_files(const RunPaths *paths, bool diverged) {
    if (diverged) unlink(paths->model);
    unlink(paths->state);
}

static bool finish(const Worker *w, bool trained, Error *error) {
    if (!trained && error->kind != ERROR_NONFINITE) return false;
    if (!write_measures(w, !trained, error)) return false;
    drop_files(&w->files.paths, !trained);
    set_progress(w, 1);
    return true;
}

// Lock the directory of the job, and set w->options and w->files.paths.
static LockResult enter(Worker *w, Error *error) {
    char out[PATH_CAPACITY];
    w->options = plan_job_options(&w->comparison->plan, &w->job);
    if (!comparison_path(out, w->comparison, &w->job, "", error) || !run_paths(&w->files.paths, out, error))
        return LOCK_FAILED;
    if (strlen(out) >= sizeof w->options.out) {
        fail_input(error, "%.60s...: choose a shorter --out", out);
        return LOCK_FAILED;
    }
    snprintf(w->options.out, sizeof w->options.out, "%.511s", out);
    return run_lock(&w->files.lock, out, error);
}

// Train, or continue to train, and measure, in the directory that is locked.
static bool do_job(Worker *w, Error *error) {
    w->options.resume = !path_missing(w->files.paths.config);
    const Corpus *corpus = open_corpus(w, error);
    if (!corpus || !trainer_create(&w->trainer, &w->options, corpus, error)) return false;
    w->files.log = w->files.positions = (RunLog){0};
    bool ok = run_load_or_create(&w->trainer, &w->files.paths, &w->options, error) &&
              run_files_open(&w->files, &w->trainer, error);
    if (ok) ok = finish(w, train(w, error), error);
    log_close(&w->files.log);
    log_close(&w->files.positions);
    trainer_free(&w->trainer);
    return ok;
}

// A job that fails here is left to other processes.
static void give_up(Worker *w, const Error *error) {
    atomic_store(&w->comparison->jobs[w->index].failed, true);
    if (w->first.kind == ERROR_NONE) w->first = *error;
}

// A process that was killed in `finish` left what the run does not need any more.
static void tidy(Worker *w) {
    char path[PATH_CAPACITY];
    Error ignored;
    Buffer measured;
    if (!job_done(w->comparison, &w->job) ||
        !((comparison_path(path, w->comparison, &w->job, "state.safetensors", &ignored) && path_exists(path)) ||
          (comparison_path(path, w->comparison, &w->job, "lock", &ignored) && path_exists(path))) ||
        enter(w, &ignored) != LOCK_MINE)
        return;
    if (comparison_path(path, w->comparison, &w->job, "measured.csv", &ignored) &&
        file_read(&measured, path, &ignored)) {
        drop_files(&w->files.paths, strncmp((char *)measured.bytes, diverged_rows, strlen(diverged_rows)) == 0);
        free(measured.bytes);
    }
    run_unlock(&w->files.lock);
}

// Lock the first job of this process that is not done, not locked by others, and has not failed here. *left counts the
// jobs that are neither done nor failed, up to that one.
static bool next_job(Worker *w, int *left) {
    const Comparison *c = w->comparison;
    *left = 0;
    for (w->index = 0; w->index < plan_job_count(&c->plan); w->index++) {
        Error error;
        w->job = plan_job(&c->plan, w->index);
        if (!job_mine(c, w->index)) continue;
        if (atomic_load(&c->jobs[w->index].failed) || job_done(c, &w->job)) continue;
        ++*left;
        const LockResult entered = enter(w, &error);
        if (entered == LOCK_FAILED) give_up(w, &error);
        if (entered != LOCK_MINE) continue;
        if (!atomic_load(&c->jobs[w->index].failed) && !job_done(c, &w->job)) return true;
        run_unlock(&w->files.lock); // another worker did it, or failed, before it was locked here
    }
    return false;
}

// Do the job whose directory is locked. A job that fails does not stop the worker, and has not failed if its lock was
// lost: then another process has it now. Fails (interrupted).
static bool try_job(Worker *w, Error *error) {
    Error lost;
    const bool ok = do_job(w, error), stopped = !ok && error->kind == ERROR_INTERRUPTED;
    if (!ok && !stopped && lock_keep(&w->files.lock.lock, &lost)) give_up(w, error);
    run_unlock(&w->files.lock);
    return !stopped;
}

bool work(Comparison *comparison, pid_t parent, Error *error) {
    Worker w = {.comparison = comparison, .parent = parent};
    int left;
    bool ok = true;
    w.stop = (Stop){must_stop, &w, "run the same command again to continue"};
    threads_use(comparison->plan.threads);
    while (ok) {
        if (next_job(&w, &left))
            ok = try_job(&w, error);
        else if (left > 0)
            pause_shortly(); // other workers have locked the rest, and may die
        else
            break;
        ok = ok && stop_check(&w.stop, error);
    }
    for (int i = 0; i < comparison->plan.text_count; i++) corpus_close(&w.texts[i]);
    for (int i = 0; i < comparison->plan.task_count; i++) corpus_close(&w.tasks[i]);
    if (ok && w.first.kind != ERROR_NONE) *error = w.first;
    return ok && w.first.kind == ERROR_NONE;
}

void work_tidy(Comparison *comparison) {
    Worker w = {.comparison = comparison};
    for (int i = 0; i < plan_job_count(&comparison->plan); i++) {
        w.job = plan_job(&comparison->plan, i);
        if (job_mine(comparison, i)) tidy(&w);
    }
}
