// Text from a model, token by token, with a cache of keys and values.
#ifndef BITTER_GENERATE_H
#define BITTER_GENERATE_H

#include "base/random.h"
#include "data/tokenizer.h"
#include "model/infer.h"

#include <stdio.h>

typedef struct {
    const char *prompt; // "" starts a new document
    int tokens;         // to write after the prompt
    double temperature;
    int top_k;
    int context; // window: when it is full, its last half is read again as the new beginning
    Random random;
} Generation;

// Write the prompt and its continuation to `out` as it comes. Fails (input) on a prompt that the tokenizer does not
// know, or a window that the scheme is not defined for.
bool generate(FILE *out, const Gpt *gpt, const Tokenizer *tokenizer, Generation *generation, Error *error);

#endif
