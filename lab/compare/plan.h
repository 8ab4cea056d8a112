// What `bitter compare` trains: every scheme from every seed, with every learning rate at every size, and on every
// task.
#ifndef BITTER_PLAN_H
#define BITTER_PLAN_H

#include "base/file/file.h"
#include "lab/run/train_options.h"
#include "lab/stats/paired.h"
#include "posenc/posenc.h"

#include <jansson.h>

enum { ARMS_MOST = 64, SIZES_MOST = 8, RATES_MOST = 16, TASKS_MOST = 8 };

// An arm of the comparison: a scheme, under the name that tables show.
typedef struct {
    char name[TEXT_CAPACITY], pos[TEXT_CAPACITY]; // `pos` is the full specification of the scheme
    const Scheme *scheme;
    long long steps[SIZES_MOST]; // of its runs on text, by size; all arms have the same unless the budget is time
} Arm;

typedef struct {
    char name[16]; // "0.3M"; "" when there is no --scale
    long long layers, heads, width, steps;
    size_t parameters; // of the model without positions
} Size;

typedef struct {
    TrainOptions base; // what all runs share; `seed` is the first one
    Arm arms[ARMS_MOST];
    Size sizes[SIZES_MOST];
    double rates[RATES_MOST];
    char tasks[TASKS_MOST][TEXT_CAPACITY]; // "builtin:copy:max=5"
    int arm_count, size_count, rate_count, task_count, seeds;
    int reference;        // the arm that the others are compared with
    long long task_steps; // of runs on tasks
    int exercises;        // to score at each length of a task
    bool by_seconds;      // all schemes have the same time, instead of the same number of tokens
    int threads;          // of a run
    char command[2048];   // as it was typed
} Plan;

// One run, done or still to be done. Seeds are counted from 0.
typedef struct {
    int size, task; // task -1 = the text; on tasks the size is that of the options
    int arm, rate, seed;
} Job;

// Use `seeds` seeds, from that of the options on. Fails (input) when the last one is too large a number.
bool plan_seeds(Plan *plan, long long seeds, Error *error);

// Parse the schemes, "SCHEME" or "LABEL=SCHEME", and find the one called `reference` ("" = the first). Fails (input)
// when there are too many, one is not valid, or two have the same name.
bool plan_arms(Plan *plan, char *const *words, int count, const char *reference, Error *error);

// The arm of that name, or -1.
int plan_arm(const Plan *plan, const char *name);

// Parse the lists "3e-4,1e-3", "0.1M,0.3M" and "copy:max=5 parity". An empty list means the learning rate or the size
// of the options, or no tasks. The steps of a size follow from it: enough for
// `tokens_per_parameter` tokens per parameter. Fail (input).
bool plan_rates(Plan *plan, const char *list, Error *error);
bool plan_sizes(Plan *plan, const char *list, double tokens_per_parameter, int vocab, Error *error);
bool plan_tasks(Plan *plan, const char *list, Error *error);

// The number of parameters that the name of a size asks for, such as "300k" or "1M"; NAN when it is not such a name.
double plan_size_parameters(const char *name);

// Jobs in the order in which they are done: all jobs of a seed before the next seed, so that tables of the first seeds
// are complete early. plan_job_index is the inverse of plan_job.
int plan_job_count(const Plan *plan);
Job plan_job(const Plan *plan, int index);
int plan_job_index(const Plan *plan, const Job *job);
// The name of the job's directory, such as "0.3M-rope-lr0.003-seed1337". A size or a learning rate that is that of the
// options is left out; the names of different jobs differ. Returns `name`.
const char *plan_job_name(char name[PATH_CAPACITY], const Plan *plan, const Job *job);
// The options of the job's run; --out is still to be set.
TrainOptions plan_job_options(const Plan *plan, const Job *job);
// The number of tokens that the job trains on, for the progress line.
double plan_job_tokens(const Plan *plan, const Job *job);

// The arm of the designed scheme that reports compare this learned one with, or -1.
int plan_designed(const Plan *plan, int arm);

// Write compare.json. `data` is the fingerprint of the text (data_json in lab/run/config.h), or NULL.
bool plan_write(const char *path, const Plan *plan, const json_t *data, Error *error);
// Read it back, and the fingerprint, to be released; NULL in files of earlier versions, which did not record it.
// Everything is checked as if it had been typed, because names become paths and words of tables, pages and plots. Fails
// (input).
bool plan_read(Plan *plan, json_t **data, const char *path, Error *error);
// May `plan` continue in the directory of `before`? Schemes, seeds, learning rates and tasks may change. Fails (input)
// on the first difference in other options, sizes or budget, and, if there were tasks, in --task-steps or --exercises.
bool plan_agrees(const Plan *plan, const Plan *before, const char *path, Error *error);

// List what `before` has and `plan` does not: "the schemes rope, alibi; the seeds 1339, 1340", or "".
void plan_left_out(char text[TEXT_CAPACITY], const Plan *plan, const Plan *before);

#endif
