// The merges of byte pair encoding from text: join the most frequent pair of neighbours in all words, again and again.
#ifndef BITTER_BPE_TRAINER_H
#define BITTER_BPE_TRAINER_H

#include "data/bpe/bpe.h"

// Tokens of a trained vocabulary before the first merge: the bytes, and the end of a document.
enum { BPE_VOCAB_LEAST = 257, BPE_WORD_SLOW = 100000 }; // bytes: every join in a word reads all of it

// A word of the texts, once for all its occurrences.
typedef struct {
    size_t start, size; // of its bytes in BpeWords.text
    uint64_t count;
} BpeWord;

typedef struct {
    BpeWord *words; // (count), in the order in which they were met
    size_t count, capacity, longest;
    Text text;
    uint32_t *table; // (places) index of a word plus 1; 0 = empty
    size_t places;
    struct Splitter *splitter;
} BpeWords; // start from {0}

// Count the words of one more text. Fails (run) when there is too little memory, (interrupted) when a signal asks to
// stop.
bool bpe_words_add(BpeWords *words, const char *text, size_t size, Error *error);
void bpe_words_free(BpeWords *words);

// Train, in a Bpe that was just begun, a vocabulary of `vocab_size` tokens (257 to 65536), or of fewer when no pair
// occurs twice any more. Its tokens are the 256 bytes in GPT-2's order, then what the merges make, and last the end of
// a document. Of two pairs that are equally frequent, the one with the lower ids is first; so the result is that of
// BpeTrainer in Hugging Face's tokenizers with min_frequency 2. Fails as bpe_words_add does.
bool bpe_train(Bpe *bpe, const BpeWords *words, int vocab_size, Error *error);

#endif
