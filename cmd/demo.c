// `bitter demo`: train position schemes on the same stories, and compare them at the trained length and past it.
#include "base/progress.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "cmd/shared/describe.h"
#include "train/evaluate.h"
#include "train/loop.h"

#include <stddef.h>
#include <stdio.h>

#define LENGTHS 3  // 1x, 2x and 4x the trained context
#define SCHEMES 64 // at most

static const char *const usual_schemes[] = {"none", "learned", "sinusoidal", "rope", "alibi"};

#define FIELD(name) offsetof(TrainOptions, name)

static const Option demo_options[] = {
    TEXT_ROW("data", FIELD(data), "builtin:tales", "DIR", "shards from `bitter prepare`, or builtin:NAME"),
    INTEGER_ROW("context", FIELD(context), "128", 1, 100000, "tokens of a training window"),
    INTEGER_ROW("batch", FIELD(batch), "8", 1, 10000, "windows in a batch"),
    INTEGER_ROW("steps", FIELD(steps), "600", 1, 1e9, "optimiser steps for each scheme"),
    INTEGER_ROW("eval-tokens", FIELD(eval_tokens), "65536", 0, HUGE_VAL,
                "measure perplexity on the first N validation tokens; 0 = all"),
    INTEGER_ROW("seed", FIELD(seed), "1337", 0, HUGE_VAL, "random seed of initial weights and batches"),
    THREADS_OPTION_ROW(TrainOptions),
    {0},
};

// What is shown while schemes are trained, in steps of all of them.
typedef struct {
    ProgressLine line;
    const char *scheme;
    long long before; // steps of the schemes before this one
} DemoProgress;

static bool show_step(void *context, Trainer *trainer, StepReport *report, Error *error) {
    DemoProgress *p = context;
    const long long step = trainer->progress.step;
    progress_show(&p->line, (double)(p->before + step), "%-10s step %lld/%lld  loss %.3f", p->scheme, step,
                  trainer->options->steps, report->loss);
    return true;
}

// The perplexity at `times` the trained context, or "-" and the reason why there is none.
static bool measure(char text[16], char reason[256], const Trainer *trainer, int times, Error *error) {
    const int window = times * trainer->gpt.shape.context;
    Evaluation e = {.window = window, .stride = window, .limit = (uint64_t)trainer->options->eval_tokens};
    snprintf(text, 16, "-");
    if (length_complaint(reason, &trainer->gpt, window)) return true;
    if (!evaluate(&e, &trainer->gpt, &trainer->corpus->val, trainer->corpus->name, NULL, NULL, error)) return false;
    snprintf(text, 16, "%.3f", perplexity(e.nll, e.tokens));
    return true;
}

// Train a model, measure it and print a row. `reason` says why there is a dash, or stays "".
static bool run_scheme(char reason[256], const TrainOptions *options, const Corpus *corpus, DemoProgress *progress,
                       Error *error) {
    Trainer trainer;
    char measured[LENGTHS][16];
    if (!trainer_create(&trainer, options, corpus, error)) return false;
    const Observer observers[] = {{1, show_step, progress}, {0}};
    bool ok = train_loop(&trainer, observers, error);
    for (int i = 0; ok && i < LENGTHS; i++) ok = measure(measured[i], reason, &trainer, 1 << i, error);
    progress_clear(&progress->line);
    if (ok)
        printf("%-10s %10zu %10zu %9s %9s %9s %10.0f\n", progress->scheme, tensor_numbers(&trainer.gpt.tensors, false),
               tensor_numbers(&trainer.gpt.tensors, true), measured[0], measured[1], measured[2],
               (double)trainer_tokens(&trainer) / trainer.progress.seconds);
    fflush(stdout);
    trainer_free(&trainer);
    return ok;
}

static void print_header(const TrainOptions *o, const Corpus *corpus) {
    printf("%lld layers, %lld heads, width %lld; %lld steps of %lld x %lld tokens each on %s\n", o->layers, o->heads,
           o->width, o->steps, o->batch, o->context, corpus->name);
    printf("validation perplexity at the trained context (%lld) and past it, on text that no model saw:\n\n",
           o->context);
    printf("%-10s %10s %10s %9s %9s %9s %10s\n", "scheme", "parameters", "positional", "1x", "2x", "4x", "tokens/s");
    fflush(stdout);
}

static bool demo(const char *const *names, int count, const TrainOptions *common, const Corpus *corpus, Error *error) {
    static char reasons[SCHEMES][256];
    DemoProgress progress = {0};
    progress_start(&progress.line, "demo", 0, (double)count * (double)common->steps);
    kernels_report("demo");
    print_header(common, corpus);
    for (int i = 0; i < count; i++) {
        TrainOptions options = *common;
        snprintf(options.pos, sizeof options.pos, "%s", names[i]);
        progress.scheme = names[i];
        progress.before = i * common->steps;
        if (!run_scheme(reasons[i], &options, corpus, &progress, error)) return false;
    }
    for (int i = 0; i < count; i++)
        if (*reasons[i]) printf("\n-: %s\n", reasons[i]);
    return true;
}

// Is there enough text for the longest windows? Checked before minutes of training.
static bool check_lengths(const TrainOptions *o, const Corpus *corpus, Error *error) {
    const long long longest = o->context << (LENGTHS - 1);
    const long long tokens = (long long)split_limit(&corpus->val, o->eval_tokens);
    return tokens > longest ||
           fail_input(
               error,
               "reading at %d times --context %lld needs %lld validation tokens, but there are %lld; choose a smaller "
               "--context, more --eval-tokens or more text",
               1 << (LENGTHS - 1), o->context, longest + 1, tokens);
}

// Can every scheme be trained? Checked before minutes of training.
static bool check_schemes(const char *const *names, int count, const TrainOptions *common, int vocab, Error *error) {
    Mix pos;
    TrainOptions options = *common;
    if (count > SCHEMES) return fail_input(error, "%d schemes; name at most %d", count, SCHEMES);
    for (int i = 0; i < count; i++)
        if (!option_set(&options, option_find(train_options, "pos"), names[i], "SCHEME", error) ||
            !trainer_check(&pos, &options, vocab, error))
            return false;
    return true;
}

bool command_demo(int argc, char **argv, Error *error) {
    static const Usage usage = {
        "demo",
        "Train position schemes on the same text and compare them, at the trained context and at 2 and 4 times as "
        "much. Without SCHEME: none, learned, sinusoidal, rope and alibi.",
        "[SCHEME...]", demo_options,
        "  bitter demo\n  bitter demo rope rope:base=100 prope --data runs/data/book --steps 2000\n"};
    TrainOptions options = {0};
    options_default(&options, train_options);
    const int first = arguments_parse(&options, NULL, &usage, argc, argv);
    const bool usual = first == argc;
    const char *const *names = usual ? usual_schemes : (const char *const *)argv + first;
    const int count = usual ? (int)(sizeof usual_schemes / sizeof *usual_schemes) : argc - first;
    threads_use(options.threads);
    Corpus corpus;
    if (!corpus_open(&corpus, options.data, error)) return false;
    const bool ok = check_schemes(names, count, &options, corpus.tokenizer.vocab_size, error) &&
                    check_lengths(&options, &corpus, error) && demo(names, count, &options, &corpus, error);
    corpus_close(&corpus);
    return ok;
}
