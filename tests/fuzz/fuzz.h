// What the targets share. A target gives arbitrary bytes to a reader of foreign bytes, which must accept them or refuse
// them with one sentence, without a crash and in little time and memory. README.md lists readers and targets.
#ifndef BITTER_FUZZ_H
#define BITTER_FUZZ_H

#include "base/error.h"
#include "base/path.h"
#include "data/tokenizer.h"
#include "model/gpt.h"

#include <assert.h>
#include <stdint.h>

// Every target has a file targets/NAME.c and a corpus corpus/NAME/.
#define FUZZ_TARGETS(TARGET)                                                                                           \
    TARGET(shard)                                                                                                      \
    TARGET(text)                                                                                                       \
    TARGET(tokenizer_json)                                                                                             \
    TARGET(tokenizer_others)                                                                                           \
    TARGET(config)                                                                                                     \
    TARGET(safetensors)                                                                                                \
    TARGET(tables)                                                                                                     \
    TARGET(plan)                                                                                                       \
    TARGET(measured)                                                                                                   \
    TARGET(report)                                                                                                     \
    TARGET(import_hf)                                                                                                  \
    TARGET(options)                                                                                                    \
    TARGET(pos)                                                                                                        \
    TARGET(arms)                                                                                                       \
    TARGET(builtin)

// Give the bytes to the reader. Returns whether it accepted them.
typedef bool FuzzFunction(const uint8_t *bytes, size_t size);

#define FUZZ_DECLARE(name) FuzzFunction fuzz_##name;
FUZZ_TARGETS(FUZZ_DECLARE)

typedef struct {
    const char *name;
    FuzzFunction *run;
} FuzzTarget;

extern const FuzzTarget fuzz_targets[]; // name == NULL ends it

// Check the result of a reader, `ok` or *error, and return `ok`. Ends the program if a refusal is not one plain
// sentence about bad input.
bool fuzz_taken(bool ok, const Error *error);

// The last refusal that fuzz_taken was given.
const char *fuzz_refusal(void);

// Ends the program with the error's sentence unless `ok`: for what must not be refused.
void fuzz_must(bool ok, const Error *error);

// The directory for the files of this process; it is removed when the process ends.
const char *fuzz_directory(void);

// Write a file in it and set its path; `name` may have directories, which are made. Returns `path`.
const char *fuzz_file(char path[PATH_CAPACITY], const char *name, const void *bytes, size_t size);

// Inputs that stand for several files or words have the byte 0xFF between them, which is in no text. Returns the next
// part, moves *bytes and *size behind it, and sets *length.
const uint8_t *fuzz_part(size_t *length, const uint8_t **bytes, size_t *size);

// The next part as a word that can be typed: up to its first 0, and shorter than `capacity`. Returns `word`.
char *fuzz_word(char *word, size_t capacity, const uint8_t **bytes, size_t *size);

// A writable copy of the bytes, after those of `head` (head_size); the caller frees it.
uint8_t *fuzz_copy(const void *head, size_t head_size, const uint8_t *bytes, size_t size);

// fuzz_file of a safetensors file, with its CRC-32, if it has one, corrected, so that the code after the check is
// reached.
const char *fuzz_sealed_file(char path[PATH_CAPACITY], const char *name, const uint8_t *bytes, size_t size);

// A model of one layer that is always the same, with `pos`; `training`: also with gradients and moments.
void fuzz_model(Gpt *gpt, const char *pos, bool training);

// If the model is small, make it and feed it some tokens.
void fuzz_feed(const Shape *shape, const Mix *pos);

// Turn text into tokens and back.
void fuzz_encode(const Tokenizer *tokenizer);

// The tokens must stand for these bytes.
void fuzz_decode(const Tokens *tokens, const Tokenizer *tokenizer, const void *bytes, size_t size);

#endif
