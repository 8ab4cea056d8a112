// What the tests of tokenizers share: a directory of their own, and tokenizers of a text.
#ifndef BITTER_TEST_TOKENIZERS_H
#define BITTER_TEST_TOKENIZERS_H

#include "data/tokenizer.h"
#include "tests/support/directory.h"
#include "tests/support/support.h"

static char json[SCRATCH_PATH + 32];

static inline int make_paths(void **state) {
    make_directory(state);
    snprintf(json, sizeof json, "%s/tokenizer.json", directory);
    return 0;
}

static inline Tokenizer create(TokenizerKind kind, const char *text, size_t size) {
    Tokenizer tokenizer;
    Error error;
    must(tokenizer_create(&tokenizer, kind, &error) && tokenizer_extend(&tokenizer, text, size, "a.txt", &error),
         &error);
    return tokenizer;
}

#endif
