// The tokenizer of `bitter prepare`, and the tokens of its inputs.
#ifndef BITTER_PREPARE_TOKENS_H
#define BITTER_PREPARE_TOKENS_H

#include "cmd/prepare/inputs.h"
#include "data/tokenizer.h"

// What --tokenizer asks for.
typedef struct {
    const char *path;   // an existing tokenizer, or NULL: make one
    TokenizerKind kind; // of the one to make
    int vocab_size;     // of BPE
} TokenizerChoice;

// Read "bytes", "chars", "bpe:N" or a path; the choice refers to the text. Fails (input) on anything else.
bool tokenizer_choose(TokenizerChoice *choice, const char *text, Error *error);

// Make or read the tokenizer, and append the tokens of all documents in order. Each text is freed as soon as it is
// encoded, since tokens may take twice its memory. Characters that an existing tokenizer does not know are left out and
// counted. Fails as the functions of data/tokenizer.h do.
bool encode_texts(Tokens *tokens, Tokenizer *tokenizer, UnknownCharacters *unknown, InputTexts *texts,
                  const TokenizerChoice *choice, Error *error);

// Print a line about the characters that were left out, if there are any: how many, and the most frequent ones.
void print_unknown(const UnknownCharacters *unknown);

#endif
