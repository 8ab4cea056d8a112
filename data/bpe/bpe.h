// Byte pair encoding: text is split into words, and the bytes of a word are joined, pair by pair, into tokens. A list
// of merges says which pairs are joined, and in which order.
#ifndef BITTER_BPE_H
#define BITTER_BPE_H

#include "base/error.h"
#include "base/file/text.h"

#include <stddef.h>
#include <stdint.h>

enum { BPE_VOCAB_MOST = 65536 }; // tokens are uint16
#define BPE_END "<|endoftext|>"  // the name of the end of a document

typedef struct {
    uint32_t start, size; // its bytes in Bpe.text; size 0: there is no such token
    bool special;         // stands for no text: encoding never produces it
} BpeToken;

typedef struct {
    uint16_t left, right, joined; // ids
} BpeMerge;

typedef struct {
    int vocab_size, merge_count;
    int end;             // the id that ends a document, or -1
    Text text;           // the bytes of all tokens, in any order
    BpeToken *tokens;    // (BPE_VOCAB_MOST); vocab_size of them are present when the Bpe is complete
    BpeMerge *merges;    // (BPE_VOCAB_MOST), the first to be applied first
    uint16_t bytes[256]; // the id of each byte
    uint32_t *by_text;   // table of ids by their bytes
    uint32_t *by_name;   // the same for special tokens
    uint32_t *by_pair;   // table of merges by their pair
    struct Splitter *splitter;
    struct CachedWord *cache; // the tokens of words that were encoded before
} Bpe;

// Build a Bpe: begin, add tokens and merges in any order, but the tokens of a merge before the merge, and complete.
// `name` is the file that they come from. Fails (run) when there is too little memory. After any failure, call
// bpe_free.
bool bpe_begin(Bpe *bpe, Error *error);

// Fails (input) when the id is not from 0 to 65535 or is taken, or when another token has the same bytes (for a special
// token, another special token). The bytes of a special token are its name.
bool bpe_add_token(Bpe *bpe, long long id, const char *bytes, size_t size, bool special, const char *name,
                   Error *error);

// Add the merge of the token of the first `left_size` bytes and the token of the rest into the token of all `size`
// bytes. Fails (input) when one of the three tokens has not been added, or when the pair has a merge already.
bool bpe_add_merge(Bpe *bpe, const char *bytes, size_t left_size, size_t size, const char *name, Error *error);

// Fails (input) when an id below the highest or a byte has no token, or when a special token's name equals another
// token's symbols. The end of a document is the special token <|endoftext|>, or the only special token.
bool bpe_complete(Bpe *bpe, const char *name, Error *error);
void bpe_free(Bpe *bpe); // harmless on {0}

// Append the ids of a text to ids, which has room for `size` more (every token has at least one byte); *count is
// updated. Not for several threads at once. Bytes that are not UTF-8 are words by themselves. Words of many kB take
// long. Fails (interrupted) when a signal asks to stop.
bool bpe_encode(uint16_t *ids, size_t *count, const Bpe *bpe, const char *text, size_t size, Error *error);

// The id of the ordinary (not special) token with these bytes, or -1.
int bpe_find(const Bpe *bpe, const char *bytes, size_t size);

// The merge of a pair of ids: its index, or -1.
int bpe_merge_of(const Bpe *bpe, int left, int right);

// A hash of bytes whose lower bits are also well mixed.
uint64_t bpe_hash(const char *bytes, size_t size);

// Vocabularies in files write each byte as a visible character, its symbol. GPT-2's choice: a byte that is visible in
// Latin-1 is that character, and the others are U+0100, U+0101, ... in rising order.
bool bpe_byte_is_visible(int byte);

// Append the symbols of the bytes, as UTF-8.
void bpe_add_symbols(Text *text, const char *bytes, size_t size);

// Append the bytes that the symbols stand for. Returns false when a character is not a symbol.
bool bpe_read_symbols(Text *bytes, const char *symbols, size_t size);

// Do both turn the same text into the same ids?
bool bpe_same(const Bpe *a, const Bpe *b);

// --- text into words, as GPT-2 does: merges never join bytes of two words ---

typedef struct Splitter Splitter;

// NULL, and fails (run), when there is too little memory.
Splitter *splitter_create(Error *error);
void splitter_free(Splitter *splitter); // harmless on NULL

// Called for each word; returns false, with the error set, to stop.
typedef bool (*TakeWord)(void *context, const char *word, size_t size, Error *error);

// Call `take` for every word of the text, in order; the words together are the text. Bytes that are not UTF-8 are words
// by themselves. Fails as `take` does, and (interrupted) when a signal asks to stop.
bool split(Splitter *splitter, const char *text, size_t size, TakeWord take, void *context, Error *error);

// --- trainer.c: learn the merges from text: join the most frequent pair of neighbours in all words, repeatedly ---

// Tokens of a trained vocabulary before the first merge: the bytes, and the end of a document.
enum { BPE_VOCAB_LEAST = 257, BPE_WORD_SLOW = 100000 }; // bytes: every join reads the whole word

// A distinct word of the texts, with its number of occurrences.
typedef struct {
    size_t start, size; // of its bytes in BpeWords.text
    uint64_t count;
} BpeWord;

typedef struct {
    BpeWord *words; // (count), in order of first occurrence
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
// occurs twice any more. Its tokens are the 256 bytes in GPT-2's order, then the results of the merges, and last the
// end of a document. Of equally frequent pairs, the one with the lower ids comes first, so the result equals that of
// BpeTrainer in Hugging Face's tokenizers with min_frequency 2. Fails as bpe_words_add does.
bool bpe_train(Bpe *bpe, const BpeWords *words, int vocab_size, Error *error);

#endif
