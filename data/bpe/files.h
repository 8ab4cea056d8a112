// Vocabularies of byte pair encoding in other programs' files.
#ifndef BITTER_BPE_FILES_H
#define BITTER_BPE_FILES_H

#include "data/bpe/bpe.h"

#include <jansson.h>

enum { LLMC_TOKENIZER = 20240328 }; // the first int32 of llm.c's gpt2_tokenizer.bin

// All of these fail (input), naming the file, on what is damaged or would be read wrongly, and (run) when there is too
// little memory; after a failure there is nothing to free.

// GPT-2's two files: encoder.json, {"token": id, ...}, and vocab.bpe, a line for each merge.
bool bpe_read_gpt2(Bpe *bpe, const char *vocabulary_path, const char *merges_path, Error *error);

// llm.c's gpt2_tokenizer.bin, which has the tokens, but not the merges: they follow, because the token with the lower
// id is always joined first.
bool bpe_from_llmc(Bpe *bpe, const uint8_t *bytes, size_t size, const char *path, Error *error);

// The tokenizer.json of Hugging Face's tokenizers, if it is a BPE of bytes that splits text as GPT-2 does.
bool bpe_from_hf(Bpe *bpe, const json_t *root, const char *path, Error *error);

#endif
