// Text <-> token ids.
#ifndef BITTER_TOKENIZER_H
#define BITTER_TOKENIZER_H

#include "base/error.h"
#include "data/bpe/bpe.h"

#include <stddef.h>
#include <stdint.h>

typedef enum {
    TOKENIZER_BYTES, // the id of a byte is its value; 256 ends a document
    TOKENIZER_CHARS, // index into the sorted set of the text's code points (nanoGPT's convention); nothing ends a
                     // document
    TOKENIZER_BPE,   // byte pair encoding, such as GPT-2's
    TOKENIZER_NONE,  // ids whose tokenizer is not known
} TokenizerKind;

enum { BYTES_END = 256, BYTES_VOCAB, TOKENIZER_VOCAB_MOST = BPE_VOCAB_MOST, TOKENIZER_VOCAB_GPT2 = 50257 };

// The bytes of a short token and, for CHARS, its code point.
typedef struct {
    char bytes[7];
    uint8_t size;
    uint32_t character;
} TokenText;

typedef struct {
    TokenizerKind kind;
    int vocab_size;   // at most 65536: tokens are uint16
    TokenText *texts; // (vocab_size) what tokenizer_decode returns, except for BPE; for CHARS in rising order
    Bpe bpe;          // for BPE; else {0}
} Tokenizer;

// The kind's name in messages and files: "bytes", "chars", "bpe" or "none".
const char *tokenizer_kind_name(TokenizerKind kind);

// A growing array of tokens; start from {0}.
typedef struct {
    uint16_t *ids; // (count)
    size_t count, capacity;
} Tokens;

bool tokens_add(Tokens *tokens, const uint16_t *ids, size_t count, Error *error);
void tokens_free(Tokens *tokens);

// Append the token that ends a document, if the tokenizer has one.
bool tokens_add_end(Tokens *tokens, const Tokenizer *tokenizer, Error *error);

// The tokenizer of this kind. NONE stands for the tokenizer of llm.c's own shards, with GPT-2's 50257 tokens. CHARS and
// BPE have no tokens yet: call tokenizer_extend for CHARS; for BPE, fill tokenizer->bpe and then set vocab_size. Fails
// (run) without memory.
bool tokenizer_create(Tokenizer *tokenizer, TokenizerKind kind, Error *error);

// Add the characters of a text, for CHARS; does nothing for other kinds. Ids change, so call it for all texts before
// encoding any. Fails (input), naming `name` and the byte, on text that is not UTF-8 or has more than 65536 different
// characters, (run) without memory.
bool tokenizer_extend(Tokenizer *tokenizer, const char *text, size_t size, const char *name, Error *error);

// BYTES, or NONE with a vocabulary of this size (1 to 65536).
bool tokenizer_create_plain(Tokenizer *tokenizer, TokenizerKind kind, int vocab_size, Error *error);

// Append the ids of the text. Not for several threads at once. Fails (input) on a character that the tokenizer does not
// know, naming it, its line and `name`, the origin of the text; nothing is appended then.
bool tokenizer_encode(Tokens *tokens, const Tokenizer *tokenizer, const char *text, size_t size, const char *name,
                      Error *error);

// Characters that a tokenizer does not know; start from {0}.
typedef struct {
    uint64_t total;
    uint32_t first;
} UnknownCharacters;

// As tokenizer_encode, but leaves out characters that the tokenizer does not know, and counts them.
bool tokenizer_encode_known(Tokens *tokens, UnknownCharacters *unknown, const Tokenizer *tokenizer, const char *text,
                            size_t size, const char *name, Error *error);

// Do both turn the same text into the same ids?
bool tokenizer_same(const Tokenizer *a, const Tokenizer *b);

// Point *text to the bytes of one token, which are not terminated and stay valid as long as the tokenizer is neither
// extended nor freed. Returns the number of bytes (no limit); 0 for the end of a document. For NONE they are "<id>".
size_t tokenizer_decode(const char **text, const Tokenizer *tokenizer, int id);

// The id that ends a document, or -1.
int tokenizer_end(const Tokenizer *tokenizer);

// The id that ends a line, or -1.
int tokenizer_newline(const Tokenizer *tokenizer);

// tokenizer.json: {"tokenizer": "chars", "vocab_size": 65, "characters": "..."}, or "bytes" or "none" without
// "characters"; for BPE, the file of Hugging Face's tokenizers. Written atomically; read with every field checked. A
// file of Hugging Face's tokenizers is read as BPE, or as BYTES or CHARS if tokenizer_to_hf made it. Fails (input) when
// it would be read wrongly; after a failure there is nothing to free.
bool tokenizer_write(const Tokenizer *tokenizer, const char *path, Error *error);
bool tokenizer_read(Tokenizer *tokenizer, const char *path, Error *error);

// Read the tokenizer that a user names: a tokenizer.json, or a directory (a run, data, another program's) that has one
// or has GPT-2's encoder.json and vocab.bpe, or vocab.json and merges.txt.
// Fails (input) when there is none, or when it is NONE.
bool tokenizer_find(Tokenizer *tokenizer, const char *path, Error *error);

// The tokenizer, which must not be NONE, as a tokenizer.json of Hugging Face's tokenizers that gives every text the
// same ids; the end of a document becomes the special token <|endoftext|>. Release it with json_decref. NULL on
// failure: (run) when there is too little memory, (input) for the character U+0000.
struct json_t *tokenizer_to_hf(const Tokenizer *tokenizer, Error *error);

void tokenizer_free(Tokenizer *tokenizer);

#endif
