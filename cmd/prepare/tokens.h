// The tokenizer of `bitter prepare`, and the tokens of its inputs.
#ifndef BITTER_PREPARE_TOKENS_H
#define BITTER_PREPARE_TOKENS_H

#include "cmd/prepare/inputs.h"
#include "data/tokenizer.h"

// What --tokenizer asks for.
typedef struct {
    char path[PATH_CAPACITY]; // an existing tokenizer, or "": make one
    TokenizerKind kind;       // of the one to make
    int vocab_size;           // of BPE
} TokenizerChoice;

// Read "" or "bytes", "chars", "bpe:N" or a path, which may be RUN@best. Fails (input) on anything else.
bool tokenizer_choose(TokenizerChoice *choice, const char *text, Error *error);

// Make or read the tokenizer, and append the tokens of all documents in order. Each text is freed as soon as it is
// encoded, since tokens may take twice its memory. Characters that an existing tokenizer does not know are left out and
// counted. Fails as the functions of data/tokenizer.h do, and (input) when these are more than half of the text.
bool encode_texts(Tokens *tokens, Tokenizer *tokenizer, UnknownCharacters *unknown, InputTexts *texts,
                  const TokenizerChoice *choice, Error *error);

// Print a line about the characters that were left out, if there are any: how many, beside those that were known.
void print_unknown(const UnknownCharacters *unknown, size_t known);

#endif
