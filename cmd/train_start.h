// What `bitter train` does before the first step: settle the options, enter the run's directory, and say what will be
// trained.
#ifndef BITTER_TRAIN_START_H
#define BITTER_TRAIN_START_H

#include "lab/run/run.h"

// Complete the options that were typed (`given`, one entry a row of train_options) to those that config.json will hold:
// with --resume the options of the run in --out, whose paths are set then; with --init the model and data of that run,
// where nothing else was typed. Fails (input) on every mistake that can be found without the data.
bool train_settle(TrainOptions *options, RunPaths *paths, const bool *given, Error *error);

// Enter the directory options->out and set the paths of its files. Without --out, take the first free default name.
// Fails as run_enter does.
bool train_enter(RunLock *lock, RunPaths *paths, TrainOptions *options, Error *error);

// Print the model, the scheme, the data and the steps that are left.
void train_describe(const Trainer *trainer, const TrainOptions *options);

#endif
