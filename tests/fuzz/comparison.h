// A small comparison in the scratch directory, for targets whose inputs are files of its runs.
#ifndef BITTER_FUZZ_COMPARISON_H
#define BITTER_FUZZ_COMPARISON_H

#include "lab/compare/measure.h"
#include "lab/compare/outcome.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>

// Two seeds of these variants, and learning rates and tasks as on the command line.
static inline void fuzz_comparison(Comparison *comparison, const char *name, char *const *variants, int count,
                                   const char *rates, const char *tasks) {
    char directory[PATH_CAPACITY];
    const SettingLists lists = {.scale = "", .tokens_per_parameter = "", .contexts = ""};
    Plan *plan = &comparison->plan;
    Error error;
    plan_free(plan);
    *plan = (Plan){.exercises = 5, .task_steps = 5, .threads = 1};
    options_default(&plan->base, train_options);
    plan->base.layers = plan->base.heads = plan->base.batch = 1;
    plan->base.width = 4;
    plan->base.context = 8;
    plan->base.steps = 20;
    fuzz_must(path_format(directory, &error, "%s/%s", fuzz_directory(), name) &&
                  comparison_paths(comparison, directory, &error) &&
                  plan_text(plan, "builtin:tales:bytes=2000", 257, 1800, &error) && plan_seeds(plan, 2, &error) &&
                  plan_variants(plan, variants, count, "", &error) && plan_rates(plan, rates, &error) &&
                  plan_settings(plan, &lists, &error) && plan_tasks(plan, tasks, &error),
              &error);
}

// Write a file of a run.
static inline void fuzz_run_file(const Comparison *comparison, const Job *job, const char *name, const void *bytes,
                                 size_t size) {
    char path[PATH_CAPACITY], written[PATH_CAPACITY];
    Error error;
    fuzz_must(comparison_path(path, comparison, job, name, &error), &error);
    fuzz_file(written, path + strlen(fuzz_directory()) + 1, bytes, size);
}

#endif
