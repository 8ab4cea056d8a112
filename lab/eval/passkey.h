// Passkeys: how often a model repeats a number that it read somewhere in a long text (data/made/builtin.h).
#ifndef BITTER_PASSKEY_H
#define BITTER_PASSKEY_H

#include "base/file/text.h"
#include "base/progress.h"
#include "model/infer.h"
#include "train/run.h"

#define PASSKEY_TOKENS 10 // tokens that the model may write; the number must be among them

// The shortest window, in tokens, that a document and its answer fit into.
int passkey_shortest_window(const Tokenizer *tokenizer);

// Fails (input) on windows (count) that are too short, or longer than the scheme is defined for, and when the run's
// tokens are not characters or lack some characters of the documents.
bool passkey_check(const Run *run, const char *directory, const int *windows, int count, Error *error);

// Append to the continuation what the model writes after a document, always the likeliest token: PASSKEY_TOKENS tokens,
// or up to the mark between documents. The mark before the document, if the tokenizer has one, the prompt and
// PASSKEY_TOKENS tokens fill a window of inference->capacity tokens exactly. Shows `before` plus the work done so far
// on the progress line. Fails (run) when there is no memory, (interrupted) by a signal.
bool passkey_continue(Text *continuation, Inference *inference, const Run *run, int key, double depth,
                      ProgressLine *line, double before, Error *error);

// The share of the other text that stands before the number, at depth d of `depths`: 0 to 1; 0.5 if there is one depth.
double passkey_depth(int d, int depths);

// Set right (depths): how many numbers the model finds at each depth, in `samples` documents that fill a window of this
// length and are the same for every run with this seed. Adds the work to *done. Fails as passkey_continue does.
bool passkey_find(int *right, const Run *run, int window, int depths, long long samples, uint64_t seed,
                  ProgressLine *line, double *done, Error *error);

#endif
