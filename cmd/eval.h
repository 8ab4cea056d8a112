// `bitter eval --task` of builtin:passkey, for its tests.
#ifndef BITTER_EVAL_H
#define BITTER_EVAL_H

#include "base/file/text.h"
#include "base/progress.h"
#include "model/infer.h"
#include "train/run.h"

#define WINDOWS_MOST 32
#define DEPTHS_MOST  101

typedef struct {
    char data[TEXT_CAPACITY], context[TEXT_CAPACITY], csv[TEXT_CAPACITY], logits[TEXT_CAPACITY], past[TEXT_CAPACITY];
    long long stride, eval_tokens, samples, depths, threads;
    bool by_position, train_split, task;
    int positions_as; // NumberFormat
    // Not an option: the lengths in --context, or the trained one.
    int windows[WINDOWS_MOST], window_count;
} EvalOptions;

// How often a model repeats a number that it read somewhere in a long text: a row for each window length, a column for
// each of options->depths places of the number; options->samples documents each, the same for every run. Fails (input)
// on windows that are too short, or longer than the scheme is defined for, and when the run's tokens are no characters.
bool evaluate_passkey(const Run *run, const char *directory, const EvalOptions *options, uint64_t seed, Error *error);

#define PASSKEY_TOKENS 10 // tokens that the model may write; the number must be among them

// The shortest window, in tokens, that a document and its answer fit into.
int passkey_shortest_window(const Tokenizer *tokenizer);

// Append to the continuation what the model writes, always the likeliest token, behind a document: PASSKEY_TOKENS
// tokens, or up to the mark between documents. That mark, where there is one, the prompt and these tokens fill a window
// of inference->capacity tokens exactly. Shows `before` plus the work done so far on the
// progress line. Fails (run) when there is no memory, (interrupted) by a signal.
bool passkey_continue(Text *continuation, Inference *inference, const Run *run, int key, double depth,
                      ProgressLine *line, double before, Error *error);

#endif
