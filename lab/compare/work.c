#include "lab/compare/work.h"

#include "base/interrupt.h"
#include "lab/compare/measure.h"
#include "lab/run/config.h"
#include "lab/run/positions.h"
#include "lab/run/result.h"
#include "lab/run/tensorboard.h"
#include "lab/run/train_loop.h"
#include "lab/stats/npy.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

bool comparison_paths(Comparison *c, const char *directory, Error *error) {
    if (!*directory) return fail_input(error, "the directory's name is empty; give one, such as runs/compare");
    return path_format(c->directory, error, "%s", directory) &&
           path_format(c->file, error, "%s/compare.json", directory) &&
           path_format(c->claims, error, "%s/claims", directory);
}

bool comparison_path(char path[PATH_CAPACITY], const Comparison *c, const Job *job, const char *file, Error *error) {
    char name[PATH_CAPACITY];
    return path_format(path, error, "%s/runs/%s%s%s", c->directory, plan_job_name(name, &c->plan, job),
                       *file ? "/" : "", file);
}

int comparison_done(const Comparison *c) {
    char path[PATH_CAPACITY];
    Error ignored;
    int done = 0;
    DIR *runs = path_format(path, &ignored, "%s/runs", c->directory) ? opendir(path) : NULL;
    for (const struct dirent *entry; runs && (entry = readdir(runs));)
        done +=
            path_format(path, &ignored, "%s/runs/%s/measured.csv", c->directory, entry->d_name) && path_exists(path);
    if (runs) closedir(runs);
    return done;
}

bool job_done(const Comparison *c, const Job *job) {
    char path[PATH_CAPACITY];
    Error error;
    return comparison_path(path, c, job, "measured.csv", &error) && path_exists(path);
}

// Files in this directory get replaced or removed, which must not happen to files behind a link.
static bool check_inside(const char *directory, Error *error) {
    return !path_is_link(directory) ||
           fail_input(error, "%s is a symbolic link; remove it, so that a directory can take its place", directory);
}

bool comparison_claim(Claim *claim, const Comparison *c, const char *what, Error *error) {
    char runs[PATH_CAPACITY];
    return path_format(runs, error, "%s/runs", c->directory) && check_inside(runs, error) &&
           check_inside(c->claims, error) && directory_create(c->claims, error) &&
           claim_wait(claim, c->claims, what, c->patience, error);
}

bool comparison_fail_changed(const Comparison *c, const char *name, Error *error) {
    return fail_input(error,
                      "%s has changed since the comparison in %s was begun: the CRC-32s of its tokens differ; restore "
                      "the old text, or choose another --out",
                      name, c->directory);
}

long long snapshot_step(long long steps, int snapshot) {
    return snapshot == 0 ? 0 : steps >> (SNAPSHOTS - 1 - snapshot);
}

typedef struct {
    Comparison *comparison;
    pid_t parent;                                // the process that waits for this one
    Corpus texts[TEXTS_MOST], tasks[TASKS_MOST]; // opened when they are first needed
    Claim claim;
    Sighting *seen; // (jobs) what was last seen of the claims of others
    Job job;
    int index;   // of the job
    bool lost;   // another worker has taken the job away
    Error first; // of the jobs that failed
    TrainOptions options;
    RunPaths paths;
    Trainer trainer;
    RunLog log, positions, events;
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

static void pause_shortly(void) {
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
}

// After each step: record position parameters, tell the progress, and see whether to go on.
static TrainNext after_step(void *context, const StepReport *report, Error *error) {
    Worker *w = context;
    const long long step = (long long)w->trainer.progress.step;
    if (!snapshot(w, step, error)) return TRAIN_FAILED;
    set_progress(w, (double)step / (double)w->options.steps);
    if (must_stop(w)) return TRAIN_SAVE_AND_STOP;
    w->lost = !claim_keep(&w->claim);
    return w->lost ? TRAIN_STOP : TRAIN_GO_ON;
}

static bool train(Worker *w, Error *error) {
    const TrainLoop loop = {.paths = &w->paths,
                            .log = &w->log,
                            .positions = &w->positions,
                            .events = &w->events,
                            .after_step = after_step,
                            .context = w};
    if (w->trainer.progress.step == 0 && !snapshot(w, 0, error)) return false;
    return train_loop(&w->trainer, &loop, error) && (w->lost || stop_check(&w->stop, error));
}

// Write what was measured, or that the run diverged.
static bool write_measures(const Worker *w, bool diverged, Error *error) {
    char path[PATH_CAPACITY];
    AtomicFile csv;
    if (!comparison_path(path, w->comparison, &w->job, "measured.csv", error) || !atomic_open(&csv, path, error))
        return false;
    if (diverged) fprintf(csv.stream, MEASURED_HEADER "diverged,%lld,nan,1\n", (long long)w->trainer.progress.step + 1);
    const bool ok = diverged || measure(csv.stream, &w->trainer, w->comparison->plan.base.eval_tokens,
                                        w->comparison->plan.exercises, &w->stop, error);
    return result_close(&csv, ok, error);
}

static bool finish(const Worker *w, bool trained, Error *error) {
    if (!trained && error->kind != ERROR_NONFINITE) return false;
    if (!write_measures(w, !trained, error)) return false;
    unlink(w->paths.state);               // large, and not needed any more
    if (!trained) unlink(w->paths.model); // the last checkpoint of a run that diverged is not its result
    set_progress(w, 1);
    return true;
}

static bool open_logs(Worker *w, Error *error) {
    const long long step = (long long)w->trainer.progress.step;
    return log_open(&w->log, w->paths.log, step, error) &&
           positions_open(&w->positions, w->paths.positions, &w->trainer.gpt, step, error) &&
           tensorboard_open(&w->events, &w->trainer, error);
}

// Train, or continue to train, and measure, in a directory that was entered.
static bool do_entered(Worker *w, Error *error) {
    w->lost = false;
    w->options.resume = path_exists(w->paths.config);
    if (job_done(w->comparison, &w->job)) return true;
    const Corpus *corpus = open_corpus(w, error);
    if (!corpus || !trainer_create(&w->trainer, &w->options, corpus, error)) return false;
    w->log = w->positions = w->events = (RunLog){0};
    bool ok = run_load_or_create(&w->trainer, &w->paths, &w->options, error) && open_logs(w, error);
    if (ok) {
        ok = train(w, error);
        if (!w->lost) ok = finish(w, ok, error);
    }
    log_close(&w->log);
    log_close(&w->positions);
    log_close(&w->events);
    trainer_free(&w->trainer);
    return ok;
}

static bool do_job(Worker *w, Error *error) {
    char out[PATH_CAPACITY];
    RunLock lock;
    LockResult entered;
    w->options = plan_job_options(&w->comparison->plan, &w->job);
    if (!comparison_path(out, w->comparison, &w->job, "", error) || !run_paths(&w->paths, out, error)) return false;
    if (strlen(out) >= sizeof w->options.out) return fail_input(error, "%.60s...: choose a shorter --out", out);
    snprintf(w->options.out, sizeof w->options.out, "%.511s", out);
    // A worker that was stopped may be in the directory still, and not know yet that it lost the claim.
    while ((entered = run_lock(&lock, out, error)) == LOCK_TAKEN) {
        if (!stop_check(&w->stop, error)) return false;
        pause_shortly();
    }
    const bool ok = entered == LOCK_MINE && do_entered(w, error);
    run_unlock(&lock);
    return ok;
}

// Claim the first job that is not done, not claimed by others, and has not failed here. *left counts the jobs that are
// neither done nor failed, up to that one.
static ClaimResult next_job(Worker *w, int *left, Error *error) {
    const Comparison *c = w->comparison;
    *left = 0;
    for (w->index = 0; w->index < plan_job_count(&c->plan); w->index++) {
        char name[PATH_CAPACITY];
        w->job = plan_job(&c->plan, w->index);
        if (atomic_load(&c->jobs[w->index].failed) || job_done(c, &w->job)) continue;
        ++*left;
        const ClaimResult result = claim_take(&w->claim, c->claims, plan_job_name(name, &c->plan, &w->job), c->patience,
                                              &w->seen[w->index], error);
        if (result == CLAIM_TAKEN) continue;
        if (result == CLAIM_FAILED || !(atomic_load(&c->jobs[w->index].failed) || job_done(c, &w->job))) return result;
        claim_release(&w->claim); // another worker did it, or failed, before it was claimed here
    }
    return CLAIM_TAKEN;
}

// Do the claimed job. A job that fails does not stop the worker. Fails (interrupted).
static bool try_job(Worker *w, Error *error) {
    const bool ok = do_job(w, error), stopped = !ok && error->kind == ERROR_INTERRUPTED;
    if (!ok && !stopped) {
        atomic_store(&w->comparison->jobs[w->index].failed, true);
        if (w->first.kind == ERROR_NONE) w->first = *error;
    }
    claim_release(&w->claim);
    return !stopped;
}

bool work(Comparison *comparison, Error *error) {
    Worker w = {.comparison = comparison, .parent = getppid()};
    const int jobs = plan_job_count(&comparison->plan);
    int left = 0;
    w.stop = (Stop){must_stop, &w, "run the same command again to continue"};
    w.seen = calloc((size_t)jobs, sizeof *w.seen);
    bool ok = w.seen || fail_run(error, "no memory for the claims of %d runs", jobs);
    threads_use(comparison->plan.threads);
    while (ok) {
        const ClaimResult result = next_job(&w, &left, error);
        if (result == CLAIM_TAKEN && left == 0) break;
        if (result == CLAIM_TAKEN) pause_shortly(); // other workers have claimed the rest, and may die
        ok = (result == CLAIM_MINE ? try_job(&w, error) : result == CLAIM_TAKEN) && stop_check(&w.stop, error);
    }
    for (int i = 0; i < comparison->plan.text_count; i++) corpus_close(&w.texts[i]);
    for (int i = 0; i < comparison->plan.task_count; i++) corpus_close(&w.tasks[i]);
    free(w.seen);
    if (ok && w.first.kind != ERROR_NONE) *error = w.first;
    return ok && w.first.kind == ERROR_NONE;
}
