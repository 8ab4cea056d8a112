// A pass of a model through one long window that can be stopped and continued: what the model remembers of the tokens
// is appended to a file now and then, and read back from it. Windows of millions of tokens take hours.
#ifndef BITTER_SAVED_PASS_H
#define BITTER_SAVED_PASS_H

#include "base/path.h"
#include "model/infer.h"

#include <stdio.h>

#define SAVED_PASS_HEAD "# a pass of bitter eval"

// The file is a line that says what the pass is of, and records: the number of tokens in it (int), the CRC-32 of what
// follows, the tokens' values, and what the model remembers of them (inference_remembered).
typedef struct {
    char path[PATH_CAPACITY];
    FILE *file;
    const Gpt *gpt;
    const int *ids; // (window) of the whole window; the caller's
    int window;
    int every;      // tokens of a record
    int found;      // tokens in the file when it was opened, if its records are whole
    int saved;      // tokens in the file
    double *values; // (window) a number for each token that the caller may set before it is saved, such as its loss
    real *memory;   // (every, inference_token_size)
} SavedPass;

// Begin the file, or, when there is one, open it. `identity` is a number that differs between runs of which a pass
// cannot be continued by the other. Fails (input) when the file is of another pass or something else, (run) when there
// is no memory or the file cannot be written.
bool saved_pass_open(SavedPass *pass, const char *path, const Gpt *gpt, uint32_t identity, const int *ids, int window,
                     int every, Error *error);

// Feed an inference (B = 1), to which nothing was fed, all that the file holds; a record that was cut short or is
// damaged, and what follows it, is dropped. Fills their values. Fails (run) when the file cannot be cut.
bool saved_pass_recall(SavedPass *pass, Inference *inference, Error *error);

// Append what was fed since the last record when it fills one. Fails (run) when it cannot be written.
bool saved_pass_keep(SavedPass *pass, const Inference *inference, Error *error);

// Close the file; remove it when the pass is `done`. May be called on {0}.
void saved_pass_close(SavedPass *pass, bool done);

#endif
