// `bitter eval --task`: right answers by length.
#ifndef BITTER_EVAL_TASK_H
#define BITTER_EVAL_TASK_H

#include "lab/run/run.h"

typedef struct {
    const char *data; // "" = what the run was trained on
    const char *csv;  // a file to write the table to, or ""
    int samples;      // exercises of each length
} TaskSettings;

// Print a table of right answers at the task's training lengths and at lengths up to twice as long. All runs get the
// same exercises, which are none of those of training. `directory` is the run's. Fails (input) when there is no task,
// or the run's tokens are not bytes.
bool evaluate_task(const Run *run, const char *directory, const TaskSettings *settings, Error *error);

#endif
