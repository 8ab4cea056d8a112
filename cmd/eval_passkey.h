// `bitter eval --passkey`: how often a model repeats a number that it read somewhere in a long text, by the length of
// the text and by the number's depth in it.
#ifndef BITTER_EVAL_PASSKEY_H
#define BITTER_EVAL_PASSKEY_H

#include "base/progress.h"
#include "base/file/text.h"
#include "lab/run/run.h"

#define PASSKEY_TOKENS 10 // tokens that the model may write; the number must be among them

// One document, and what the model wrote after its question.
typedef struct {
    int key;
    double depth;      // 0 to 1
    Text continuation; // at most PASSKEY_TOKENS tokens, up to the mark between documents; freed by the caller
} PasskeyAttempt;

// The shortest window, in tokens, that a document and its answer fit into.
int passkey_shortest_window(const Tokenizer *tokenizer);

// The cost of a window of so many tokens, in the unit of the progress line.
double passkey_work(const Gpt *gpt, int tokens);

// Fill the continuations of attempts (count) whose key and depth are given, by greedy decoding. The mark between
// documents, where there is one, the prompt and PASSKEY_TOKENS tokens fill a window of `window` tokens exactly. Shows
// `before` plus the work done so far on the progress line. Fails (input) on characters that the tokenizer does not
// know, (run) when there is no memory.
bool passkey_attempt(PasskeyAttempt *attempts, int count, const Run *run, int window, ProgressLine *line, double before,
                     Error *error);

typedef struct {
    const int *windows; // (count) lengths in tokens
    int count;
    int samples; // documents of each length and depth
    int depths;  // evenly spaced from 0 to 1; at least 2
    uint64_t seed;
    const char *csv; // a file to write the table to, or ""
} PasskeySettings;

// Fill keys and depths of the documents of one window length (depths, samples).
void passkey_documents(PasskeyAttempt *documents, const PasskeySettings *settings, int window);

// Print a table with a row for each length and a column for each depth, and the worst depth of each length. Documents
// depend on the settings alone: they are the same for every run. `directory` is the run's. Fails (input) on windows
// that are too short, or longer than the scheme is defined for, and when the run's tokens came without their tokenizer.
bool evaluate_passkey(const Run *run, const char *directory, const PasskeySettings *settings, Error *error);

#endif
