// What `bitter compare` does before the first run: its options, its plan, and the directory where it continues.
#ifndef BITTER_COMPARE_START_H
#define BITTER_COMPARE_START_H

#include "base/option.h"
#include "lab/compare/work.h"

typedef struct {
    TrainOptions train; // without data and context, which are lists
    TextList data, contrasts;
    char out[TEXT_CAPACITY], lr_grid[TEXT_CAPACITY], scale[TEXT_CAPACITY], tokens_per_parameter[TEXT_CAPACITY],
        contexts[TEXT_CAPACITY], tasks[TEXT_CAPACITY], reference[TEXT_CAPACITY], share[TEXT_CAPACITY];
    long long seeds, exercises, task_steps, workers;
    bool unpaired, list, slurm;
} CompareOptions;

// The rows of CompareOptions: those of the comparison, and those training options that make sense for many runs.
const Option *compare_options(void);

// Was this option typed, even with an empty value? `given` is what arguments_parse found for compare_options.
bool compare_given(const bool *given, const char *name);

// Make the plan and the fingerprints of its texts, or continue the plan in the directory. given (rows of
// compare_options) tells what was typed; `names` (count) are the schemes. Prints the settings. So many cores are
// shared among the runs. Fails on every mistake that can be found before the first run.
bool compare_start(Comparison *comparison, const CompareOptions *options, const bool *given, char **names, int count,
                   int cores, Error *error);

#endif
