// config.json: the options, the data and the machine of a run.
#ifndef BITTER_CONFIG_H
#define BITTER_CONFIG_H

#include "data/corpus.h"
#include "train/json.h"
#include "train/train_options.h"
#include "model/gpt.h"

// Write all options, the sizes of the model, the fingerprint of the data and the machine, after a CRC-32 of all of it.
// Atomic.
bool config_write(const char *path, const TrainOptions *options, const Gpt *gpt, const Corpus *corpus, Error *error);

// Write a copy of the config `from` with these options and, where they have them, their stretch and cosine_from.
// Atomic.
bool config_derive(const char *path, const char *from, const TrainOptions *options, Error *error);

// Fails (input) when the name of a shard is not UTF-8 or has control characters.
bool config_check_names(const Corpus *corpus, Error *error);

// Read the options, each checked as if it had been typed, with the stretch and cosine_from, and the size of the
// vocabulary. A missing option gets its default; an unknown one fails (input). All functions that read a config also
// fail as json_read does.
bool config_read(const char *path, TrainOptions *options, int *vocab_size, Error *error);

// Options in config.json and compare.json. options_json returns NULL when a name is not UTF-8.
json_t *options_json(const TrainOptions *options);
bool options_read(TrainOptions *options, const json_t *object, const char *path, Error *error);

// The fingerprint of a corpus: {name, tokenizer, vocab_size, train, val}; the last two list {file, tokens, crc32} of
// each shard.
json_t *data_json(const Corpus *corpus);
bool data_same(const json_t *a, const json_t *b); // equal tokens, shard by shard, and vocabularies of equal size?

// The fingerprint of the corpus that a run was trained on, which the caller releases; NULL on failure.
json_t *config_data(const char *path, Error *error);

// Set *same: was the run trained on this corpus?
bool config_same_data(bool *same, const char *path, const Corpus *corpus, Error *error);

// Fails (input) when the run was trained on another corpus.
bool config_check_data(const char *path, const Corpus *corpus, Error *error);

// The object "rotation" of a model whose rotations are stretched (docs/formats.md). stretch_from_json fails (input)
// when a member is missing or not as stretch_to_json writes it.
json_t *stretch_to_json(const StretchRule *rule);
bool stretch_from_json(StretchRule *rule, const json_t *object, const char *path, Error *error);

// Set the stretch of the scheme that has one, unless rule->original is 0. Fails (input) when the stretch does not fit
// the scheme or the number of pairs in a head.
bool stretch_apply(Mix *mix, const StretchRule *rule, const char *path, Error *error);

// Set `text` to "CPU, BLAS" of the machine that a run was started on; to "" when the file does not name them.
bool config_machine(char text[TEXT_CAPACITY], const char *path, Error *error);

// How this machine differs from the one that the run was started on, in `text`; NULL when they are alike. Results are
// bit-identical only with the same number of threads, BLAS and CPU.
const char *config_other_machine(char text[TEXT_CAPACITY], const char *path);

#endif
