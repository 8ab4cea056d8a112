// Reading the tokenizer.json of Hugging Face's tokenizers; tokenizer_write_hf writes it.
#ifndef BITTER_TOKENIZER_HF_H
#define BITTER_TOKENIZER_HF_H

#include "data/tokenizer.h"

#include <jansson.h>

// The tokenizer of this JSON: BPE, or BYTES or CHARS if tokenizer_write_hf wrote one of these. `path` is the file that
// it comes from. Fails (input) when it would be read wrongly.
bool tokenizer_from_hf(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error);

#endif
