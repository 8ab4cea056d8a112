// config.json: what a run was made from and on.
#ifndef BITTER_CONFIG_H
#define BITTER_CONFIG_H

#include "data/corpus.h"
#include "lab/run/train_options.h"
#include "model/gpt.h"

#include <jansson.h>

// Write every resolved option, the model's sizes, the data's fingerprint and the machine, and before them the CRC-32 of
// all of it. Atomic.
bool config_write(const char *path, const TrainOptions *options, const Gpt *gpt, const Corpus *corpus, Error *error);

// Fails (input) when a name of the corpus is not UTF-8, so that the config cannot hold it.
bool config_check_names(const Corpus *corpus, Error *error);

// The config of a run that was made from another one, at `from`, without training: its options, and the rotations in
// them, are new, all else is copied. Atomic.
bool config_derive(const char *path, const char *from, const TrainOptions *options, Error *error);

// Every function below that reads a config fails (input) when it does not match its CRC-32; one without a CRC-32 is
// accepted.

// Read the options back, each checked as if it had been typed, the stretch of the rotations, and the vocabulary's size.
// Keys that are missing keep their defaults; unknown ones fail (input), naming the nearest.
bool config_read(const char *path, TrainOptions *options, int *vocab_size, Error *error);

// The parts of it that a comparison's file has too. json_read: a JSON object with "options" that matches its "crc32",
// when it has one, or NULL, failing (input).
// options_read sets every option that is missing to its default; options_json is NULL when a name is not UTF-8.
json_t *json_read(const char *path, Error *error);
json_t *options_json(const TrainOptions *options);
bool options_read(TrainOptions *options, const json_t *object, const char *path, Error *error);

// A corpus's fingerprint, as config.json and compare.json have it: {name, tokenizer, vocab_size, train, val}, where the
// last two list {file, tokens, crc32} of each shard. data_same: do two have the same tokens, shard by shard?
json_t *data_json(const Corpus *corpus);
bool data_same(const json_t *a, const json_t *b);

// The fingerprint of what a run was trained on, to be released; NULL, failing (input), as config_read does.
json_t *config_data(const char *path, Error *error);

// Is this corpus the one that the run was trained on? Fails (input) when not.
bool config_check_data(const char *path, const Corpus *corpus, Error *error);

// "CPU, BLAS" of the machine that a run was started on; false when the file does not say.
bool config_machine(char text[TEXT_CAPACITY], const char *path);

// NULL, or what is different about this machine from the one that the run was started on (into `text`): the same bits
// are promised only for the same number of threads, BLAS and CPU.
const char *config_other_machine(char text[TEXT_CAPACITY], const char *path);

#endif
