// What `bitter train` does before the first step: complete the options, lock the run's directory, and print what will
// be trained.
#ifndef BITTER_TRAIN_START_H
#define BITTER_TRAIN_START_H

#include "lab/run/run.h"

// Complete the options that were typed (given[i]: row i of train_options was typed) to those that config.json will
// hold. With --resume, take the options of the run in --out and set `paths`; with --init, take the model and data of
// that run, except for options that were typed. Fails (input) on every mistake that can be found without the data.
bool train_complete_options(TrainOptions *options, RunPaths *paths, const bool *given, Error *error);

// Lock the run directory options->out and set the paths of its files. Without --out, take the first free default name.
// Fails as run_lock does.
bool train_lock_run(RunLock *lock, RunPaths *paths, TrainOptions *options, Error *error);

// Print the model, the scheme, the data and the steps that are left.
void train_describe(const Trainer *trainer, const TrainOptions *options);

#endif
