// The tokenizer.json of Hugging Face's tokenizers; tokenizer_write_hf writes it into a file.
#ifndef BITTER_TOKENIZER_HF_H
#define BITTER_TOKENIZER_HF_H

#include "data/tokenizer.h"

#include <jansson.h>

// What tokenizer_write_hf writes, to be released. NULL, and fails (run), when there is too little memory.
json_t *tokenizer_to_hf(const Tokenizer *tokenizer, Error *error);

// The tokenizer of this JSON: BPE, or BYTES or CHARS if tokenizer_write_hf wrote one of these. `path` is the file that
// it comes from. Fails (input) when it would be read wrongly.
bool tokenizer_from_hf(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error);

#endif
