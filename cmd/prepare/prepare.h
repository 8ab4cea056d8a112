// What other commands use of `bitter prepare`.
#ifndef BITTER_PREPARE_H
#define BITTER_PREPARE_H

#include "cmd/prepare/inputs.h"

// Do what `bitter prepare FILE` does, and print its summary. `tokenizer` is the value of --tokenizer; "" = the default.
bool prepare_text(const char *text, const char *tokenizer, const InputOptions *input, Error *error);

#endif
