// Models for other programs, and from them.
#ifndef BITTER_EXCHANGE_H
#define BITTER_EXCHANGE_H

#include "exchange/tensors.h"
#include "train/run.h"
#include "train/json.h"

// Write a run's model into a directory that exists, as the files of one program. `name` is the run's, for messages.
// Fail (input) when the program has no such model, saying what to do instead; (run) when the disk or memory is full.
//
// hf: config.json, generation_config.json, model.safetensors, and, unless the run has none, the tokenizer:
// tokenizer.json and tokenizer_config.json. It begins every text with the token that ends a document, as `bitter
// sample` does.
bool export_hf(const Run *run, const char *name, const char *directory, Error *error);
// gguf: model.gguf, with its tokenizer.
bool export_gguf(const Run *run, const char *name, const char *directory, Error *error);
// llm.c: model.bin.
bool export_llmc(const Run *run, const char *name, const char *directory, Error *error);

// Read a model that Hugging Face's transformers wrote (config.json, model.safetensors, and tokenizer.json if there is
// one): options, tokenizer and weights, to be freed with run_close. Its data are unknown. Fails (input) when files are
// missing, damaged, or of a model that this program does not have.
bool import_hf(Run *run, const char *directory, Error *error);

// --- config.json of transformers' models ---

// The config of a model, to be released. `end`: the token that ends a document, or -1.
json_t *hf_config(Target target, const Gpt *gpt, const Rotations *rotations, int end);

// Read the config of a model that transformers wrote: its architecture, vocabulary, sizes and position scheme. Fails
// (input), naming `path` and the member, when it describes a model that this program does not have.
bool hf_config_read(Target *target, TrainOptions *options, int *vocab, const json_t *config, const char *path,
                    Error *error);

#endif
