// Models for other programs, and from them.
#ifndef BITTER_EXCHANGE_H
#define BITTER_EXCHANGE_H

#include "exchange/tensors.h"
#include "train/run.h"

// Write a run's model into a directory that exists, as the files of one program. `name` is the run's, for messages.
// Fail (input) when the program has no such model, saying what would do; (run) when the disk or memory is full.
//
// hf: config.json, generation_config.json, model.safetensors, and, unless the run has none, the tokenizer:
// tokenizer.json and tokenizer_config.json. It begins every text with the token that ends a document, as `bitter
// sample` does.
bool export_hf(const Run *run, const char *name, const char *directory, Error *error);
// gguf: model.gguf, with its tokenizer.
bool export_gguf(const Run *run, const char *name, const char *directory, Error *error);
// llm.c: model.bin.
bool export_llmc(const Run *run, const char *name, const char *directory, Error *error);

// Read a model that another program wrote: options, tokenizer and weights, to be freed with run_close. Its data are
// unknown. Fail (input) when files are missing, damaged, or of a model that this program does not have.
//
// hf: config.json, model.safetensors (or the files that model.safetensors.index.json lists), and tokenizer.json if
// there is one.
bool import_hf(Run *run, const char *directory, Error *error);
// llm.c: a checkpoint in float or bfloat16.
bool import_llmc(Run *run, const char *path, Error *error);

// Make the model of run->options and set its tokenizer, for the functions above. `tokenizer`: the path of a
// tokenizer.json that may be missing; the model has as many tokens as it has, at most `padding` fewer than `vocab`.
bool imported_create(Run *run, int vocab, int padding, const char *path, const char *tokenizer, Error *error);

#endif
