// `bitter train FILE`: what `bitter prepare FILE` would do, before the training.
#ifndef BITTER_TRAIN_TEXT_H
#define BITTER_TRAIN_TEXT_H

#include "cmd/prepare/prepare.h"
#include "train/train_options.h"

// The command line: what a run records, and then how FILE is read.
typedef struct {
    TrainOptions train;
    InputOptions input;
} TrainArguments;

// The rows of train_options, and then those of `input`.
const Option *train_arguments(void);

// Set options->data to runs/data/NAME, the shards of a text file, which is named after it. Fails (input) on a
// directory.
bool train_name_data(TrainOptions *options, const char *text, Error *error);

// Make these shards, by default with the tokenizer of the run options->init, unless they are there already. Says
// on stdout what was done. Fails (input) when options->data holds something else than this text, and as `bitter
// prepare` does.
bool train_prepare(const TrainOptions *options, const InputOptions *input, const char *text, Error *error);

#endif
