// What `bitter train` does before the first step: complete the options, lock the run's directory, and print what will
// be trained.
#ifndef BITTER_TRAIN_START_H
#define BITTER_TRAIN_START_H

#include "train/run.h"

// Complete the options that were typed (given[i]: row i of train_options was typed) to those that config.json will
// hold. With --resume, take the options of the run in --out and set `paths`; with --init, take the model, data, batch
// size and schedule of that run, except for options that were typed, and another seed. *steps is the number of steps
// to do in all, which with --resume may be more than options->steps (train_continue). Fails (input) on every mistake
// that can be found without the data.
bool train_complete_options(TrainOptions *options, long long *steps, RunPaths *paths, const bool *given, Error *error);

// Lock the run directory options->out and set the paths of its files. Without --out, take the first free default name.
// Fails as run_lock does.
bool train_lock_run(RunLock *lock, RunPaths *paths, TrainOptions *options, Error *error);

// After run_load_or_create, with --resume: if `steps` differs from options->steps, plan so many, with a new cosine from
// the present step on, without best weights from after it. Record the options in config.json, and count the stale
// validations. Fails (input) when the run has done so many steps already.
bool train_continue(Trainer *trainer, TrainOptions *options, long long steps, const RunPaths *paths, Error *error);

// Print the model, the scheme, the data and the steps that are left.
void train_describe(const Trainer *trainer, const TrainOptions *options);

#endif
