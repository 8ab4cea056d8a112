// The training loop: steps, and who watches them.
#ifndef BITTER_LOOP_H
#define BITTER_LOOP_H

#include "train/run.h"
#include "train/trainer.h"

// Is called after every `every`-th step (0 = none), and after the last one, in the order of the list. The last step is
// also one after which an observer before it has set report->stop.
typedef struct {
    long long every;
    bool (*after)(void *context, Trainer *trainer, StepReport *report, Error *error);
    void *context;
} Observer;

// Train from the step after trainer->progress.step to the last one, or until an observer says stop. `observers` ends
// with one that has no function. Fails as train_step and the observers do.
bool train_loop(Trainer *trainer, const Observer *observers, Error *error);

// The files of a run that is being trained, which its observers write.
typedef struct {
    RunPaths paths;
    RunLock lock;
    RunLog log, positions;
} RunFiles;

// Open log.csv and positions.csv after the trainer's step (run_load_or_create comes before); close them, and unlock.
bool run_files_open(RunFiles *files, Trainer *trainer, Error *error);
void run_files_close(RunFiles *files);

// Observers of a run, and their contexts. train() in /train.c has their order, with run_keep, log_row and positions_row
// of run.h and train_show_step of cmd/train.h.
bool observe_validation(void *none, Trainer *trainer, StepReport *report, Error *error); // sets report->validation
bool observe_best(void *files, Trainer *trainer, StepReport *report, Error *error); // RunFiles; the best weights so far
bool observe_checkpoint(void *files, Trainer *trainer, StepReport *report, Error *error); // RunFiles

#endif
