// What the three kinds of `bitter eval` share: its options, and one function for each kind but text.
#ifndef BITTER_EVAL_H
#define BITTER_EVAL_H

#include "base/file/text.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "train/run.h"

#define WINDOWS_MOST 32
#define DEPTHS_MOST  101

typedef struct {
    char data[TEXT_CAPACITY], context[TEXT_CAPACITY], csv[TEXT_CAPACITY], logits[TEXT_CAPACITY], past[TEXT_CAPACITY];
    long long stride, eval_tokens, samples, depths, seed, threads;
    bool by_position, train_split, task, passkey;
    // Not an option: the lengths in --context, or the trained one.
    int windows[WINDOWS_MOST], window_count;
} EvalOptions;

// --task: print a table of right answers at the task's training lengths and at lengths up to twice as long, from
// options->samples exercises of each length. All runs get the same exercises; none of them was trained on.
// `directory` is the run's. Fails (input) when there is no task, or the run's tokens are not bytes.
bool evaluate_task(const Run *run, const char *directory, const EvalOptions *options, Error *error);

// --passkey: how often a model repeats a number that it read somewhere in a long text. Print a table with a row for
// each window length, and a column for each of options->depths places of the number, evenly spaced from the beginning
// of the text to its end (of one place: the middle); options->samples documents each. Documents depend on the options
// alone: they are the same for every run. Fails (input) on windows that are too short, or longer than the scheme is
// defined for, and when the run's tokens came without their tokenizer.
bool evaluate_passkey(const Run *run, const char *directory, const EvalOptions *options, Error *error);

#define PASSKEY_TOKENS 10 // tokens that the model may write; the number must be among them

// One document, and what the model wrote after its question.
typedef struct {
    int key;
    double depth;      // 0 to 1
    Text continuation; // at most PASSKEY_TOKENS tokens, up to the mark between documents; freed by the caller
    bool ended;        // the model has written that mark; false before the attempt
} PasskeyAttempt;

// The shortest window, in tokens, that a document and its answer fit into.
int passkey_shortest_window(const Tokenizer *tokenizer);

// Fill the continuations of attempts (count) whose key and depth are given, by greedy decoding. The mark between
// documents, where there is one, the prompt and PASSKEY_TOKENS tokens fill a window of `window` tokens exactly. Shows
// `before` plus the work done so far on the progress line. Fails (input) on
// characters that the tokenizer does not know, (run) when there is no memory.
bool passkey_attempt(PasskeyAttempt *attempts, int count, const Run *run, int window, ProgressLine *line, double before,
                     Error *error);

// Fill keys and depths of the documents of one window length (depths, samples).
void passkey_documents(PasskeyAttempt *documents, const EvalOptions *options, int window);

#endif
