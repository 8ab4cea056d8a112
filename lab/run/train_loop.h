// The one training loop, which `train`, `compare` and `demo` share, and the optimiser step that it repeats.
#ifndef BITTER_TRAIN_LOOP_H
#define BITTER_TRAIN_LOOP_H

#include "lab/run/run.h"

// One optimiser step on the next `accumulate` batches. Fails (nonfinite), naming the step and the tensor, when the
// loss or the gradient is not a finite number; the parameters and the progress are untouched then.
bool train_step(StepReport *report, Trainer *trainer, Error *error);

// What follows a step: the next one, or the end of the loop, with a checkpoint unless it failed.
typedef enum { TRAIN_GO_ON, TRAIN_SAVE_AND_STOP, TRAIN_FAILED } TrainNext;

typedef struct {
    const RunPaths *paths; // where to save; NULL = only train: no validation, no log, no checkpoint
    RunLock *lock;         // on that directory
    RunLog *log;
    bool keeps_best;   // write best.safetensors after each validation whose loss is the lowest so far
    RunLog *positions; // a row for each validation (positions.h); NULL = none
    // Called after each step, when it has been logged and before a checkpoint is saved. TRAIN_FAILED sets *error.
    TrainNext (*after_step)(void *context, const StepReport *report, Error *error);
    void *context;
} TrainLoop;

// Train from the step after trainer->progress.step to the last one, or
// until after_step says to stop: validate every
// --eval-every steps, log every step, and save every --save-every steps; validate and save after the last step, too.
// Fails (run) when the lock is lost.
bool train_loop(Trainer *trainer, const TrainLoop *loop, Error *error);

#endif
