// TensorBoard's event file of a run, DIR/events.out.tfevents.SECONDS.bitter, where SECONDS is the Unix time at which
// this process began to write it.
#ifndef BITTER_TENSORBOARD_H
#define BITTER_TENSORBOARD_H

#include "lab/run/run.h"

// Begin a new event file in the run's directory. A resumed run (step > 0) copies the events up to `step` from the file
// before, which is then removed; events behind a damaged record are lost, as TensorBoard does not read them either.
// A running TensorBoard has the old file open, so the old file is not changed; the new file tells it to forget the
// events that it has seen.
bool tensorboard_open(RunLog *events, const char *directory, const Gpt *gpt, long long step, Error *error);

// Append the step that was just done: the numbers of its row in log.csv, and after a validation a histogram of each
// tensor that the position scheme trains. Does nothing if there is no file.
bool tensorboard_row(RunLog *events, const Trainer *trainer, const StepReport *report, Error *error);

#endif
