#include "train/train_options.h"

#include "base/utf8.h"
#include "num/bf16.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(TrainOptions, name)

const Option train_options[] = {
    HEADING_ROW("Data"),
    TEXT_ROW("data", FIELD(data), "builtin:tales", "DIR",
             "instead of FILE: shards (`prepare`, llm.c) or builtin:NAME; help = list these"),
    TEXT_ROW(
        "documents", FIELD(documents), NULL, "NAME",
        "mix passkey documents into training: a fraction X of the windows begins with one (builtin:passkey:share=X)"),
    HEADING_ROW("Model"),
    MODEL_OPTION_ROWS(TrainOptions),
    INTEGER_ROW("random-positions", FIELD(random_positions), "0", 0, 1e6,
                "give the tokens of a sequence random positions below N, in rising order; 0 = off"),
    HEADING_ROW("Training"),
    INTEGER_ROW("accumulate", FIELD(accumulate), "1", 1, 100000, "gradient accumulation: batches per optimiser step"),
    INTEGER_ROW("steps", FIELD(steps), "1000", 1, HUGE_VAL, "optimiser steps"),
    NUMBER_ROW("lr", FIELD(lr), "1e-3", 0, 100, "X", "peak learning rate"),
    NUMBER_ROW("min-lr", FIELD(min_lr), "1e-4", 0, 100, "X",
               "learning rate of the last step, at the end of the cosine decay; at most --lr"),
    INTEGER_ROW("warmup", FIELD(warmup), "100", 0, HUGE_VAL, "steps of linear warm-up before the cosine decay"),
    NUMBER_ROW("weight-decay", FIELD(weight_decay), "0.1", 0, 100, "X",
               "decay of weight matrices, not of position parameters"),
    NUMBER_ROW("beta1", FIELD(beta1), "0.9", 0, 0.999999, "X", "AdamW's decay of the first moment"),
    NUMBER_ROW("beta2", FIELD(beta2), "0.99", 0, 0.999999, "X", "AdamW's decay of the second moment"),
    NUMBER_ROW("clip", FIELD(clip), "1", 0, HUGE_VAL, "X", "scale larger gradients down to this norm; 0 = never"),
    NUMBER_ROW("dropout", FIELD(dropout), "0", 0, 0.99, "X",
               "fraction of embeddings, attention weights and block outputs to set to 0"),
    INTEGER_ROW("seed", FIELD(seed), "1337", 0, HUGE_VAL, "random seed of initial weights, batches and dropout"),
    PRECISION_OPTION_ROW(TrainOptions),
    THREADS_OPTION_ROW(TrainOptions),
    HEADING_ROW("Progress"),
    INTEGER_ROW("eval-every", FIELD(eval_every), "250", 0, HUGE_VAL,
                "steps between validations (by default, `bitter train` takes a tenth of --steps at most); 0 = only at "
                "the end"),
    INTEGER_ROW("eval-tokens", FIELD(eval_tokens), "131072", 0, HUGE_VAL,
                "measure the loss on the first N validation tokens; 0 = all"),
    INTEGER_ROW("patience", FIELD(patience), "0", 0, HUGE_VAL,
                "stop after N validations in a row without a lower loss than before; 0 = never"),
    INTEGER_ROW("sample-every", FIELD(sample_every), "0", 0, HUGE_VAL,
                "steps between printed samples, one after the last step too; 0 = none"),
    INTEGER_ROW("save-every", FIELD(save_every), "250", 0, HUGE_VAL, "steps between checkpoints; 0 = only at the end"),
    HEADING_ROW("Run"),
    TEXT_ROW("out", FIELD(out), NULL, "DIR",
             "run directory; by default runs/SCHEME, or runs/SCHEME-2, -3 ... if that exists"),
    TEXT_ROW("init", FIELD(init), NULL, "RUN",
             "start from the weights of RUN, or RUN@best; its model, data, batch size and schedule become the "
             "defaults, its seed + 1 the default seed"),
    FLAG_ROW("resume", FIELD(resume), "continue the run in --out, bit for bit; more --steps begin a new cosine"),
    {0},
};

bool option_free_on_resume(const char *name) {
    static const char *const names[] = {"data", "eval-every", "patience", "sample-every", "save-every",
                                        "out",  "resume",     "threads",  "precision"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

const Option *options_difference(char x[TEXT_CAPACITY], char y[TEXT_CAPACITY], const Option *from,
                                 const TrainOptions *a, const TrainOptions *b) {
    for (const Option *option = from; option->name; option++) {
        option_print(a, option, x);
        option_print(b, option, y);
        if (strcmp(x, y) != 0) return option;
    }
    return NULL;
}

Shape sizes_of(const TrainOptions *options, int vocab) {
    return (Shape){.vocab = vocab,
                   .context = (int)options->context,
                   .layers = (int)options->layers,
                   .heads = (int)options->heads,
                   .width = (int)options->width,
                   .random_positions = (int)options->random_positions,
                   .kv_heads = (int)options->kv_heads,
                   .block = (Block)options->block,
                   .scale_logits = (ScaleLogits)options->scale_logits};
}

bool shape_of(Shape *shape, const TrainOptions *options, int vocab, Error *error) {
    *shape = sizes_of(options, vocab);
    return windows_parse(&shape->windows, options->window, shape->layers, error);
}

bool name_check(const char *option, const char *name, Error *error) {
    return (is_utf8(name) && is_plain(name)) ||
           fail_input(error, "%s %s: the name %s; rename it", option, name,
                      is_utf8(name) ? "holds a newline or another control character" : "is not UTF-8, as JSON needs");
}

// A resumed run records only the data's name again, so no other name is checked.
static bool check_names(const TrainOptions *options, Error *error) {
    for (const Option *o = train_options; o->name; o++) {
        char label[TEXT_CAPACITY], text[TEXT_CAPACITY];
        if (o->type != OPTION_TEXT || (options->resume && strcmp(o->name, "data") != 0)) continue;
        snprintf(label, sizeof label, "--%s", o->name);
        option_print(options, o, text);
        if (!name_check(label, text, error)) return false;
    }
    return true;
}

bool train_options_check(const TrainOptions *options, Error *error) {
    if (!check_names(options, error)) return false;
    if (options->precision == PRECISION_BF16 && bf16_complaint())
        return fail_input(error, "--precision bf16: %s; use --precision float", bf16_complaint());
    if (options->patience > 0 && options->eval_every == 0)
        return fail_input(error, "--patience %lld counts validations, but --eval-every 0 makes none before the end",
                          options->patience);
    if (options->min_lr > options->lr)
        return fail_input(error, "--min-lr %g is above --lr %g, where the cosine starts; make it smaller",
                          options->min_lr, options->lr);
    if ((double)options->batch * (double)options->context > 1e8)
        return fail_input(error, "--batch %lld times --context %lld is more than 10^8 tokens; give a smaller --batch",
                          options->batch, options->context);
    const double rows = (double)options->batch * (double)options->accumulate;
    return (double)options->steps * rows * (double)options->context <= 0x1p62 ||
           fail_input(error, "--steps %lld of %.0f windows of %lld tokens are more than 2^62 tokens; give fewer",
                      options->steps, rows, options->context);
}
