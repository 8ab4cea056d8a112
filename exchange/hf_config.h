// config.json of transformers' models.
#ifndef BITTER_EXCHANGE_HF_CONFIG_H
#define BITTER_EXCHANGE_HF_CONFIG_H

#include "exchange/target.h"
#include "train/json.h"
#include "train/train_options.h"

// The config of a model, to be released. `end`: the token that ends a document, or -1.
json_t *hf_config(Target target, const Gpt *gpt, const Rotations *rotations, int end);

// Read the config of a model that transformers wrote: its architecture, vocabulary, sizes and position scheme. Fails
// (input), naming `path` and the member, when it describes a model that this program does not have.
bool hf_config_read(Target *target, TrainOptions *options, int *vocab, const json_t *config, const char *path,
                    Error *error);

#endif
