// bitter: trains small GPTs with interchangeable position schemes, and measures what the schemes do.
//
// This file holds `bitter train` and, after it, main() with its table of commands. `bitter train` repeats one optimiser
// step, train_step() of train/step.c, whose first four parts are repeated --accumulate times:
//
//   batch     next_batch()           inputs and targets (B,T) from the data
//   embed     train_pass_embed()     the token embeddings, and the coordinates that position schemes read
//   forward   train_pass_forward()   adds the scheme's codes, then runs all layers up to the input of the head
//   backward  train_pass_backward()  the loss of each target, nll (B,T), and all gradients of the mean loss
//   norm      gradient_norm()        the norm of all gradients
//   AdamW     adamw_step()           clips the gradients, moves the parameters, and sets the gradients to 0
//
// The loop around it, train_loop() of train/loop.c, calls observers after each step: validation, best weights, log,
// recorded positions, what is shown, and checkpoints.
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/version.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "cmd/train.h"
#include "train/config.h"
#include "train/loop.h"
#include "num/gemm.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Do the remaining steps of the run.
static bool train(Trainer *trainer, RunFiles *files, Error *error) {
    const TrainOptions *o = trainer->options;
    const RunPaths *paths = &files->paths;
    ProgressLine line;
    const Observer observers[] = {
        {o->eval_every, observe_validation, NULL},
        {1, run_keep, &files->lock},
        {o->eval_every, observe_best, files},
        {1, log_row, &files->log},
        {o->eval_every, positions_row, &files->positions},
        {1, train_show_step, &line}, // may stop the training
        {o->save_every, observe_checkpoint, files},
        {0},
    };
    interrupt_catch();
    train_describe(trainer, o);
    progress_start(&line, "train", (double)trainer->progress.step, (double)o->steps);
    // A run that was killed while it saved its last checkpoint has the state, but perhaps not the weights.
    const bool ok = train_finished(trainer) ? run_save(trainer, paths, &files->log, &files->lock, error)
                                            : train_loop(trainer, observers, error);
    progress_clear(&line);
    if (!ok) return false;
    if (train_finished(trainer) && !run_check_learning(trainer, paths, error)) return false;
    train_show_end(trainer);
    return true;
}

static bool open_files(RunFiles *files, Trainer *trainer, TrainOptions *options, long long steps, Error *error) {
    const RunPaths *paths = &files->paths;
    char difference[TEXT_CAPACITY]; // of kernels or threads; the trainer exists, so the precision is set
    if (options->resume && config_other_machine(difference, paths->config))
        fprintf(stderr, "bitter train: this run was started in another way (%s), so its numbers may differ a little\n",
                difference);
    return train_lock_run(&files->lock, &files->paths, options, error) &&
           run_load_or_create(trainer, paths, options, error) && train_continue(files, trainer, options, steps, error);
}

// `bitter train FILE` is `bitter prepare FILE` and then `bitter train --data` on its shards. Sets *text to FILE, or
// NULL without one, and options->data.
static bool take_operand(TrainOptions *options, const char **text, bool *given, int count, char **operands,
                         Error *error) {
    const Option *data = option_find(train_options, "data"), *out = option_find(train_options, "out");
    const Option *rows = train_arguments();
    Mix pos;
    Error ignored;
    const bool resumed = options->resume && !given[out - train_options]; // `--resume RUN`
    *text = count > 0 && !resumed ? operands[0] : NULL;
    for (const Option *row = option_find(rows, "tokenizer"); !*text && row->name; row++)
        if (given[row - rows])
            return fail_input(error, "--%s says how a FILE is read, but none was given; leave it out", row->name);
    if (count == 0) return true;
    if (count > 1 && options->resume)
        return fail_input(error, "--resume takes the run alone, which knows its text: `bitter train --resume RUN`");
    for (int i = 0; i < count && !resumed; i++)
        if (!path_exists(operands[i]) && mix_parse(&pos, operands[i], &ignored))
            return fail_input(error, "there is no file %s; as a position scheme, write --pos %s", operands[i],
                              operands[i]);
    if (count > 1)
        return fail_input(error, "takes one FILE, but got %d; `bitter prepare FILE...` makes data of all", count);
    if (resumed) {
        given[out - train_options] = true;
        return option_set(options, out, operands[0], "RUN", error);
    }
    if (options->resume) return fail_input(error, "%s and --out both name the run to resume; leave one out", *text);
    if (given[data - train_options])
        return fail_input(error, "%s and --data both say what to train on; leave one of them out", *text);
    if (is_builtin(*text)) return fail_input(error, "%s is no file of text; give it with --data", *text);
    given[data - train_options] = true;
    return train_name_data(options, *text, error);
}

bool command_train(int argc, char **argv, Error *error) {
    const Usage usage = {
        "train",
        "Train a GPT and write a run directory that eval, sample and --resume take. Given a FILE, plain text or .gz, "
        "train on that: its shards go to runs/data/NAME, as with `bitter prepare FILE`. "
        "With --resume, RUN is the run to continue.",
        "[FILE|RUN]", train_arguments(),
        "  bitter train book.txt\n  bitter train book.txt --minutes 10\n"
        "  bitter train --data runs/data/book --pos alibi --steps 5000\n  bitter train --resume runs/alibi\n"};
    static TrainArguments arguments;
    TrainOptions options;
    bool given[ARGUMENTS_MOST];
    const char *text;
    long long steps;
    RunFiles files = {0};
    const int first = arguments_parse(&arguments, given, &usage, argc, argv);
    options = arguments.train;
    if (strcmp(options.pos, "help") == 0) {
        print_schemes();
        return true;
    }
    if (strcmp(options.data, "help") == 0) {
        print_builtins();
        return true;
    }
    if (!take_operand(&options, &text, given, argc - first, argv + first, error) ||
        !train_complete_options(&options, &steps, &files.paths, given, error) ||
        (text && !prepare_once(options.data, text, &arguments.input, options.init,
                               arguments.minutes > 0 ? 0 : options.context + 1, stdout, // --minutes chooses it later
                               error)))
        return false;
    threads_use(options.threads);
    kernels_report("train");

    Corpus corpus = {0};
    Trainer trainer = {0};
    const bool ok = corpus_open(&corpus, options.data, error) &&
                    train_forecast(&options, given, arguments.minutes, &corpus, error) &&
                    trainer_create(&trainer, &options, &corpus, error) &&
                    open_files(&files, &trainer, &options, steps, error) && train(&trainer, &files, error);
    const bool finished = ok && train_finished(&trainer);
    run_files_close(&files);
    trainer_free(&trainer);
    corpus_close(&corpus);
    if (ok && !finished) *error = (Error){.kind = ERROR_INTERRUPTED}; // train_show_end has said so
    return ok && finished;
}

typedef struct {
    const char *name;
    bool (*run)(int argc, char **argv, Error *error);
    const char *help;
    bool in_double; // runs in the twin program built with -DREAL_DOUBLE; all others run in float
} Command;

static const Command commands[] = {
    {"prepare", command_prepare, "turn text into shards of tokens", false},
    {"train", command_train, "train a model on a text file or prepared data", false},
    {"eval", command_eval, "measure perplexity, or right answers of a task", false},
    {"sample", command_sample, "generate text from a run", false},
    {"extend", command_extend, "make a run with rotary positions usable at a longer context", false},
    {"export", command_export, "write a run for transformers, llama.cpp or llm.c", false},
    {"import", command_import, "make a run of a model of transformers", false},
    {"compare", command_compare, "train schemes from several seeds and test their differences", false},
    {"report", command_report, "write a page about a run, or the report of a comparison again", false},
    {"properties", command_properties, "measure properties that position schemes are said to have", false},
    {"gradcheck", command_gradcheck, "check every gradient against central differences", true},
    {"lesson", command_lesson, "show how gradients flow through a rotation, with numbers", true},
    {"bench", command_bench, "measure how fast training is", false},
    {0},
};

static void print_usage(void) {
    printf("bitter %s: train small GPTs on a CPU with interchangeable position schemes\n\n", BITTER_VERSION);
    printf("usage: %s COMMAND [options]\n\n", called_as);
    for (const Command *c = commands; c->name; c++) printf("  %-11s %s\n", c->name, c->help);
    printf("\n`%s COMMAND --help` explains the options of a command.\n", called_as);
}

// Hand over to the twin program beside this one. Returns only when that fails.
static bool run_in_double(char **argv, Error *error) {
    char found[PATH_CAPACITY], twin[PATH_CAPACITY];
    program_find(found, argv[0]);
    // Links are resolved, so that the twin is found beside the real file; a name without '/' is found by PATH.
    char *program = strchr(found, '/') ? realpath(found, NULL) : NULL;
    const bool fits = path_format(twin, error, "%s-double", program ? program : found);
    free(program);
    if (!fits) return false;
    execvp(twin, argv);
    return fail_run(error, "cannot start %s, the build in double that gradients are checked with: %s; `make` builds it",
                    twin, strerror(errno));
}

// Returns the exit code.
static int run_command(const Command *command, int argc, char **argv) {
    const bool is_double = sizeof(real) == sizeof(double);
    Error error = {0};
    if (command->in_double && !is_double && !run_in_double(argv, &error)) die(NULL, &error);
    gemm_choose();
    if (!command->in_double && is_double) {
        fail_input(&error, "this is the build in double, for gradient checks only; use bitter for `%s`", command->name);
        die(NULL, &error);
    }
    const bool ok = command->run(argc - 1, argv + 1, &error);
    if (!ok && *error.message) die(command->name, &error);
    return output_finish(ok ? ERROR_NONE : error.kind);
}

// For jansson: exits when memory runs out, because most results are used unchecked and would lack members.
static void *allocate_json(size_t size) {
    void *block = malloc(size);
    if (block) return block;
    Error error;
    fail_run(&error, "no memory for %zu bytes of JSON; end other programs and try again", size);
    die(NULL, &error);
}

// If the caller closed standard output, the next file that is opened would get its descriptor. Open /dev/null there.
static void open_standard_files(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) < 0) exit(ERROR_RUN);
}

int main(int argc, char **argv) {
    static char help[] = "--help";
    open_standard_files();
    if (argc > 2 && strcmp(argv[1], "help") == 0) { // `bitter help COMMAND`
        argv[1] = argv[2];
        argv[2] = help;
        argc = 3;
    }
    const char *name = argc > 1 ? argv[1] : "";
    const char *names[sizeof commands / sizeof *commands];
    int count = 0;
    shell_quoted(called_as, argc > 0 ? argv[0] : "bitter");
    file_limit_catch();
    json_set_alloc_funcs(allocate_json, free);
    for (const Command *c = commands; c->name; c++) {
        if (strcmp(name, c->name) == 0) return run_command(c, argc, argv);
        names[count++] = c->name;
    }
    const bool version = strcmp(name, "--version") == 0;
    if (version) printf("bitter %s\n", BITTER_VERSION);
    const bool usage = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (usage) print_usage();
    if (version || usage) return output_finish(ERROR_NONE);
    if (!*name) {
        print_next_steps();
        printf("\n`%s --help` lists all commands.\n", called_as);
        return output_finish(ERROR_NONE);
    }
    Error error;
    const char *nearest = nearest_name(name, names, count), *other = other_name(name);
    if (nearest && !(other && strchr(other, ' ')))
        fail_input(&error, "there is no command '%s'; did you mean '%s'?", name, nearest);
    else
        fail_input(&error, "there is no command '%s'; %s", name,
                   other && strchr(other, ' ') ? other : "`bitter --help` lists them"); // one word names an option
    die(NULL, &error);
}
