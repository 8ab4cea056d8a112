// What `bitter train` shows while it trains, and at the end.
#ifndef BITTER_TRAIN_SHOW_H
#define BITTER_TRAIN_SHOW_H

#include "base/progress.h"
#include "train/loop.h"

// An observer of every step, with a ProgressLine: show the step, and stop after a signal or when --patience runs out.
// Warns when the validation loss has been high for long.
bool train_show_step(void *line, Trainer *trainer, StepReport *report, Error *error);

// Is there nothing left to do: are all steps done, or has --patience run out?
bool train_finished(const Trainer *trainer);

// Fails (nonfinite) when a finished run has diverged although all its numbers are finite, by the losses in its log.csv.
bool train_check_learning(const Trainer *trainer, const RunPaths *paths, Error *error);

// Print how the training ended, which weights are the best, and what to do next.
void train_show_end(const Trainer *trainer);

#endif
