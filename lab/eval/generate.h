// Text from a model, token by token, with a cache of keys and values.
#ifndef BITTER_GENERATE_H
#define BITTER_GENERATE_H

#include "base/interrupt.h"
#include "base/random.h"
#include "data/tokenizer.h"
#include "model/infer.h"
#include "model/sample.h"
#include "base/file/text.h"

#include <stdio.h>

typedef struct {
    const char *prompt; // "" starts a new document
    int tokens;         // to write after the prompt, and up to 3 more to finish a character
    Sampling sampling;
    int context; // window: when it is full, its last half is read again as the new beginning
    Random random;
    bool one_document; // the end of a document ends the output, too
    const Stop *stop;  // asked after each token, whether to end the output there; NULL = never
} Generation;

// Temperature 0.8 among the 50 likeliest tokens, as `bitter sample` has them.
Generation generation_usual(const char *prompt, int tokens, int context, long long seed);

// Write the prompt and its continuation to `out` as it comes. Fails (input) on a prompt that the tokenizer does not
// know, or a window that the scheme is not defined for.
bool generate(FILE *out, const Gpt *gpt, const Tokenizer *tokenizer, Generation *generation, Error *error);

// A text that a user and the model write in turn.
typedef struct {
    const Gpt *gpt;
    const Tokenizer *tokenizer;
    Inference inference;
    real *logits, *scratch; // (V), (2V)
    Tokens tokens;          // of the whole text
    size_t fed;             // how many of them were fed to the cache
    int *ids;               // (window)
} Generator;

// Begin a document. The model sees the last `window` tokens at most. Fails (input) when the scheme is not defined for
// such a window, (run) for want of memory; free it in any case.
bool generator_create(Generator *generator, const Gpt *gpt, const Tokenizer *tokenizer, int window, Error *error);
void generator_free(Generator *generator);

// Append the prompt, and write it to `out`. Fails as generator_add does, and (run) when `out` has no memory.
bool generator_begin(FILE *out, Generator *generator, const char *prompt, Error *error);

// Append text, called `name` in errors. Fails as tokenizer_encode does; then nothing was appended.
bool generator_add(Generator *generator, const char *text, size_t size, const char *name, Error *error);

// Does the text end with the end of a line or of a document, or is it empty?
bool generator_at_line(const Generator *generator);

// Let the model append to the text, and write what it appends to `out`, as long as that can be written to. The prompt
// and the context of `generation` are ignored.
bool generator_write(FILE *out, Generator *generator, Generation *generation, Error *error);

// --- text that a model writes, byte by byte, on its way to a file or a terminal: whole characters ---

// A model can write any bytes. A file gets them all. A terminal gets '?' for control characters other than newlines and
// tabs, because it would obey them, and U+FFFD for each byte that is not UTF-8.
typedef struct {
    FILE *out;
    bool terminal; // is `out` one?
    bool failed;   // bytes were lost: no memory to hold them, or `out`, if no terminal, did not take them
    Text held;     // the beginning of a character
} Stream;

// Streams to `out`; end with stream_end.
Stream stream_to(FILE *out);

// Write what can be written, and hold back what may be the beginning of a character.
void stream_write(Stream *stream, const char *bytes, size_t size);

// Write what is held back, and free it.
void stream_end(Stream *stream);

#endif
