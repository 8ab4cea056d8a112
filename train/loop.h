// The training loop: optimiser steps, and observers that are called after them.
#ifndef BITTER_LOOP_H
#define BITTER_LOOP_H

#include "train/run.h"
#include "train/trainer.h"

// Observers are called, in the order of the list, after every `every`-th step (0 = none) and after the last step. The
// last step is also one after which an observer earlier in the list has set report->stop.
typedef struct {
    long long every;
    bool (*after)(void *context, Trainer *trainer, StepReport *report, Error *error);
    void *context;
} Observer;

// Train from the step after trainer->progress.step to the last one, or until an observer sets report->stop. The list
// ends with an observer without a function. Fails as train_step and the observers do.
bool train_loop(Trainer *trainer, const Observer *observers, Error *error);

// The files of a run that is being trained, which its observers write.
typedef struct {
    RunPaths paths;
    RunLock lock;
    RunLog log, positions;
} RunFiles;

// Open log.csv and positions.csv to go on after the trainer's step (run_load_or_create comes before); close and unlock.
bool run_files_open(RunFiles *files, Trainer *trainer, Error *error);
void run_files_close(RunFiles *files);

// Observers of a run, and their contexts. train() in train.c puts them in order, together with run_keep, log_row and
// positions_row of run.h and train_show_step of cmd/train.h.
bool observe_validation(void *none, Trainer *trainer, StepReport *report, Error *error); // sets report->validation
bool observe_best(void *files, Trainer *trainer, StepReport *report, Error *error); // RunFiles; the best weights so far
bool observe_checkpoint(void *files, Trainer *trainer, StepReport *report, Error *error); // RunFiles

#endif
