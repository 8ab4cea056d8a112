// From texts to a directory of shards: what `bitter prepare` does, and `bitter train FILE` before it trains.
#ifndef BITTER_PREPARE_H
#define BITTER_PREPARE_H

#include "cmd/shared/output.h"
#include "data/made/builtin.h"
#include "data/tokenizer.h"

#include <stdio.h>

// How files are read.
typedef struct {
    char tokenizer[TEXT_CAPACITY]; // "" = bytes
    char field[TEXT_CAPACITY];     // of JSON records; "" = the files are text
    bool raw;                      // keep byte order marks and \r
    bool force;                    // take files that are not text, too
} InputOptions;

// Rows for a struct S with a field `input`.
#define INPUT_OPTION_ROWS(S)                                                                                           \
    TEXT_ROW("tokenizer", offsetof(S, input.tokenizer), NULL, "bytes|chars|bpe:N|PATH",                                \
             "bytes, the default: each byte is a token, each input a document; chars: each different character is a "  \
             "token, all inputs are joined into one text; bpe:N: N tokens (257 to 65536) of byte pair encoding, "      \
             "trained on the text; PATH: the tokenizer of a run, of data, or of other programs: tokenizer.json or a "  \
             "directory with GPT-2's encoder.json and vocab.bpe"),                                                     \
        TEXT_ROW("field", offsetof(S, input.field), NULL, "NAME",                                                      \
                 "read this field of JSON records (JSONL); each value is a document"),                                 \
        FLAG_ROW("raw", offsetof(S, input.raw), "keep byte order marks, and \\r\\n at the ends of lines"),             \
        FLAG_ROW("force", offsetof(S, input.force), "accept files that are no text, such as archives")

// A document is one file, one record's field or one built-in document.
typedef struct {
    char *name; // of the input, or of a file below it
    Text text;
} Document;

// The text of all inputs, and its tokens.
typedef struct {
    InputOptions options;     // set by the caller; the others start from {0}
    char path[PATH_CAPACITY]; // of an existing tokenizer; "" = make one
    TokenizerKind kind;       // of the tokenizer to make
    int vocab_size;           // of the BPE tokenizer to make
    Document *documents;      // (count)
    size_t count, capacity, bytes;
    size_t files, left_out; // below directories: files taken, and files left out
    size_t dropped;         // bytes of byte order marks, and of \r
    bool remarked;          // has it been said that CSV or JSON is read as text?
    Tokenizer tokenizer;
    UnknownCharacters unknown; // left out of the tokens
    Tokens tokens;
} Texts;

// Understand options.tokenizer: "" or "bytes", "chars", "bpe:N" or a path, which may be RUN@best. Read files, also all
// texts below a directory, and make built-in documents. Fails (input) when an input is missing, unreadable, empty or
// not text, (run) when there is too little memory, (interrupted) by a signal; call texts_free then, too.
bool texts_read(Texts *texts, char **inputs, int count, Error *error);

// Make or read the tokenizer, and encode all documents in order. Each is freed as soon as it is encoded, since tokens
// may take twice its memory. Characters that an existing tokenizer does not know are left out and counted. Fails as the
// functions of data/tokenizer.h do, and (input) when these are more than half of the text.
bool texts_encode(Texts *texts, Error *error);
void texts_free(Texts *texts);

// For `bitter train FILE`: make shards in `data`, which output_default has named after the text, by default with the
// tokenizer of `run` ("" = bytes), unless they are there already. Writes to `out` what was done. Fails (input) when
// `data` holds anything but this text, when training or validation would have fewer than `least` tokens, and as `bitter
// prepare` does.
bool prepare_once(const char *data, const char *text, const InputOptions *input, const char *run, long long least,
                  FILE *out, Error *error);

#endif
