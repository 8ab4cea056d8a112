// `bitter eval --passkey`: can a number be found again, by the length of a text and the depth of the place where it
// stands?
#ifndef BITTER_EVAL_PASSKEY_H
#define BITTER_EVAL_PASSKEY_H

#include "base/progress.h"
#include "base/text.h"
#include "lab/run/run.h"

#define PASSKEY_TOKENS 10 // of a continuation: the number must come in them

// One document, and what the model wrote behind its question.
typedef struct {
    int key;
    double depth;      // 0 to 1
    Text continuation; // at most PASSKEY_TOKENS tokens, without the mark between documents, which ends it; the caller's
} PasskeyAttempt;

// The shortest window for tokens of this kind.
int passkey_shortest_window(const Tokenizer *tokenizer);

// What a window of so many tokens costs, for the progress line.
double passkey_work(const Gpt *gpt, int tokens);

// Write the continuations (count) for prompts of given key and depth, always the likeliest token. The mark between
// documents, where there is one, a prompt and PASSKEY_TOKENS fill a window of `window` tokens exactly. Shows `before`
// and the work done on the line. Fails (input) on characters that the tokenizer does not know, (run) for want
// of memory.
bool passkey_attempt(PasskeyAttempt *attempts, int count, const Run *run, int window, ProgressLine *line, double before,
                     Error *error);

typedef struct {
    const int *windows; // (count) lengths in tokens
    int count;
    int samples; // documents of each length and depth
    int depths;  // from 0 to 1, evenly; at least 2
    uint64_t seed;
    const char *csv; // a file to write the table to, or ""
} PasskeySettings;

// The documents of one window (depths * samples), those of equal depth one after the other: their keys and depths.
void passkey_documents(PasskeyAttempt *documents, const PasskeySettings *settings, int window);

// Print a table with a row for each length and a column for each depth, and the worst depth of each length. Documents
// depend on the settings alone: they are the same for every run. `directory` is the run's. Fails (input) on windows
// that are too short, or longer than the scheme is defined for, and when the run's tokens came without their tokenizer.
bool evaluate_passkey(const Run *run, const char *directory, const PasskeySettings *settings, Error *error);

#endif
