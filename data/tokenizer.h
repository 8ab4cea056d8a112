// Text <-> token ids.
#ifndef BITTER_TOKENIZER_H
#define BITTER_TOKENIZER_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef enum {
    TOKENIZER_BYTES, // a byte is its value, 256 ends a document
    TOKENIZER_CHARS, // index into the sorted set of the text's code points (nanoGPT's convention); nothing ends a
                     // document
    TOKENIZER_NONE,  // ids that came without their tokenizer (llm.c's own shards: GPT-2's 50257)
} TokenizerKind;

enum { TOKENIZER_VOCAB_MOST = 65536, TOKENIZER_VOCAB_GPT2 = 50257 };

// The bytes of a short token.
typedef struct {
    char bytes[7];
    uint8_t size;
} TokenText;

typedef struct {
    TokenizerKind kind;
    int vocab_size;       // at most 65536: tokens are uint16
    uint32_t *characters; // (vocab_size) code points in rising order, for CHARS
    TokenText *texts;     // (vocab_size) what tokenizer_decode returns
} Tokenizer;

// "bytes", "chars" or "none", as in files.
const char *tokenizer_kind_name(TokenizerKind kind);

// A growing array of tokens; start from {0}.
typedef struct {
    uint16_t *ids; // (count)
    size_t count, capacity;
} Tokens;

bool tokens_add(Tokens *tokens, const uint16_t *ids, size_t count, Error *error);
void tokens_free(Tokens *tokens);

// The tokenizer of this kind for this text: CHARS collects its characters. Fails (input), naming `name` and the byte,
// on text that is not UTF-8 or has more than 65536 different characters.
bool tokenizer_create(Tokenizer *tokenizer, TokenizerKind kind, const char *text, size_t size, const char *name,
                      Error *error);

// Add the characters of one more text, for CHARS; does nothing for other kinds. Ids change, so call it for all texts
// before encoding any. Fails as tokenizer_create does.
bool tokenizer_extend(Tokenizer *tokenizer, const char *text, size_t size, const char *name, Error *error);

// Append the ids of the text. Fails (input) on a character that the tokenizer does not know, naming it, its line and
// `name`, the text's origin; then nothing was appended.
bool tokenizer_encode(Tokens *tokens, const Tokenizer *tokenizer, const char *text, size_t size, const char *name,
                      Error *error);

// Do both turn the same text into the same ids?
bool tokenizer_same(const Tokenizer *a, const Tokenizer *b);

// Point *text to the bytes of one token, which are not terminated and stay valid as long as the tokenizer is neither
// extended nor freed. Returns how many there are: any number; 0 for the end of a document. For NONE they are "<id>".
size_t tokenizer_decode(const char **text, const Tokenizer *tokenizer, int id);

// The id that ends a document, or -1.
int tokenizer_end(const Tokenizer *tokenizer);

// The id that ends a line, or -1.
int tokenizer_newline(const Tokenizer *tokenizer);

// tokenizer.json: {"tokenizer": "chars", "vocab_size": 65, "characters": "..."}, or "bytes" or "none" without
// characters. Written atomically; read with every field checked.
bool tokenizer_write(const Tokenizer *tokenizer, const char *path, Error *error);
bool tokenizer_read(Tokenizer *tokenizer, const char *path, Error *error);

// Write the tokenizer as a tokenizer.json of Hugging Face's tokenizers, which gives every text the same ids; the end of
// a document is its special token <|endoftext|>. Written atomically. Fails (input) for NONE, and as atomic_text does.
bool tokenizer_write_hf(const Tokenizer *tokenizer, const char *path, Error *error);
void tokenizer_free(Tokenizer *tokenizer);

#endif
