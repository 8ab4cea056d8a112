// What bpe_encode needs beside the vocabulary.
#ifndef BITTER_ENCODER_H
#define BITTER_ENCODER_H

#include "data/bpe/bpe.h"

typedef struct BpeEncoder BpeEncoder;

// Append the ids of one word (size >= 1) to ids, which has room for `size` more, by the merges that have been added so
// far; bpe->bytes must be known. Fails as bpe_encode does.
bool bpe_encode_word(uint16_t *ids, size_t *count, Bpe *bpe, const char *word, size_t size, Error *error);

void encoder_free(BpeEncoder *encoder); // harmless on NULL

#endif
