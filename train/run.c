#include "train/run.h"

#include "base/file/text.h"
#include "base/progress.h"
#include "train/config.h"
#include "model/transfer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOK_SECONDS 2

bool run_paths(RunPaths *paths, const char *run, Error *error) {
    const char *directory = paths->directory;
    if (!path_format(paths->directory, error, "%s", run)) return false;
    path_trim(paths->directory);
    const size_t length = strlen(directory), tail = strlen(RUN_BEST);
    paths->is_best = length > tail && strcmp(directory + length - tail, RUN_BEST) == 0;
    if (paths->is_best) paths->directory[length - tail] = 0;
    return path_format(paths->config, error, "%s/config.json", directory) &&
           path_format(paths->tokenizer, error, "%s/tokenizer.json", directory) &&
           path_format(paths->best, error, "%s/best.safetensors", directory) &&
           path_format(paths->model, error, "%s/%s.safetensors", directory, paths->is_best ? "best" : "model") &&
           path_format(paths->state, error, "%s/state.safetensors", directory) &&
           path_format(paths->log, error, "%s/log.csv", directory) &&
           path_format(paths->positions, error, "%s/positions.csv", directory);
}

bool run_exists(const RunPaths *paths, Error *error) {
    static const char advice[] = "name a directory that `bitter train` wrote";
    const char *directory = paths->directory;
    char comparison[PATH_CAPACITY], below[PATH_CAPACITY];
    if (!path_missing(paths->config)) return true;
    if (path_missing(directory) && path_format(below, error, "runs/%s", directory) && path_is_directory(below))
        return fail_input(error, "there is no %s here; did you mean %s?", directory, below);
    if (path_missing(directory)) return fail_open(directory, ENOENT, advice, error);
    if (!path_format(comparison, error, "%s/compare.json", directory)) return false;
    if (path_exists(comparison))
        return fail_input(error, "%s is a comparison; name one of its runs, in %s/runs", directory, directory);
    return fail_input(error, "%s holds no run (there is no config.json); %s", directory, advice);
}

void run_default_name(char out[TEXT_CAPACITY], char last[TEXT_CAPACITY], const char *pos) {
    Mix mix;
    Error error;
    char names[TEXT_CAPACITY];
    const bool parsed = mix_parse(&mix, pos, &error);
    assert(parsed);
    mix_names(&mix, "-", "-", names);
    snprintf(out, TEXT_CAPACITY, "runs/%.400s", names);
    *last = '\0';
    for (int number = 2; path_exists(out); number++) {
        memcpy(last, out, TEXT_CAPACITY);
        snprintf(out, TEXT_CAPACITY, "runs/%.400s-%d", names, number);
    }
}

bool run_name_check(const char *directory, Error *error) {
    RunPaths paths; // run_paths drops a '/' at the end
    if (!run_paths(&paths, directory, error)) return false;
    return !paths.is_best ||
           fail_input(error,
                      "--out %s: a name that ends in " RUN_BEST " means the best weights of a run; choose another name",
                      directory);
}

// Remove the temporary files of killed processes: the run's files beside them may never be written again.
static void clear_leftovers(const char *directory) {
    RunPaths paths;
    Error ignored;
    if (!run_paths(&paths, directory, &ignored)) return;
    const char *const files[] = {paths.config, paths.tokenizer, paths.model,    paths.best,
                                 paths.state,  paths.log,       paths.positions};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) temporary_clear(files[i], TEMPORARY_FILE);
}

static bool check_no_comparison(const char *directory, Error *error) {
    char comparison[PATH_CAPACITY];
    return path_format(comparison, error, "%s/compare.json", directory) &&
           (path_missing(comparison) || fail_input(error, "%s is a comparison; choose another --out", directory));
}

LockResult run_lock(RunLock *lock, const char *directory, Error *error) {
    char path[PATH_CAPACITY];
    *lock = (RunLock){0};
    if (!run_name_check(directory, error) || !path_format(lock->directory, error, "%s", directory) ||
        !path_format(path, error, "%s/lock", directory))
        return LOCK_FAILED;
    if (!path_check_link(directory, "name the directory itself, or remove the link", error) || // maybe another run's
        !check_no_comparison(directory, error))
        return LOCK_FAILED;
    LockResult result = LOCK_FAILED;
    for (int attempt = 0; attempt < 100; attempt++) {
        size_t existing;
        if (!directory_create(directory, &existing, error)) return LOCK_FAILED;
        if (attempt == 0 || existing < lock->existing) lock->existing = existing;
        result = lock_take(&lock->lock, path);
        // The process that made the directory may have removed it since.
        if (result != LOCK_FAILED || errno != ENOENT) break;
    }
    if (result == LOCK_MINE) clear_leftovers(directory);
    if (result == LOCK_TAKEN)
        fail_input(error, "another process is working on the run in %s; wait until it ends, or choose another --out",
                   directory);
    if (result == LOCK_FAILED) {
        fail_lock(path, errno, error);
        directory_uncreate(directory, lock->existing);
    }
    return result;
}

bool run_keep(void *context, Trainer *trainer, StepReport *report, Error *error) {
    RunLock *lock = context;
    const double seconds = clock_seconds();
    if (seconds - lock->looked < LOOK_SECONDS) return true;
    lock->looked = seconds;
    return lock_keep(&lock->lock, error);
}

void run_unlock(RunLock *lock) {
    if (!lock->lock.held) return;
    lock_release(&lock->lock);
    directory_uncreate(lock->directory, lock->existing);
}

static bool has_tokenizer(const RunPaths *paths, const Tokenizer *own) {
    Tokenizer found = {0};
    Error ignored;
    const bool same = tokenizer_read(&found, paths->tokenizer, &ignored) && tokenizer_same(&found, own);
    tokenizer_free(&found);
    return same;
}

bool run_check_leftover(const RunPaths *paths, const char *rest, const Tokenizer *own, Error *error) {
    const char *foreign = path_missing(paths->tokenizer) ? rest : paths->tokenizer;
    return path_missing(foreign) || has_tokenizer(paths, own) ||
           fail_input(error, "%s exists, but is not of this run; choose another --out, or move it elsewhere", foreign);
}

// Fails (input) when the directory holds files of a run, or other files with their names. The run's own tokenizer
// alone, or with a state, is replaced: it was left by a start that was killed before it wrote config.json.
static bool is_free(const RunPaths *paths, const char *out, const Tokenizer *own, Error *error) {
    const char *const files[] = {paths->config, paths->model, paths->best, paths->log, paths->positions};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!path_missing(files[i]))
            return fail_input(error, "%s already holds %s (there is %s); choose another --out, or %s", out,
                              i == 0 ? "a run" : "files of a run", files[i],
                              i == 0 ? "continue it with --resume" : "move it elsewhere");
    return run_check_leftover(paths, paths->state, own, error) && corpus_absent(out, error);
}

bool run_create(const RunPaths *paths, const TrainOptions *options, const Trainer *trainer, Error *error) {
    if (!is_free(paths, options->out, &trainer->corpus->tokenizer, error) ||
        !builtin_check_text(&trainer->corpus->builtin, trainer->corpus->name, error) ||
        !config_check_names(trainer->corpus, error))
        return false;
    unlink(paths->state);
    if (tokenizer_write(&trainer->corpus->tokenizer, paths->tokenizer, error) &&
        (!*options->init || state_save(paths->state, &trainer->gpt, &trainer->progress, error)) &&
        config_write(paths->config, options, &trainer->gpt, trainer->corpus, error))
        return true;
    unlink(paths->config); // the file may exist although its directory could not be synced
    unlink(paths->state);
    unlink(paths->tokenizer);
    return false;
}

static bool apply_past(Mix *mix, const char *past, Error *error) {
    bool applied = false;
    char names[TEXT_CAPACITY];
    if (!*past) return true;
    for (Position *pos = mix->part; pos < mix->part + mix->parts; pos++) {
        if (pos->scheme->past && !option_set(pos->options, pos->scheme->past, past, "--past", error)) return false;
        applied |= pos->scheme->past != NULL;
    }
    mix_names(mix, ", ", " and ", names);
    return applied || fail_input(error, "--past does not apply to the scheme%s %s; leave it out",
                                 mix->parts > 1 ? "s" : "", names);
}

// Fails (input), saying what to do, when the run does not have the weights that were asked for.
static bool check_weights(const RunPaths *paths, Error *error) {
    char quoted[QUOTED_CAPACITY];
    if (path_missing(paths->model) && paths->is_best)
        return fail_input(
            error, "%s has no best.safetensors, which `bitter train` writes after a validation; leave out " RUN_BEST,
            paths->directory);
    return !path_missing(paths->model) ||
           fail_input(error, "%s has no model.safetensors yet; let `bitter train --resume --out %s` reach a checkpoint",
                      paths->directory, shell_quoted(quoted, paths->directory));
}

bool run_open(Run *run, const char *name, const char *past, Error *error) {
    *run = (Run){0};
    RunPaths paths;
    int vocab_size;
    Mix pos;
    if (!run_paths(&paths, name, error) || !run_exists(&paths, error) || !check_weights(&paths, error)) return false;
    if (!config_read(paths.config, &run->options, &vocab_size, error)) return false;
    if (path_missing(paths.tokenizer))
        return fail_input(error,
                          "%s is missing; copy that of the data there, or let `bitter train --resume` write it again",
                          paths.tokenizer);
    Shape shape;
    Error reason;
    if (!shape_of(&shape, &run->options, vocab_size, &reason) || !shape_check(&shape, &reason) ||
        !mix_create(&pos, run->options.pos, &shape, &reason))
        return fail_input(error, "%s: %.900s", paths.config, reason.message);
    bool ok = stretch_apply(&pos, &run->options.stretch, paths.config, error) && apply_past(&pos, past, error) &&
              tokenizer_read(&run->tokenizer, paths.tokenizer, error);
    if (ok && run->tokenizer.vocab_size != vocab_size)
        ok = fail_input(error, "%s has %d tokens, but %s expects %d; the two files do not belong together",
                        paths.tokenizer, run->tokenizer.vocab_size, paths.config, vocab_size);
    pos.rule = place_rule(&run->tokenizer);
    Best best;
    ok = ok && gpt_create(&run->gpt, &shape, &pos, false, error) &&
         model_load(paths.model, &run->gpt, paths.is_best ? &best : NULL, error);
    if (!ok) run_close(run);
    return ok;
}

void run_close(Run *run) {
    tokenizer_free(&run->tokenizer);
    gpt_free(&run->gpt);
}

bool run_check_tokenizer(const Run *run, const char *directory, const Corpus *corpus, Error *error) {
    char quoted[QUOTED_CAPACITY];
    if (run->tokenizer.kind == TOKENIZER_NONE && corpus->tokenizer.kind != TOKENIZER_NONE)
        return fail_input(
            error,
            "the run %s has no tokenizer, so %s cannot be in its tokens; give shards of its token numbers, "
            "whose tokenizer.json is {\"tokenizer\": \"none\", \"vocab_size\": %d}",
            directory, corpus->name, run->tokenizer.vocab_size);
    return tokenizer_same(&corpus->tokenizer, &run->tokenizer) ||
           fail_input(error,
                      "%s was made with another tokenizer than the run %s; make data of the same text with `bitter "
                      "prepare --tokenizer %s --out DIR`",
                      corpus->name, directory, shell_quoted(quoted, directory));
}

bool run_init_check(const Shape *shape, const Shape *of, const char *directory, Error *error) {
    const bool same = shape->layers == of->layers && shape->heads == of->heads && shape->width == of->width &&
                      shape->block == of->block && key_heads(shape) == key_heads(of);
    return same || fail_input(error,
                              "--init %s: its model has --layers %d, --heads %d, --kv-heads %d, --width %d and --block "
                              "%s, this one %d, %d, %d, %d and %s; make them equal",
                              directory, of->layers, of->heads, key_heads(of), of->width, block_name(of->block),
                              shape->layers, shape->heads, key_heads(shape), shape->width, block_name(shape->block));
}

bool run_init_from(Gpt *gpt, char said[TEXT_CAPACITY], const char *directory, const Corpus *corpus, Error *error) {
    Run run;
    if (!run_open(&run, directory, "", error)) return false;
    const bool ok = run_check_tokenizer(&run, directory, corpus, error) &&
                    run_init_check(&gpt->shape, &run.gpt.shape, directory, error) &&
                    gpt_transfer(gpt, said, &run.gpt, directory, error);
    run_close(&run);
    return ok;
}

bool run_load_or_create(Trainer *trainer, const RunPaths *paths, const TrainOptions *options, Error *error) {
    if (!options->resume)
        return (!*options->init ||
                run_init_from(&trainer->gpt, trainer->init, options->init, trainer->corpus, error)) &&
               run_create(paths, options, trainer, error);
    Error reason;
    AtomicFile probe; // of the files that saves will replace: better to fail now than after long training
    const char *const saves[] = {paths->state, paths->model, paths->best};
    for (int i = 0; i < 3; i++, atomic_abandon(&probe))
        if (!atomic_open(&probe, saves[i], error)) return false;
    if (!config_check_data(paths->config, trainer->corpus, error)) return false;
    // A run cannot be used without its tokenizer, so the data's tokenizer is written again if the run's own is lost or
    // another one. Data without a tokenizer are no reason to lose the run's.
    const Tokenizer *own = &trainer->corpus->tokenizer;
    Tokenizer found = {0};
    const bool kept = tokenizer_read(&found, paths->tokenizer, &reason) &&
                      (own->kind == TOKENIZER_NONE || tokenizer_same(&found, own));
    tokenizer_free(&found);
    if (!kept && !tokenizer_write(own, paths->tokenizer, error)) return false;
    if (!path_missing(paths->best) && !best_read(paths->best, &trainer->gpt, &trainer->best, &reason))
        return fail_with(error, reason.kind, "%.900s, or move it elsewhere to go on without best weights",
                         reason.message);
    if (!path_missing(paths->state)) return trainer_load_state(trainer, paths->state, error);
    if (*options->init)
        return fail_input(error,
                          "%s has lost state.safetensors, which held its starting weights; start a new run with --init",
                          options->out);
    return options->cosine_from == 0 ||
           fail_input(
               error,
               "%s has lost state.safetensors, and its cosine began at step %lld, which cannot be trained again; "
               "start a new run",
               options->out, options->cosine_from);
}

// The directory was writable before, so a failure is not the user's mistake.
static bool saved(bool ok, Error *error) {
    if (!ok && error->kind != ERROR_NONFINITE) error->kind = ERROR_RUN;
    return ok;
}

bool run_save(const Trainer *trainer, const RunPaths *paths, RunLog *log, const RunLock *lock, Error *error) {
    // The state first: weights without a state would look like a run that cannot be resumed.
    return saved(lock_keep(&lock->lock, error) && log_sync(log, error) &&
                     state_save(paths->state, &trainer->gpt, &trainer->progress, error) &&
                     lock_keep(&lock->lock, error) && model_save(paths->model, &trainer->gpt, NULL, error),
                 error);
}

bool run_save_best(const Trainer *trainer, const RunPaths *paths, const RunLock *lock, Error *error) {
    return saved(lock_keep(&lock->lock, error) && model_save(paths->best, &trainer->gpt, &trainer->best, error), error);
}

// One nat is room for noise. A run has learned nothing if its last loss is more than that above the loss of guessing
// and not below its first loss; a run that starts from --init on another text may begin worse than guessing. A run has
// unlearned if the mean loss of its last part is more than that above the mean loss of an earlier part.
bool run_check_learning(const Trainer *trainer, const RunPaths *paths, Error *error) {
    const double guessing = log(trainer->corpus->tokenizer.vocab_size);
    char reason[TEXT_CAPACITY] = "";
    LogLosses losses;
    if (!log_losses(&losses, paths->log, error)) return false;
    if (losses.last > guessing + 1 && losses.last >= losses.first)
        snprintf(reason, sizeof reason, "its last training loss is %.4g nats, where guessing has %.4g", losses.last,
                 guessing);
    else if (losses.unlearned)
        snprintf(reason, sizeof reason,
                 "the mean training loss of its last %lld steps is %.4g nats, and was %.4g up to step %lld",
                 losses.part, losses.final, losses.lowest, losses.lowest_step);
    if (!*reason) return true;
    const char *out = trainer->options->out;
    char best[TEXT_CAPACITY] = "";
    if (trainer->best.step > 0)
        snprintf(best, sizeof best, "its best weights, those of step %lld, are %.400s" RUN_BEST "; ",
                 (long long)trainer->best.step, out);
    return fail_nonfinite(error, "%s diverged: %s; %sstart a new run with a smaller --lr or a longer --warmup", out,
                          reason, best);
}
