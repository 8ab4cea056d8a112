// The optimiser step that `train`, `compare` and `bench` share.
#ifndef BITTER_STEP_H
#define BITTER_STEP_H

#include "train/trainer.h"

// One optimiser step on the next `accumulate` batches: batch, forward, backward, clip, AdamW. Fails (nonfinite), naming
// the step and the tensor, when the loss or the gradient is not a finite number; the parameters and the progress are
// untouched then.
bool train_step(StepReport *report, Trainer *trainer, Error *error);

#endif
