// Files as the runs of a comparison write them, made by hand.
#ifndef BITTER_RUN_FILES_H
#define BITTER_RUN_FILES_H

#include "lab/compare/measure.h"
#include "lab/compare/outcome.h"
#include "tests/lab/compare/plans.h"
#include "tests/support/scratch.h"

#include <math.h>

enum { T = 256 };

static Comparison comparison;
static Plan *const plan = &comparison.plan;

static inline int begin_directory(void **state) {
    char directory[SCRATCH_PATH];
    Error error;
    scratch_make(directory);
    plan_free(plan);
    comparison = (Comparison){0};
    must(comparison_paths(&comparison, directory, &error), &error);
    return 0;
}

static inline int remove_directory(void **state) {
    scratch_remove(comparison.directory);
    return 0;
}

static inline void path_of(char path[PATH_CAPACITY], const Job *job, const char *file) {
    char directory[PATH_CAPACITY];
    Error error;
    must(comparison_path(directory, &comparison, job, "", &error) && directory_create(directory, NULL, &error) &&
             comparison_path(path, &comparison, job, file, &error),
         &error);
}

static inline void put(const Job *job, const char *text) {
    char path[PATH_CAPACITY];
    path_of(path, job, "measured.csv");
    unlink(path);
    scratch_write(path, text, strlen(text));
}

// The file of a run on text.
static inline void put_losses(const Job *job, double choose, double loss, unsigned batches) {
    char text[512];
    snprintf(text, sizeof text,
             MEASURED_HEADER "choose,%d,%.10g,1000\nloss,%d,%.10g,999\nloss,%d,%.10g,999\nseconds,0,1.5,1\n"
                             "batches,0,%u,1\n",
             T, choose, T, loss, 2 * T, loss + 1, batches);
    put(job, text);
}

static inline void make_plan(const char *names, const char *rates, const char *scale, const char *tasks) {
    Error error;
    begin(plan);
    must(set_variants(plan, names, "", &error) && plan_rates(plan, rates, &error) &&
             set_sizes(plan, scale, "", &error) && plan_tasks(plan, tasks, &error),
         &error);
}

// Some number, different for each run.
static inline double some_loss(const Job *job) {
    return 3 + 0.1 * job->variant + 0.01 * job->seed + 0.001 * job->variant * job->seed + 0.3 * job->setting -
           0.02 * job->rate;
}

static inline void put_all(void) {
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        const double choose = job.setting == 0 ? 5 + 0.1 * job.rate : 5 - 0.1 * job.rate; // the first rate, or the last
        if (job.task < 0) put_losses(&job, choose, some_loss(&job), 7u + (unsigned)(job.seed + 10 * job.setting));
        if (job.task >= 0) put(&job, MEASURED_HEADER "right,1,0.75,40\nright,2,0.5,40\nbatches,0,99,1\n");
    }
}

static inline void read_all(Outcome *outcome) {
    Error error;
    must(outcome_read(outcome, &comparison, &error), &error);
}

#endif
