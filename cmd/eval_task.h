// `bitter eval --task`: right answers by length.
#ifndef BITTER_TASKS_H
#define BITTER_TASKS_H

#include "lab/run/run.h"

typedef struct {
    const char *data; // "" = what the run was trained on
    const char *csv;  // a file to write the table to, or ""
    int samples;      // exercises of each length
} TaskSettings;

// Print a table of the lengths that the task trains on and of lengths up to twice as long. Exercises are the same for
// every run, and not those of training. `directory` is the run's. Fails (input) when there is no task, or the run's
// tokens are not bytes.
bool evaluate_task(const Run *run, const char *directory, const TaskSettings *settings, Error *error);

#endif
