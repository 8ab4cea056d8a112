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
// tokens are no characters or lack some of the documents'.
bool passkey_check(const Run *run, const char *directory, const int *windows, int count, Error *error);

// Append to the continuation what the model writes, always the likeliest token, behind a document: PASSKEY_TOKENS
// tokens, or up to the mark between documents. That mark, where there is one, the prompt and these tokens fill a window
// of inference->capacity tokens exactly. Shows `before` plus the work done so far on the
// progress line. Fails (run) when there is no memory, (interrupted) by a signal.
bool passkey_continue(Text *continuation, Inference *inference, const Run *run, int key, double depth,
                      ProgressLine *line, double before, Error *error);

// How much of the other text is before the number, at depth d of so many: 0 to 1; half, where there is one depth.
double passkey_depth(int d, int depths);

// right (depths): of `samples` documents of each depth, the same for every run with this seed, those whose number is
// found in a window of this length. Adds the work to *done. Fails as passkey_continue does.
bool passkey_find(int *right, const Run *run, int window, int depths, long long samples, uint64_t seed,
                  ProgressLine *line, double *done, Error *error);

#endif
