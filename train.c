// bitter: train a small GPT, and see what positions do for it.
//
// main() and its table of commands come last; before them stands the one command that all others serve, `bitter train`.
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/version.h"
#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/kernels.h"
#include "lab/eval/generate.h"
#include "lab/run/config.h"
#include "lab/run/stretch_json.h"
#include "lab/run/run.h"
#include "posenc/rotation/rotate.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE_TOKENS 200

// With --resume, all options come from the run's config.json; one that was typed again must agree, unless it may
// differ on a resume.
static bool take_over_options(TrainOptions *options, const bool *given, const RunPaths *paths, Error *error) {
    TrainOptions saved;
    int vocab_size;
    if (!path_exists(paths->config))
        return fail_input(error, "%s holds no run to resume; leave out --resume to start one", options->out);
    if (path_exists(paths->model) && !path_exists(paths->state)) { // from `bitter extend`, or done by `bitter compare`
        char quoted[QUOTED_CAPACITY];
        return fail_input(
            error,
            "%s has weights but no state.safetensors to continue their training with, so there is nothing to resume; "
            "start a new run with --init %s",
            options->out, shell_quoted(quoted, options->out));
    }
    if (!config_read(paths->config, &saved, &vocab_size, error)) return false;
    for (int i = 0; train_options[i].name; i++) {
        const Option *option = &train_options[i];
        char typed[TEXT_CAPACITY], before[TEXT_CAPACITY];
        option_print(options, option, typed);
        option_print(&saved, option, before);
        if (!given[i] || strcmp(typed, before) == 0) continue;
        if (!option_free_on_resume(option->name))
            return fail_input(error,
                              "--%s %.200s: the run in %.200s was started with %.200s; leave the option out to resume",
                              option->name, typed, options->out, before);
        if (!option_set(&saved, option, typed, option->name, error)) return false;
    }
    saved.resume = true;
    *options = saved;
    return true;
}

static void describe_data(const Corpus *corpus) {
    const BuiltinCorpus *task = &corpus->builtin;
    const int vocabulary = corpus->tokenizer.vocab_size;
    if (is_task(task))
        printf("data    %s: fresh exercises of %lld to %lld %s, at most %d tokens each, vocabulary %d; answers count\n",
               corpus->name, task->min, task->max, task->builtin->counts, task_tokens(task, (int)task->max),
               vocabulary);
    else
        printf("data    %s: %llu training and %llu validation tokens, vocabulary %d\n", corpus->name,
               (unsigned long long)corpus->train.count, (unsigned long long)corpus->val.count, vocabulary);
}

// Pairs that turn fully within the trained length have seen all their angles; the others are what limits longer texts.
static void describe_rotations(const Position *pos) {
    if (!pos->scheme->theta) return;
    const StretchRule *rule = &pos->stretch;
    const int original = rule->original ? rule->original : pos->shape.context;
    const int fast = rotary_fast_pairs(pos, original);
    printf("        %d fast and %d slow pairs: a full turn within %d tokens, or not\n", fast, rotary_pairs(pos) - fast,
           original);
    if (!rule->original) return;
    char method[TEXT_CAPACITY];
    choice_word(METHOD_NAMES, rule->method, method);
    printf("        stretched %g times by %s\n", rule->factor, method);
}

static void describe(const Trainer *trainer, const TrainOptions *options) {
    const Gpt *gpt = &trainer->gpt;
    const bool task = is_task(&trainer->corpus->builtin);
    char pos[TEXT_CAPACITY];
    position_print(&gpt->pos, pos);
    printf("model   %lld layers, %lld heads, width %lld, context %lld: %zu parameters, %zu of them positions\n",
           options->layers, options->heads, options->width, options->context, tensor_numbers(&gpt->tensors, false),
           tensor_numbers(&gpt->tensors, true));
    printf("pos     %s\n", pos);
    describe_rotations(&gpt->pos);
    describe_data(trainer->corpus);
    const long long done = (long long)trainer->progress.step;
    if (done >= options->steps)
        printf("run     %s is complete: all of its %lld steps are done\n", options->out, done);
    else
        printf("run     %s, steps %lld to %lld of %lld %s each\n", options->out, done + 1, options->steps,
               options->batch * options->accumulate * (task ? 1 : options->context), task ? "exercises" : "tokens");
    fflush(stdout);
}

// A sample that fails says so and does no harm: the run matters more.
static void print_sample(const Trainer *trainer, long long step) {
    Generation generation = {.prompt = "",
                             .tokens = SAMPLE_TOKENS,
                             .temperature = 0.8,
                             .top_k = 50,
                             .context = trainer->gpt.shape.context,
                             .random = {random_key((uint64_t)trainer->options->seed, "sample"), 0}};
    Error error;
    printf("--- sample at step %lld\n", step);
    if (!generate(stdout, &trainer->gpt, &trainer->corpus->tokenizer, &generation, &error)) printf("%s", error.message);
    printf("\n---\n");
    fflush(stdout);
}

static bool due(long long step, long long every, long long last) {
    return step == last || (every > 0 && step % every == 0);
}

static void print_validation(const Trainer *trainer, const StepReport *report, const Validation *validation) {
    const double perplexity = exp(validation->loss);
    printf("step %6lld  train %.4f  val %.4f  perplexity ", (long long)trainer->progress.step, report->loss,
           validation->loss);
    printf(perplexity < 1e6 ? "%.3f" : "%.3g", perplexity);
    if (!isnan(validation->right)) printf("  right %.1f%%", 100 * validation->right);
    printf("  %.0f tokens/s\n", (double)trainer_tokens(trainer) / trainer->progress.seconds);
    fflush(stdout);
}

typedef struct {
    double first, last; // training losses of this process's steps
} Losses;

// The story: batch after batch, a step down the gradient; now and then a look at text that was not trained on.
static bool train(Losses *losses, Trainer *trainer, const RunPaths *paths, const TrainOptions *options, RunLog *log,
                  Error *error) {
    const long long done = (long long)trainer->progress.step;
    ProgressLine line;
    progress_start(&line, "train", (double)done, (double)options->steps);
    for (long long step = done + 1; step <= options->steps; step++) {
        StepReport report;
        Validation validation = {NAN, NAN};
        if (!trainer_step(&report, trainer, error)) return false;
        if (step == done + 1) losses->first = report.loss;
        losses->last = report.loss;
        if (due(step, options->eval_every, options->steps)) {
            if (!trainer_validate(&validation, trainer, error)) return false;
            progress_clear(&line);
            print_validation(trainer, &report, &validation);
        }
        if (!log_row(log, trainer, &report, validation.loss, error)) return false;
        progress_show(&line, (double)step, "step %lld/%lld  loss %.4f", step, options->steps, report.loss);
        if (options->sample_every > 0 && step % options->sample_every == 0) {
            progress_clear(&line);
            print_sample(trainer, step);
        }
        const bool stop = interrupt_came();
        if ((due(step, options->save_every, options->steps) || stop) && !run_save(trainer, paths, log, error))
            return false;
        if (stop) break;
    }
    progress_clear(&line);
    return true;
}

// A run that starts from another one's weights has its model and data too, where the user asks for nothing else, and
// its stretched rotations where the positions are the same.
static bool take_over_model(TrainOptions *options, const bool *given, Error *error) {
    static const char *const names[] = {"data", "pos", "layers", "heads", "width", "context", "random-positions"};
    RunPaths paths;
    TrainOptions from;
    int vocab_size;
    if (!run_paths(&paths, options->init, error) || !run_exists(&paths, options->init, error) ||
        !config_read(paths.config, &from, &vocab_size, error))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const Option *option = option_find(train_options, names[i]);
        char text[TEXT_CAPACITY];
        option_print(&from, option, text);
        if (!given[option - train_options] && !option_set(options, option, text, option->name, error)) return false;
    }
    const bool same_heads = options->heads == from.heads && options->width == from.width;
    if (strcmp(options->pos, from.pos) == 0 && same_heads)
        options->stretch = from.stretch;
    else if (from.stretch.rule.original > 0)
        printf(
            "init    the rotations of %s are stretched %g times; these are not, as the positions or heads are others\n",
            options->init, from.stretch.rule.factor);
    return true;
}

// The options as they will be in config.json. Fails (input) on what can be told without data.
static bool settle_options(TrainOptions *options, RunPaths *paths, const bool *given, Error *error) {
    Position pos;
    const int any_vocabulary = 1;
    const ptrdiff_t min_lr = option_find(train_options, "min-lr") - train_options;
    if (options->resume && !*options->out) return fail_input(error, "--resume needs --out DIR, the run to continue");
    if (!position_parse(&pos, options->pos, error)) return false;
    position_print(&pos, options->pos); // every option spelled out
    if (*options->init && !options->resume && !take_over_model(options, given, error)) return false;
    if (options->resume && !(run_paths(paths, options->out, error) && take_over_options(options, given, paths, error)))
        return false;
    if (!given[min_lr] && options->min_lr > options->lr) options->min_lr = options->lr;
    return trainer_check(&pos, options, any_vocabulary, error);
}

// Enter the directory of the run. Without --out it is a new one with the first name that is free.
static bool enter(RunLock *lock, RunPaths *paths, TrainOptions *options, Error *error) {
    const bool given = *options->out;
    LockResult result;
    for (;;) {
        if (!given) run_default_name(options->out, options->pos);
        result = run_enter(lock, options->out, error);
        if (result == LOCK_FAILED || !run_paths(paths, options->out, error)) return false;
        // Somebody may have taken the name since it was found free.
        if (given || (result == LOCK_MINE && !path_exists(paths->config))) return result == LOCK_MINE;
        run_leave(lock);
    }
}

static void print_end(const Trainer *trainer, const TrainOptions *options) {
    const long long step = (long long)trainer->progress.step;
    char out[QUOTED_CAPACITY];
    shell_quoted(out, options->out);
    if (step < options->steps) {
        printf("interrupted after step %lld and saved; continue with\n  bitter train --resume --out %s\n", step, out);
        return;
    }
    printf("done    %s  (batches' CRC-32 %08llx)\n", options->out, (unsigned long long)trainer->progress.batch_crc);
    printf("next    bitter eval %s%s\n", out, is_task(&trainer->corpus->builtin) ? " --task" : "");
    if (trainer->corpus->tokenizer.kind != TOKENIZER_NONE) printf("        bitter sample %s\n", out);
}

// A run can diverge although every number stays finite. One nat above the loss of guessing leaves room for the noise of
// a run's first steps; weights from --init may know less than nothing of another text, but then the loss falls.
static bool check_learning(const Trainer *trainer, const Losses *losses, Error *error) {
    const double guessing = log(trainer->corpus->tokenizer.vocab_size);
    return losses->last <= guessing + 1 || losses->last < losses->first ||
           fail_nonfinite(error,
                          "%s diverged: its last training loss is %.4g nats, where giving every token the same "
                          "probability has %.4g; start a new run with a smaller --lr or a longer --warmup",
                          trainer->options->out, losses->last, guessing);
}

int command_train(int argc, char **argv) {
    static const Usage usage = {
        "train", "Train a GPT and write a run directory that eval, sample and --resume take.", "", train_options,
        "  bitter train --data runs/data/book --pos alibi --steps 5000\n  bitter train --resume --out runs/alibi\n"};
    TrainOptions options = {0};
    bool given[ARGUMENTS_MOST];
    char difference[TEXT_CAPACITY];
    RunPaths paths;
    Error error;
    arguments_parse(&options, given, &usage, argc, argv);
    if (strcmp(options.pos, "help") == 0) return print_schemes();
    if (!settle_options(&options, &paths, given, &error)) die("train", &error);
    threads_use(options.threads);
    if (options.resume && config_other_machine(difference, paths.config))
        fprintf(stderr,
                "bitter train: not the machine that the run was started on (%s), so the last bits will differ\n",
                difference);

    Corpus corpus = {0};
    Trainer trainer = {0};
    RunLog log = {0};
    Losses losses = {0};
    RunLock lock = {0};
    bool ok = corpus_open(&corpus, options.data, &error) && trainer_create(&trainer, &options, &corpus, &error) &&
              enter(&lock, &paths, &options, &error) && run_begin(&trainer, &paths, &options, &error) &&
              log_open(&log, paths.log, (long long)trainer.progress.step, &error);
    if (ok) {
        interrupt_catch();
        kernels_report(stdout, "train");
        describe(&trainer, &options);
        ok = train(&losses, &trainer, &paths, &options, &log, &error);
    }
    const bool unfinished = ok && trainer.progress.step < options.steps;
    ok = ok && (unfinished || check_learning(&trainer, &losses, &error));
    if (ok) print_end(&trainer, &options);
    log_close(&log);
    trainer_free(&trainer);
    corpus_close(&corpus);
    run_leave(&lock);
    if (!ok) die("train", &error);
    return unfinished ? ERROR_INTERRUPTED : 0;
}

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
    bool multiplies; // computes with a model, so that OpenBLAS's kernels matter
    bool in_double;  // runs in the twin program built with -DREAL_DOUBLE, all others in float
} Command;

static const Command commands[] = {
    {"prepare", command_prepare, "turn text into shards of tokens", false, false},
    {"train", command_train, "train a model on shards and write a run directory", true, false},
    {"eval", command_eval, "measure perplexity, or right answers of a task", true, false},
    {"sample", command_sample, "generate text from a run", true, false},
    {"extend", command_extend, "stretch the rotations of a run to a longer context", true, false},
    {"compare", command_compare, "train schemes from several seeds and test their differences", true, false},
    {"report", command_report, "write the tables, plots and pages of a comparison again", false, false},
    {"demo", command_demo, "train five schemes on generated stories and compare them", true, false},
    {"properties", command_properties, "measure properties that position schemes are said to have", true, false},
    {"gradcheck", command_gradcheck, "check every gradient against central differences", true, true},
    {"bench", command_bench, "measure how fast training is", true, false},
    {0},
};

static void print_usage(FILE *out) {
    fprintf(out, "bitter %s: train small GPTs on a CPU with interchangeable position schemes\n\n", BITTER_VERSION);
    fprintf(out, "usage: bitter COMMAND [options]\n\n");
    for (const Command *c = commands; c->name; c++) fprintf(out, "  %-10s %s\n", c->name, c->help);
    fprintf(out, "\n`bitter COMMAND --help` explains the options of a command.\n");
}

// Hand over to the twin program beside this one. Returns only when that fails.
static int run_in_double(char **argv) {
    char twin[PATH_CAPACITY];
    Error error;
    char *program = strchr(argv[0], '/') ? realpath(argv[0], NULL) : NULL; // behind links; else PATH knows both
    const bool fits = path_format(twin, &error, "%s-double", program ? program : argv[0]);
    free(program);
    if (!fits) die(NULL, &error);
    execvp(twin, argv);
    fail_run(&error, "cannot start %s, the build in double that gradients are checked with: %s; `make` builds it", twin,
             strerror(errno));
    die(NULL, &error);
}

static int run_command(const Command *command, int argc, char **argv) {
    const bool is_double = sizeof(real) == sizeof(double);
    if (command->in_double && !is_double) return run_in_double(argv);
    if (command->multiplies) kernels_choose(argv);
    if (command->in_double == is_double) return output_finish(command->run(argc - 1, argv + 1));
    Error error;
    fail_input(&error, "this is the build in double, for gradient checks only; use bitter for `%s`", command->name);
    die(NULL, &error);
}

// A file opened later must not become standard output by getting a descriptor that the caller closed.
static void open_standard_files(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) < 0) exit(ERROR_RUN);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    open_standard_files();
    if (strcmp(name, KERNELS_CHECK) == 0) return kernels_check();
    const char *names[sizeof commands / sizeof *commands];
    int count = 0;
    file_limit_catch();
    for (const Command *c = commands; c->name; c++) {
        if (strcmp(name, c->name) == 0) return run_command(c, argc, argv);
        names[count++] = c->name;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return output_finish(0);
    }
    if (strcmp(name, "--version") == 0) {
        printf("bitter %s\n", BITTER_VERSION);
        return output_finish(0);
    }
    Error error;
    const char *nearest = nearest_name(name, names, count);
    if (!*name)
        fail_input(&error, "which command? `bitter --help` lists them");
    else if (nearest)
        fail_input(&error, "there is no command '%s'; did you mean '%s'?", name, nearest);
    else
        fail_input(&error, "there is no command '%s'; `bitter --help` lists them", name);
    die(NULL, &error);
}
