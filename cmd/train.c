// The parts of `bitter train` around its loop: what happens before the first step, and what is shown.
#include "cmd/train.h"

#include "base/file/text.h"
#include "cmd/shared/arguments.h"
#include "cmd/shared/output.h"
#include "lab/eval/generate.h"
#include "train/config.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// --- the command line ---

const Option *train_arguments(void) {
    static const Option text_rows[] = {
        HEADING_ROW("Time"),
        NUMBER_ROW("minutes", offsetof(TrainArguments, minutes), NULL, 0.01, 1e5, "X",
                   "choose a size and --steps for X minutes on this machine; options that you give stay"),
        HEADING_ROW("FILE"),
        INPUT_OPTION_ROWS(TrainArguments),
        {0}};
    static Option rows[ARGUMENTS_MOST];
    int count = 0;
    for (; train_options[count].name; count++) rows[count] = train_options[count];
    assert(count + sizeof text_rows / sizeof *text_rows <= ARGUMENTS_MOST);
    memcpy(rows + count, text_rows, sizeof text_rows);
    return rows;
}

bool train_name_data(TrainOptions *options, const char *text, Error *error) {
    char data[PATH_CAPACITY], quoted[QUOTED_CAPACITY];
    Error ignored;
    shell_quoted(quoted, text);
    if (path_format(data, &ignored, "%s/config.json", text) && path_exists(data))
        return fail_input(error, "%s is a run: `bitter train --resume %s` continues it; see also --init", text, quoted);
    const bool shards = !corpus_absent(text, &ignored);
    if (path_is_directory(text))
        return fail_input(error, "%s is a directory%s: `bitter %s %s`", text,
                          shards ? " of data" : ", not a file; for all texts in it",
                          shards ? "train --data" : "prepare --out runs/data/texts", quoted);
    if (path_ends_with(text, ".pos"))
        return fail_input(error, "%s is a position scheme by its name; give it as --pos %s", text, text);
    return output_default(data, text, error) &&
           option_set(options, option_find(train_options, "data"), data, "--data", error);
}

// With --resume, all options come from the run's config.json. An option that was typed again must have the same value,
// unless it may differ on a resume. Typed --steps go to *steps, and options->steps are those that were planned before.
static bool take_over_options(TrainOptions *options, long long *steps, const bool *given, const RunPaths *paths,
                              Error *error) {
    TrainOptions saved;
    int vocab_size;
    if (!run_exists(paths, error)) return false;
    char quoted[QUOTED_CAPACITY];
    if (!path_missing(paths->model) && path_missing(paths->state)) // made by `extend`, or finished by `compare`
        return fail_input(
            error,
            "%s has weights, but no state.safetensors: there is nothing to resume; start a new run with --init %s",
            options->out, shell_quoted(quoted, options->out));
    if (!config_read(paths->config, &saved, &vocab_size, error)) return false;
    const Option *steps_row = option_find(train_options, "steps");
    char typed[TEXT_CAPACITY], before[TEXT_CAPACITY];
    *steps = given[steps_row - train_options] ? options->steps : saved.steps;
    options->steps = saved.steps;
    for (const Option *option = train_options; (option = options_difference(typed, before, option, options, &saved));
         option++) {
        if (!given[option - train_options]) continue;
        if (!option_free_on_resume(option->name))
            return fail_input(
                error, "--%s %.200s: the run in %.200s was started with%s %.200s; leave the option out to resume",
                option->name, typed, options->out, *before ? "" : "out", *before ? before : "it");
        if (!option_set(&saved, option, typed, option->name, error)) return false;
    }
    saved.resume = true;
    *options = saved;
    return true;
}

// A run that starts from the weights of another run also takes over its model, data, batch size and schedule, except
// for options that were typed, and its stretched rotations if it has the same scheme and heads. With the seed of that
// run it would draw the same batches again.
static bool take_over_model(TrainOptions *options, const bool *given, Error *error) {
    static const char *const names[] = {
        "data",    "pos",    "layers",           "heads", "kv-heads",   "block", "scale-logits", "width",
        "context", "window", "random-positions", "batch", "accumulate", "steps", "lr",           "min-lr",
        "warmup"};
    const bool seed_given = option_given(train_options, given, "seed");
    RunPaths paths;
    TrainOptions from;
    int vocab_size;
    if (!run_paths(&paths, options->init, error) || !run_exists(&paths, error) ||
        !config_read(paths.config, &from, &vocab_size, error))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const Option *option = option_find(train_options, names[i]);
        char text[TEXT_CAPACITY];
        option_print(&from, option, text);
        if (!given[option - train_options] && !option_set(options, option, text, option->name, error)) return false;
    }
    // Before anything looks at positions and windows that the user did not type.
    const Shape shape = sizes_of(options, 1), of = sizes_of(&from, 1);
    if (!run_init_check(&shape, &of, options->init, error)) return false;
    if (!seed_given) options->seed = from.seed < LLONG_MAX ? from.seed + 1 : 0;
    // A longer run's warm-up would leave a short one no steps at its learning rate.
    if (!option_given(train_options, given, "warmup") && options->warmup >= options->steps)
        options->warmup = options->steps / 10;
    printf("init    the model, data, batch size and schedule of %s, where you gave no others: %lld steps, %lld of them "
           "warm-up, learning rate %g, seed %lld\n",
           options->init, options->steps, options->warmup, options->lr, options->seed);
    if (*from.documents && !option_given(train_options, given, "documents"))
        printf("init    %s mixed --documents %s into its text; this run does not\n", options->init, from.documents);
    if (strcmp(options->pos, from.pos) != 0)
        printf("init    positions of %s: %s; of this run: %s\n", options->init, from.pos, options->pos);
    const bool same_heads =
        options->heads == from.heads && options->kv_heads == from.kv_heads && options->width == from.width;
    if (strcmp(options->pos, from.pos) == 0 && same_heads)
        options->stretch = from.stretch;
    else if (from.stretch.original > 0)
        printf("init    the rotations of %s are stretched %g times; those of the new run are not, because its scheme "
               "or its heads differ\n",
               options->init, from.stretch.factor);
    return true;
}

// Fails (input) when options that were typed change nothing.
static bool check_effects(const TrainOptions *options, const Mix *pos, const bool *given, Error *error) {
    const bool scattered = option_given(train_options, given, "random-positions");
    bool reads_positions = false;
    for (int p = 0; p < pos->parts; p++) reads_positions = reads_positions || !pos->part[p].scheme->position_free;
    if (scattered && options->random_positions && !reads_positions)
        return fail_input(error,
                          "--random-positions has no effect with --pos %s, which reads no positions; leave it out",
                          options->pos);
    return !scattered || options->random_positions != options->context ||
           fail_input(error,
                      "--random-positions %lld: as many positions as --context has tokens leave no choice; give more",
                      options->random_positions);
}

// --eval-every if it is not given: its preset, or a tenth of the steps if that is less.
static long long usual_eval_every(long long steps) {
    TrainOptions presets;
    options_default(&presets, train_options);
    const long long tenth = steps < 10 ? 1 : steps / 10;
    return tenth < presets.eval_every ? tenth : presets.eval_every;
}

bool train_complete_options(TrainOptions *options, long long *steps, RunPaths *paths, const bool *given, Error *error) {
    Mix pos;
    const int any_vocabulary = 1;
    char unfinished[PATH_CAPACITY], quoted[QUOTED_CAPACITY];
    if (options->resume && !*options->out)
        return fail_input(
            error, "--resume needs the run to continue, as in `bitter train --resume %s`",
            newest(unfinished, "runs/*", "/config.json", RUN_UNFINISHED) ? shell_quoted(quoted, unfinished) : "RUN");
    const bool sized = !option_given(train_arguments(), given, "minutes");
    const char *settles = options->resume ? "resume" : *options->init ? "init" : "steps";
    if (!sized && option_given(train_options, given, settles))
        return fail_input(error, "--minutes chooses a size and the steps, and --%s settles %s", settles,
                          strcmp(settles, "steps") == 0 ? "the latter; leave one of them out"
                                                        : "the size; give --steps N instead");
    if (!mix_parse(&pos, options->pos, error)) return false;
    if (*options->init || options->resume) mix_print(&pos, options->pos); // as the other run has it
    if (*options->init && !options->resume && !take_over_model(options, given, error)) return false;
    if (options->resume &&
        !(run_paths(paths, options->out, error) && take_over_options(options, steps, given, paths, error)))
        return false;
    if (!options->resume) *steps = options->steps;
    // A run that is prolonged keeps --eval-every only if the user chose it.
    if (!option_given(train_options, given, "eval-every") &&
        (!options->resume || (*steps != options->steps && options->eval_every == usual_eval_every(options->steps))))
        options->eval_every = usual_eval_every(*steps);
    if (!option_given(train_options, given, "min-lr") && options->min_lr > options->lr) options->min_lr = options->lr;
    if ((sized && !trainer_check(&pos, options, any_vocabulary, error)) ||
        (!options->resume && !check_effects(options, &pos, given, error)))
        return false;
    if (sized) mix_print(&pos, options->pos); // with every option of the schemes, as choose_size does otherwise
    return true;
}

bool train_lock_run(RunLock *lock, RunPaths *paths, TrainOptions *options, Error *error) {
    const bool given = *options->out;
    char last[TEXT_CAPACITY]; // names of schemes need no quotes
    long long done, steps;
    RunPaths before;
    TrainOptions other; // of the run that has the name
    int V;
    Error ignored;
    LockResult result;
    for (;;) {
        if (!given) run_default_name(options->out, last, options->pos);
        result = run_lock(lock, options->out, error);
        if (result == LOCK_FAILED || !run_paths(paths, options->out, error)) return false;
        if (!given && run_state(&done, &steps, last) != RUN_POOR && run_paths(&before, last, &ignored) &&
            (path_exists(before.state) || path_missing(before.model)) &&
            config_read(before.config, &other, &V, &ignored) && strcmp(other.data, options->data) == 0)
            printf("run     %s exists, with %lld of %lld steps done; to continue it instead: %s train --resume %s%s\n",
                   last, done, steps, called_as, last, done < steps ? "" : " --steps N");
        // Another process may have taken the name since it was found free.
        if (given || (result == LOCK_MINE && !path_exists(paths->config))) return result == LOCK_MINE;
        run_unlock(lock);
    }
}

static bool begin_cosine(const Trainer *trainer, TrainOptions *options, long long steps, Error *error) {
    const long long done = (long long)trainer->progress.step;
    if (steps <= done)
        return fail_input(error,
                          "--steps %lld: the run in %s has done %lld steps already, and --steps counts them; "
                          "give more, or leave it out",
                          steps, options->out, done);
    options->steps = steps;
    options->cosine_from = done;
    if (!train_options_check(options, error)) return false;
    const long long left = steps - done, rise = options->warmup < left ? options->warmup : left;
    printf("steps   a new cosine from step %lld on: the learning rate rises to %g in %lld steps", done,
           options->warmup > rise ? options->lr * (double)rise / (double)options->warmup : options->lr, rise);
    if (rise < left)
        printf(", then falls to %g at step %lld\n", options->min_lr, steps);
    else
        printf(", which all belong to the warm-up\n");
    return true;
}

// Best weights from after the present step belong to steps that will not be done again.
static bool drop_best(Trainer *trainer, const RunPaths *paths, Error *error) {
    const long long best = (long long)trainer->best.step;
    if (best <= (long long)trainer->progress.step) return true;
    printf("best    the new cosine does not come to step %lld as before, so its best weights are given up\n", best);
    trainer->best = (Best){0};
    return unlink(paths->best) == 0 || fail_run(error, "cannot remove %s: %s", paths->best, strerror(errno));
}

// Write the options that differ from those of config.json into it, so that the next --resume has them. The run's name
// stays as it was recorded.
static bool record_options(const TrainOptions *options, const RunPaths *paths, Error *error) {
    TrainOptions recorded, now = *options;
    int vocab_size;
    char text[2][TEXT_CAPACITY];
    if (!config_read(paths->config, &recorded, &vocab_size, error)) return false;
    now.resume = false;
    memcpy(now.out, recorded.out, sizeof now.out);
    if (now.cosine_from == recorded.cosine_from &&
        !options_difference(text[0], text[1], train_options, &now, &recorded))
        return true;
    return train_options_check(&now, error) && config_derive(paths->config, paths->config, &now, error);
}

bool train_continue(RunFiles *files, Trainer *trainer, TrainOptions *options, long long steps, Error *error) {
    const RunPaths *paths = &files->paths;
    const bool replans = options->resume && steps != options->steps;
    // Until the files are open, the command may be refused, and the run stays as it was. Best weights go before the new
    // plan is recorded: a run that is killed here continues by its old plan, and finds its best weights anew.
    if ((replans && !begin_cosine(trainer, options, steps, error)) || !run_files_open(files, trainer, error) ||
        (replans && !drop_best(trainer, paths, error)))
        return false;
    if (!options->resume) return true;
    const long long best = (long long)trainer->best.step, cosine = options->cosine_from;
    return record_options(options, paths, error) &&
           (best == 0 || log_validations(&trainer->stale, paths->log, best > cosine ? best : cosine,
                                         (long long)trainer->progress.step, error));
}

static void describe_data(const Corpus *corpus) {
    const BuiltinCorpus *task = &corpus->builtin;
    const int vocabulary = corpus->tokenizer.vocab_size;
    if (is_task(task))
        printf("data    %s: fresh exercises of %lld to %lld %s, at most %d tokens each, vocabulary %d; answers count\n",
               corpus->name, task->min, task->max, task->builtin->counts, task_tokens(task, (int)task->max),
               vocabulary);
    else
        printf("data    %s: %llu training and %llu validation tokens, vocabulary %d%s\n", corpus->name,
               (unsigned long long)corpus->train.count, (unsigned long long)corpus->val.count, vocabulary,
               task->builtin == &builtins[BUILTIN_TALES]
                   ? "; generated stories (name a file to train on a text of yours)"
                   : "");
}

void train_describe(const Trainer *trainer, const TrainOptions *options) {
    const Gpt *gpt = &trainer->gpt;
    const bool task = is_task(&trainer->corpus->builtin);
    const int rotations = mix_stretchable(&gpt->pos);
    const long long rows = options->batch * options->accumulate; // of a step
    char pos[TEXT_CAPACITY], shape[TEXT_CAPACITY], method[TEXT_CAPACITY];
    mix_print(&gpt->pos, pos);
    shape_describe(shape, &gpt->shape, options->window);
    if (*trainer->init) printf("init    %s\n", trainer->init);
    printf("model   %s: %zu parameters, %zu of them positions\n", shape, tensor_numbers(&gpt->tensors, false),
           tensor_numbers(&gpt->tensors, true));
    printf("pos     %s\n", pos);
    const StretchRule *rule = rotations >= 0 ? &gpt->pos.part[rotations].stretch : NULL;
    if (rule && rule->original > 0) {
        choice_word(METHOD_NAMES, rule->method, method);
        printf("        stretched %g times by %s\n", rule->factor, method);
    }
    describe_data(trainer->corpus);
    const long long done = (long long)trainer->progress.step;
    if (trainer_out_of_patience(trainer))
        printf("run     %s has stopped at step %lld of %lld\n", options->out, done, options->steps);
    else if (done >= options->steps)
        printf("run     %s is complete: all of its %lld steps are done\n", options->out, done);
    else
        printf("run     %s, steps %lld to %lld of %lld %s each\n", options->out, done + 1, options->steps,
               rows * (task ? 1 : options->context), task ? "exercises" : "tokens");
    print_perplexities("compare", trainer->corpus, options->eval_tokens, options->context, NAN);
    fflush(stdout);
}

// --- what is shown ---

#define SAMPLE_TOKENS 200

// Warn after this many validations without a lower loss, and again after twice, 4 times ... as many.
#define STALE_WARNING 5

// A sample that fails prints its error, and training continues.
static void print_sample(const Trainer *trainer, long long step) {
    Generation generation = generation_usual("", SAMPLE_TOKENS, trainer->gpt.shape.context, trainer->options->seed);
    Error error;
    printf("--- sample at step %lld\n", step);
    if (!generate(stdout, &trainer->gpt, &trainer->corpus->tokenizer, &generation, &error)) printf("%s", error.message);
    printf("\n---\n");
    fflush(stdout);
}

static void print_validation(const Trainer *trainer, const StepReport *report) {
    const Validation *validation = &report->validation;
    printf("step %6lld  train %.4f  val %.4f  perplexity %.3f", (long long)trainer->progress.step, report->loss,
           validation->loss, exp(validation->loss));
    if (!isnan(validation->bits)) printf("  bits per byte %.4f", validation->bits);
    if (!isnan(validation->right)) printf("  right %.1f%%", 100 * validation->right);
    printf("  %.0f tokens/s\n", (double)trainer_tokens(trainer) / trainer->progress.seconds);
    fflush(stdout);
}

bool train_finished(const Trainer *trainer) {
    return trainer->progress.step >= trainer->options->steps || trainer_out_of_patience(trainer);
}

// Warn after 5, 10, 20, 40 ... validations above the best; not with --patience, nor when the training has ended anyway.
static void warn_of_rise(const Trainer *trainer, double loss) {
    const Best *best = &trainer->best;
    const long long stale = trainer->stale, times = stale / STALE_WARNING;
    const bool due = stale > 0 && stale % STALE_WARNING == 0 && (times & (times - 1)) == 0;
    if (!due || train_finished(trainer) || trainer->options->patience > 0 || !(loss > STALE_RISE * best->loss)) return;
    fprintf(stderr,
            "bitter train: the last %lld validations have found no loss below that of step %lld, which was %.4f; it is "
            "%.4f now. best.safetensors keeps the weights of that step; --patience N would end the training\n",
            stale, (long long)best->step, best->loss, loss);
}

bool train_show_step(void *line, Trainer *trainer, StepReport *report, Error *error) {
    const TrainOptions *o = trainer->options;
    const long long step = (long long)trainer->progress.step;
    char scheme[TEXT_CAPACITY];
    if (!isnan(report->validation.loss)) {
        progress_clear(line);
        print_validation(trainer, report);
        warn_of_rise(trainer, report->validation.loss);
    }
    mix_names(&trainer->gpt.pos, ", ", " and ", scheme);
    progress_show(line, (double)step, "step %lld/%lld  loss %.4f  %s", step, o->steps, report->loss, scheme);
    if (o->sample_every > 0 && (step % o->sample_every == 0 || train_finished(trainer))) {
        progress_clear(line);
        print_sample(trainer, step);
    }
    report->stop = interrupt_came() || trainer_out_of_patience(trainer);
    return true;
}

// Returns whether other weights than the last are the best.
static bool print_best(const Trainer *trainer) {
    const Best *best = &trainer->best;
    if (best->step == 0 || best->step == trainer->progress.step) return false;
    printf("best    was step %lld: validation loss %.4f, perplexity %.3f; its weights are %s" RUN_BEST "\n",
           (long long)best->step, best->loss, exp(best->loss), trainer->options->out);
    return true;
}

void train_show_end(const Trainer *trainer) {
    const TrainOptions *o = trainer->options;
    const long long step = (long long)trainer->progress.step;
    char out[QUOTED_CAPACITY], weights[QUOTED_CAPACITY], name[TEXT_CAPACITY + sizeof RUN_BEST];
    shell_quoted(out, o->out);
    if (!train_finished(trainer)) {
        printf("interrupted after step %lld and saved; continue with\n  %s train --resume %s\n", step, called_as, out);
        return;
    }
    if (step < o->steps)
        printf("stopped after step %lld of %lld (--patience %lld): no loss below that of step %lld since then\n", step,
               o->steps, o->patience, (long long)trainer->best.step);
    printf("done    %s  (batches' CRC-32 %08llx)\n", o->out, (unsigned long long)trainer->progress.batch_crc);
    print_perplexities("landed ", trainer->corpus, o->eval_tokens, o->context,
                       trainer->best.step > 0 ? exp(trainer->best.loss) : NAN); // its file may be gone
    snprintf(name, sizeof name, "%s%s", o->out, print_best(trainer) ? RUN_BEST : "");
    shell_quoted(weights, name);
    printf("next    %s eval %s%s\n", called_as, weights, is_task(&trainer->corpus->builtin) ? " --task" : "");
    if (trainer->corpus->tokenizer.kind != TOKENIZER_NONE) printf("        %s sample %s\n", called_as, weights);
    printf("        %s report %s\n", called_as, out);
    // Large models usually get 20 tokens for each parameter, but a short text is soon memorised.
    const double parameters = (double)tensor_numbers(&trainer->gpt.tensors, false),
                 had = (double)step * step_tokens(o) / parameters,
                 most = PASSES * (double)trainer->corpus->train.count / parameters;
    const double usual = fmin(TOKENS_PER_PARAMETER, most);
    if (step == o->steps && had < ENOUGH_TOKENS * usual && !is_task(&trainer->corpus->builtin))
        printf("longer  %s train --resume %s --steps %.0f  (it has seen %.2g tokens for each parameter; %.2g may be "
               "better)\n",
               called_as, out, ceil(usual * parameters / step_tokens(o)), had, usual);
}
