// Which position schemes have a home in which other program, and where.
#ifndef BITTER_EXCHANGE_HOMES_H
#define BITTER_EXCHANGE_HOMES_H

#include "exchange/rotations.h"
#include "exchange/tensors.h"

typedef enum { FORMAT_HF, FORMAT_GGUF, FORMAT_LLMC } Format;
#define FORMAT_NAMES "hf|gguf|llm.c"

// The architecture that this model becomes; `rotations` is filled for those that rotate. Fails (input) when it has no
// home in this format, saying why and what would do; `name` is the run's.
bool find_home(Home *home, Rotations *rotations, Format format, const Gpt *gpt, const char *name, Error *error);

#endif
