#include "lab/compare/work.h"

#include "base/interrupt.h"
#include "lab/compare/measure.h"
#include "lab/extend/extend.h"
#include "train/config.h"
#include "train/result.h"
#include "train/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAUSES_SILENT 30 // pauses before a message says what is waited for: 9 seconds

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

static bool job_has(const Comparison *c, const Job *job, const char *file) {
    char path[PATH_CAPACITY];
    Error ignored;
    return comparison_path(path, c, job, file, &ignored) && path_exists(path);
}

bool job_done(const Comparison *c, const Job *job) {
    return job_has(c, job, "measured.csv") && !job_has(c, job, "state.safetensors") && !job_has(c, job, "lock");
}

bool job_mine(const Comparison *c, int index) {
    return c->shares == 0 || index % c->shares == c->share;
}

// Other machines may have done jobs just now. NFS shows what is new in a directory when it is opened.
static void refresh(const char *path) {
    DIR *directory = opendir(path);
    if (directory) closedir(directory);
}

int comparison_seeds(const Comparison *c) {
    char path[PATH_CAPACITY];
    Error ignored;
    if (path_format(path, &ignored, "%s/runs", c->directory)) refresh(path);
    for (int i = 0; i < plan_job_count(&c->plan); i++) {
        const Job job = plan_job(&c->plan, i);
        if (comparison_path(path, c, &job, "", &ignored)) refresh(path);
        if (!job_done(c, &job)) return job.seed;
    }
    return c->plan.seeds;
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
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    }
    return result == LOCK_MINE || fail_lock(path, errno, error);
}

typedef struct {
    const Comparison *comparison;
    atomic_int *progress;
    pid_t parent;     // the process that waits for this one
    Job job, weights; // weights: the job that trains its weights
    TrainOptions options;
    const Corpus *corpus;
    Corpus own;
    Trainer *trainer;
    RunFiles files; // locked
    Stop stop;
} Worker;

// Set w->corpus to the job's text, which is in memory already, or open its task.
static bool open_corpus(Worker *w, Error *error) {
    const Comparison *c = w->comparison;
    const bool task = w->job.task >= 0;
    w->corpus = task ? &w->own : &c->corpora[c->plan.settings[w->job.setting].text];
    return !task || corpus_open(&w->own, w->options.data, error);
}

// Has a signal come, here or to the parent, or was the parent killed?
static bool must_stop(const void *context) {
    return interrupt_came() || getppid() != ((const Worker *)context)->parent;
}

static void set_progress(const Worker *w, double share) {
    atomic_store(w->progress, (int)(share * PROGRESS_ALL));
}

double training_share(const Comparison *c, const Job *job) {
    const double trained = 3 * plan_job_tokens(&c->plan, job);
    if (job->task >= 0) return 0.95; // answers are short
    const Corpus *corpus = &c->corpora[c->plan.settings[job->setting].text];
    const double half = 0.5 * (double)split_limit(&corpus->val, c->plan.base.eval_tokens);
    return trained / (trained + (1 + MULTIPLES) * half);
}

// After each step: report the progress, and check whether to stop.
static bool after_step(void *context, Trainer *trainer, StepReport *report, Error *error) {
    Worker *w = context;
    const long long step = (long long)trainer->progress.step;
    set_progress(w, training_share(w->comparison, &w->job) * (double)step / (double)w->options.steps);
    report->stop = must_stop(w);
    return true;
}

// Validate at the steps of the curve, unless the previous observer has just done so.
static bool observe_curve(void *context, Trainer *trainer, StepReport *report, Error *error) {
    const TrainOptions *o = trainer->options;
    const long long step = (long long)trainer->progress.step;
    if ((o->eval_every > 0 && step % o->eval_every == 0) || curve_step(step - 1, o->steps) != step) return true;
    return step == o->steps || observe_validation(context, trainer, report, error);
}

static bool train(Worker *w, Error *error) {
    const TrainOptions *o = &w->options;
    const Observer observers[] = {
        {o->eval_every, observe_validation, NULL},
        {1, observe_curve, NULL},
        {1, run_keep, &w->files.lock},
        {1, log_row, &w->files.log},
        {o->eval_every, positions_row, &w->files.positions},
        {1, after_step, w},
        {o->save_every, observe_checkpoint, &w->files},
        {0},
    };
    // A run that was killed within its last checkpoint has its state, but maybe not its weights.
    if (w->trainer->progress.step >= o->steps && !observe_checkpoint(&w->files, w->trainer, NULL, error)) return false;
    return train_loop(w->trainer, observers, error) && stop_check(&w->stop, error) &&
           run_check_learning(w->trainer, &w->files.paths, error);
}

static bool has_own_weights(const Worker *w) {
    return w->weights.variant == w->job.variant;
}

// Write what was measured, or that the run diverged; its weights are then removed. If another job has trained the
// weights, the rows of training are copied from its measured.csv.
static bool write_measures(const Worker *w, bool diverged, Error *error) {
    const Plan *plan = &w->comparison->plan;
    const bool own = has_own_weights(w);
    Trainer *trainer = w->trainer;
    char path[PATH_CAPACITY], weights[PATH_CAPACITY], record[PATH_CAPACITY], seal[64];
    Text rows = {0};
    Buffer recorded;
    AtomicFile csv;
    if (!comparison_path(path, w->comparison, &w->job, "measured.csv", error) ||
        !comparison_path(weights, w->comparison, &w->weights, "", error) ||
        !path_format(record, error, "%s/%s", weights, own ? "log.csv" : "measured.csv") ||
        !file_read(&recorded, record, error))
        return false;
    char *training = (char *)recorded.bytes;
    if (!own) diverged = !measured_training(&training);
    if (own && diverged) unlink(w->files.paths.model);
    if (own && diverged) // at the step that failed, or after the last
        text_print(&rows, MEASURED_HEADER "diverged,%lld,nan,1\n",
                   (long long)trainer->progress.step + (trainer->progress.step < w->options.steps));
    // Windows longer than the trained one have the stretch of the variant.
    bool ok = diverged || ((own || run_init_from(&trainer->gpt, trainer->init, weights, w->corpus, error)) &&
                           extension_formula(&trainer->gpt.pos, plan->variants[w->job.variant].stretch, error) &&
                           measure(&rows, trainer, plan->base.eval_tokens, plan->exercises, &w->stop, error));
    if (own && ok && !diverged) measure_training(&rows, trainer, training);
    if (!own) text_print(&rows, "%s", training);
    free(recorded.bytes);
    ok =
        ok && (!rows.failed || fail_run(error, "no memory for the rows of %s", path)) && atomic_open(&csv, path, error);
    if (ok) fprintf(csv.stream, "%.*s%s", (int)rows.size, rows.bytes, measure_seal(seal, rows.bytes, rows.size));
    text_free(&rows);
    return ok && result_close(&csv, true, error);
}

// Lock the directory of the job, and set w->options and w->files.paths.
static LockResult enter(Worker *w, Error *error) {
    char out[PATH_CAPACITY];
    w->options = plan_job_options(&w->comparison->plan, &w->job);
    if (!comparison_path(out, w->comparison, &w->job, "", error) || !run_paths(&w->files.paths, out, error))
        return LOCK_FAILED;
    const int length = snprintf(w->options.out, sizeof w->options.out, "%s", out);
    if (length >= (int)sizeof w->options.out) fail_input(error, "%.60s...: choose a shorter --out", out);
    return length >= (int)sizeof w->options.out ? LOCK_FAILED : run_lock(&w->files.lock, out, error);
}

// Train, or continue to train, and measure, in the directory that is locked.
static bool train_and_measure(Worker *w, Error *error) {
    Trainer trainer;
    w->options.resume = !path_missing(w->files.paths.config);
    if (!open_corpus(w, error)) return false;
    w->trainer = &trainer;
    bool ok = trainer_create(&trainer, &w->options, w->corpus, error);
    if (ok && !has_own_weights(w)) {
        ok = write_measures(w, false, error);
        trainer_free(&trainer);
    } else if (ok) {
        ok = run_load_or_create(&trainer, &w->files.paths, &w->options, error) &&
             run_files_open(&w->files, &trainer, error);
        const bool trained = ok && train(w, error), diverged = ok && !trained && error->kind == ERROR_NONFINITE;
        ok = (trained || diverged) && lock_keep(&w->files.lock.lock, error) && write_measures(w, diverged, error);
        log_close(&w->files.log);
        log_close(&w->files.positions);
        trainer_free(&trainer);
    }
    w->trainer = NULL;
    corpus_close(&w->own);
    return ok;
}

bool work(bool *taken, const Comparison *c, int job, atomic_int *progress, pid_t parent, Error *error) {
    Worker w = {.comparison = c, .progress = progress, .parent = parent, .job = plan_job(&c->plan, job)};
    Error lost;
    w.weights = w.job;
    w.weights.variant = plan_weights(&c->plan, w.job.variant);
    if (!has_own_weights(&w) && !job_done(c, &w.weights) &&
        !work(taken, c, plan_job_index(&c->plan, &w.weights), progress, parent, error))
        return false;
    w.stop = (Stop){must_stop, &w, "run the same command again to continue"};
    threads_use(c->plan.threads);
    const LockResult entered = enter(&w, error);
    *taken = entered == LOCK_TAKEN;
    if (entered != LOCK_MINE) return false;
    const char *state = w.files.paths.state; // large; removed last, because it marks the run as unfinished
    const bool ok =
        (job_has(c, &w.job, "measured.csv") || train_and_measure(&w, error)) && lock_keep(&w.files.lock.lock, error) &&
        (unlink(state) == 0 || errno == ENOENT || fail_run(error, "cannot remove %s: %s", state, strerror(errno)));
    if (ok) set_progress(&w, 1);
    // When the lock was lost, another process has the run now.
    *taken = !ok && error->kind != ERROR_INTERRUPTED && !lock_keep(&w.files.lock.lock, &lost);
    run_unlock(&w.files.lock);
    return ok;
}
