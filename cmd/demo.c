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

typedef struct {
    const char *scheme;
    size_t parameters, positions;
    char perplexity[LENGTHS][16]; // "-" where the scheme is not defined
    char reason[256];             // why there is a "-", or ""
    double tokens_per_second;
} Row;

// Progress over all schemes, in tokens of training and of evaluation.
typedef struct {
    ProgressLine line;
    double done, evaluation; // the work that is done and that of one evaluation, both in tokens of training
    const char *scheme;
    long long step; // of training that scheme
    const TrainOptions *options;
    int times; // evaluating at 1x, 2x or 4x
} DemoProgress;

static void show_evaluation(void *context, double share) {
    DemoProgress *p = context;
    progress_show(&p->line, p->done + share * p->evaluation, "%-10s reading at %dx", p->scheme, p->times);
}

static bool show_step(void *context, Trainer *trainer, StepReport *report, Error *error) {
    DemoProgress *p = context;
    const TrainOptions *o = p->options;
    p->done += (double)(o->batch * o->context);
    progress_show(&p->line, p->done, "%-10s step %lld/%lld  loss %.3f", p->scheme, ++p->step, o->steps, report->loss);
    return true;
}

static bool evaluate_one(Row *row, const Trainer *trainer, DemoProgress *p, Error *error) {
    const int T = trainer->gpt.shape.context;
    for (int i = 0; i < LENGTHS; i++, p->done += p->evaluation) {
        p->times = 1 << i;
        Evaluation e = {.window = T << i, .stride = T << i, .limit = (uint64_t)trainer->options->eval_tokens};
        if (length_complaint(row->reason, &trainer->gpt, e.window)) {
            snprintf(row->perplexity[i], sizeof row->perplexity[i], "-");
            continue;
        }
        if (!evaluate(&e, &trainer->gpt, &trainer->corpus->val, trainer->corpus->name, show_evaluation, p, error))
            return false;
        snprintf(row->perplexity[i], sizeof row->perplexity[i], "%.3f", perplexity(e.nll, e.tokens));
    }
    return true;
}

static bool run_scheme(Row *row, const TrainOptions *options, const Corpus *corpus, DemoProgress *p, Error *error) {
    Trainer trainer;
    if (!trainer_create(&trainer, options, corpus, error)) return false;
    *row = (Row){.scheme = p->scheme};
    row->parameters = tensor_numbers(&trainer.gpt.tensors, false);
    row->positions = tensor_numbers(&trainer.gpt.tensors, true);
    p->step = 0;
    const Observer observers[] = {{1, show_step, p}, {0}};
    const bool ok = train_loop(&trainer, observers, error) && evaluate_one(row, &trainer, p, error);
    if (ok) row->tokens_per_second = (double)trainer_tokens(&trainer) / trainer.progress.seconds;
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

static void print_row(const Row *row) {
    printf("%-10s %10zu %10zu %9s %9s %9s %10.0f\n", row->scheme, row->parameters, row->positions, row->perplexity[0],
           row->perplexity[1], row->perplexity[2], row->tokens_per_second);
    fflush(stdout);
}

static bool demo(const char *const *names, int count, const TrainOptions *common, const Corpus *corpus, Error *error) {
    Row rows[SCHEMES];
    const double training = (double)(common->steps * common->batch * common->context);
    // Reading is about three times as fast as training.
    DemoProgress progress = {.options = common,
                             .evaluation = (double)split_limit(&corpus->val, common->eval_tokens) / 3};
    progress_start(&progress.line, "demo", 0, count * (training + LENGTHS * progress.evaluation));
    kernels_report("demo");
    print_header(common, corpus);
    for (int i = 0; i < count; i++) {
        TrainOptions options = *common;
        progress.scheme = names[i];
        snprintf(options.pos, sizeof options.pos, "%s", progress.scheme);
        if (!run_scheme(&rows[i], &options, corpus, &progress, error)) return false;
        progress_clear(&progress.line);
        print_row(&rows[i]);
    }
    for (int i = 0; i < count; i++)
        if (*rows[i].reason) printf("\n-: %s\n", rows[i].reason);
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
    for (int i = 0; i < count; i++) {
        if (names[i][strcspn(names[i], ":=")] == '=' || strstr(names[i], " --"))
            return fail_input(error,
                              "'%.200s': demo takes schemes as --pos does, without labels or options of their own; "
                              "`bitter compare` takes these",
                              names[i]);
        if (snprintf(options.pos, sizeof options.pos, "%s", names[i]) >= (int)sizeof options.pos)
            return fail_input(error, "the scheme '%.40s...' is too long", names[i]);
        if (!trainer_check(&pos, &options, vocab, error)) return false;
    }
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
    const char *const *names = usual ? usual_schemes : (const char *const *)(argv + first);
    const int count = usual ? (int)(sizeof usual_schemes / sizeof *usual_schemes) : argc - first;
    threads_use(options.threads);
    Corpus corpus;
    if (!corpus_open(&corpus, options.data, error)) return false;
    const bool ok = check_schemes(names, count, &options, corpus.tokenizer.vocab_size, error) &&
                    check_lengths(&options, &corpus, error) && demo(names, count, &options, &corpus, error);
    corpus_close(&corpus);
    return ok;
}
