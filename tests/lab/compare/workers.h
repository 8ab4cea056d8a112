// Comparisons whose runs are trained in earnest, in this process.
#ifndef BITTER_WORKERS_H
#define BITTER_WORKERS_H

#include "tests/lab/compare/run_files.h"

static Shared *shared;

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
    shared = calloc(1, sizeof *shared + (size_t)plan_job_count(plan) * sizeof *shared->progress);
    assert_non_null(shared);
}

static inline void end_work(void) {
    free(shared);
}

static inline bool work_on(int job, bool *taken, Error *error) {
    return work(taken, &comparison, job, shared, getppid(), error);
}

// Every job that is not done, in turn.
static inline void work_all(void) {
    Error error;
    bool taken;
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        if (!job_done(&comparison, &job)) must(work_on(i, &taken, &error), &error);
    }
}

#endif
