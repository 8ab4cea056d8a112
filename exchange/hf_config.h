// config.json of transformers' models.
#ifndef BITTER_EXCHANGE_HF_CONFIG_H
#define BITTER_EXCHANGE_HF_CONFIG_H

#include "exchange/homes.h"
#include "train/json.h"

// The config of a model, to be released. `end`: the token that ends a document, or -1.
json_t *hf_config(Home home, const Gpt *gpt, const Rotations *rotations, int end);

// Read the config of a model that transformers wrote: its architecture, vocabulary, sizes and position scheme. Fails
// (input), naming `path` and the member, when it describes a model that this program does not have.
bool hf_config_read(Home *home, TrainOptions *options, int *vocab, const json_t *config, const char *path,
                    Error *error);

// The part about rotations: add it to a config, or read it. head: channels of a head.
void hf_rope_add(json_t *config, Home home, const Rotations *rotations, int head);
bool hf_rope_read(Rotations *rotations, Home home, const json_t *config, int head, int context, const char *path,
                  Error *error);

// The part about layers: which of them rotate, and in which a query sees the last keys only. Reading sets o->window,
// and o->pos, which is the scheme of the layers that rotate, becomes that of all layers.
void hf_layers_add(json_t *config, Home home, const Gpt *gpt);
bool hf_layers_read(TrainOptions *o, Home home, const json_t *config, const char *path, Error *error);

// True or false from an object, or `preset` where it has no such member. Fails (input) on anything else, null too.
bool boolean_or(bool *value, bool preset, const json_t *object, const char *name, const char *where, Error *error);

#endif
