// What `bitter prepare` turns into tokens.
#ifndef BITTER_PREPARE_INPUTS_H
#define BITTER_PREPARE_INPUTS_H

#include "base/file/text.h"
#include "base/option.h"
#include "data/made/builtin.h"

enum { REMARKS = 3 }; // kinds of remarks about a text

// How files are read.
typedef struct {
    char tokenizer[TEXT_CAPACITY]; // "" = bytes
    char field[TEXT_CAPACITY];     // of JSON records; "" = the files are text
    bool raw;                      // keep byte order marks and \r
    bool force;                    // take what is no text, too
} InputOptions;

// Rows for a struct S with a field `input`.
#define INPUT_OPTION_ROWS(S)                                                                                           \
    TEXT_ROW("tokenizer", offsetof(S, input.tokenizer), NULL, "bytes|chars|bpe:N|PATH",                                \
             "bytes, the default: each byte is a token, each input a document; chars: each different character is a "  \
             "token, all inputs are joined into one text; bpe:N: N tokens (257 to 65536) of byte pair encoding, "      \
             "trained on the text; PATH: the tokenizer of a run, of data, or of other programs: tokenizer.json, a "    \
             "directory with GPT-2's encoder.json and vocab.bpe, or gpt2_tokenizer.bin"),                              \
        TEXT_ROW("field", offsetof(S, input.field), NULL, "NAME",                                                      \
                 "read this field of JSON records (JSONL); each value is a document"),                                 \
        FLAG_ROW("raw", offsetof(S, input.raw), "keep byte order marks, and \\r\\n at the ends of lines"),             \
        FLAG_ROW("force", offsetof(S, input.force), "take files that are no text, such as archives, as they are")

// The text of all inputs. A document is one file, one record's field or one built-in document.
typedef struct {
    char *name; // of the input, or of a file below it
    Text text;
} Document;

typedef struct {
    Document *documents; // (count)
    size_t count, capacity, bytes;
    size_t files, left_out;     // of directories: texts, and files that are empty or no text
    const char *scattered_name; // the input whose documents will be scattered through the others; NULL = none
    BuiltinCorpus scattered;
    bool remarked[REMARKS];
    InputOptions options; // to be set before read_inputs
} InputTexts;

// Read files, also all texts below a directory, and make built-in documents; one scattered corpus among other inputs is
// only noted. Fails (input) when an input is missing, unreadable, empty or no text, (run) when there is too little
// memory, (interrupted) by a signal; call texts_free then, too.
bool read_inputs(InputTexts *texts, char **inputs, int count, Error *error);
void texts_free(InputTexts *texts);

#endif
