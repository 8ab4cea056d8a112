// What `bitter prepare` turns into tokens.
#ifndef BITTER_PREPARE_INPUTS_H
#define BITTER_PREPARE_INPUTS_H

#include "base/file/text.h"
#include "data/made/builtin.h"

enum { UNSEEN = 3 }; // kinds of warnings about a text

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
} InputTexts;

// Read files and make built-in documents; one scattered corpus among other inputs is only noted. Fails (input) when an
// input is missing, unreadable or empty, (run) when there is too little memory, (interrupted) by a signal; call
// texts_free then, too.
bool read_inputs(InputTexts *texts, char **inputs, int count, Error *error);
void texts_free(InputTexts *texts);

#endif
