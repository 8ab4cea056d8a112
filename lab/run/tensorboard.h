// TensorBoard's event files of a run, DIR/events.out.tfevents.SECONDS.bitter: one for each session of training, begun
// at the Unix time SECONDS.
#ifndef BITTER_TENSORBOARD_H
#define BITTER_TENSORBOARD_H

#include "lab/run/run.h"

// With --tensorboard, begin a new event file in the run's directory, and cut off the events after `step` in files of
// earlier sessions, and what follows a damaged record, as TensorBoard does not read that either. A running TensorBoard,
// which has read these events, is told to forget them.
bool tensorboard_open(RunLog *events, const Trainer *trainer, Error *error);

// Append the step that was just done: the numbers of its row in log.csv, and after a validation a histogram of each
// tensor that the position scheme trains. Does nothing if there is no file.
bool tensorboard_row(RunLog *events, const Trainer *trainer, const StepReport *report, Error *error);

#endif
