// What `bitter prepare` turns into tokens.
#ifndef BITTER_PREPARE_INPUTS_H
#define BITTER_PREPARE_INPUTS_H

#include "base/file/text.h"
#include "base/option.h"
#include "data/made/builtin.h"

enum { UNSEEN = 2 }; // kinds of warnings about a text

// How files are read.
typedef struct {
    bool force; // take what is no text, too
} InputOptions;

// Rows for a struct S with a field `input`.
#define INPUT_OPTION_ROWS(S)                                                                                           \
    FLAG_ROW("force", offsetof(S, input.force), "take files that are no text, such as archives, as they are")

// The text of all inputs. A document is one file or one built-in document.
typedef struct {
    const char *name; // of the input
    Text text;
} Document;

typedef struct {
    Document *documents; // (count)
    size_t count, capacity, bytes;
    const char *scattered_name; // the input whose documents will be scattered through the others; NULL = none
    BuiltinCorpus scattered;
    bool warned[UNSEEN];
    InputOptions options; // to be set before read_inputs
} InputTexts;

// Read files and make built-in documents; one scattered corpus among other inputs is only noted. Fails (input) when an
// input is missing, unreadable, empty or no text, (run) when there is too little memory, (interrupted) by a signal;
// call texts_free then, too.
bool read_inputs(InputTexts *texts, char **inputs, int count, Error *error);
void texts_free(InputTexts *texts);

#endif
