// Text to the tokens of a vocabulary.
#ifndef BITTER_ENCODER_H
#define BITTER_ENCODER_H

#include "data/bpe/bpe.h"

// Encodes texts one after another, by one vocabulary only, because it remembers the tokens of words.
typedef struct BpeEncoder BpeEncoder;

// NULL, and fails (run), when there is too little memory.
BpeEncoder *encoder_create(Error *error);
void encoder_free(BpeEncoder *encoder); // harmless on NULL

// Append the ids of a text to ids, which has room for `size` more (every token has at least one byte); *count is
// updated. Bytes that are not UTF-8 are words by themselves. Words of many kB take long. Fails (interrupted) when a
// signal asks to stop.
bool encode_text(uint16_t *ids, size_t *count, BpeEncoder *encoder, const Bpe *bpe, const char *text, size_t size,
                 Error *error);

// Append the ids of one word (size >= 1) to ids, which has room for `size` more, by the merges that have been added so
// far; bpe->bytes must be known. Fails (interrupted) when a signal asks to stop.
bool encode_word(uint16_t *ids, size_t *count, const Bpe *bpe, const char *word, size_t size, Error *error);

#endif
