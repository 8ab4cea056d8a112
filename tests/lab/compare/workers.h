// Comparisons whose runs are trained in earnest, in this process.
#ifndef BITTER_WORKERS_H
#define BITTER_WORKERS_H

#include "tests/lab/compare/run_files.h"

static atomic_bool stop;

// Runs that take hundredths of a second.
static inline void tiny_runs(const char *text, int steps) {
    strcpy(plan->texts[0].data, text);
    plan->base.layers = plan->base.heads = 1;
    plan->base.width = plan->base.context = 8;
    plan->base.batch = plan->base.warmup = 2;
    plan->base.steps = steps;
    plan->base.save_every = plan->base.eval_every = 0;
    plan->base.eval_tokens = 600;
}

// What work() needs, once the plan is made.
static inline void begin_work(void) {
    stop = false;
    comparison.stop = &stop;
    comparison.jobs = calloc((size_t)plan_job_count(plan), sizeof *comparison.jobs);
    assert_non_null(comparison.jobs);
}

static inline void end_work(void) {
    free(comparison.jobs);
}

#endif
