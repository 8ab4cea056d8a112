// What other commands use of `bitter prepare`.
#ifndef BITTER_PREPARE_H
#define BITTER_PREPARE_H

#include "cmd/prepare/inputs.h"

// Do what `bitter prepare FILE` does, and print its summary.
bool prepare_text(const char *text, const InputOptions *input, Error *error);

#endif
