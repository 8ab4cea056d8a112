// positions.csv of a run: what the trained numbers of its position scheme are after each validation.
#ifndef BITTER_POSITIONS_H
#define BITTER_POSITIONS_H

#include "train/run.h"

#define POSITIONS_COLUMNS 256 // numbers of a row, at most; of more numbers, every second, third, ... is recorded

// Start the file, with a row of step 0, or reopen it and cut off the rows after `step`, as log_open does. Nothing is
// written for a scheme without trained numbers. A file that was lost or has other columns is started again.
bool positions_open(RunLog *log, const char *path, const Gpt *gpt, long long step, Error *error);

// Append the row of the step that was just done. Does nothing if there is no file.
bool positions_row(RunLog *log, const Gpt *gpt, long long step, Error *error);

#endif
