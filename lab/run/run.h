// A run directory: config.json, tokenizer.json, model.safetensors, state.safetensors, log.csv.
#ifndef BITTER_RUN_H
#define BITTER_RUN_H

#include "base/lock.h"
#include "lab/run/trainer.h"

typedef struct {
    char config[PATH_CAPACITY], tokenizer[PATH_CAPACITY], model[PATH_CAPACITY], state[PATH_CAPACITY],
        log[PATH_CAPACITY];
} RunPaths;

bool run_paths(RunPaths *paths, const char *directory, Error *error);

// Is there a run? Fails (input) when there is none.
bool run_exists(const RunPaths *paths, const char *directory, Error *error);

// The default name, runs/SCHEME, or runs/SCHEME-2, -3, ... when that is taken.
void run_default_name(char out[TEXT_CAPACITY], const char *pos);

// The right to write in a run directory: only one process has it at a time. The file DIR/lock stands for it.
typedef struct {
    Lock lock; // start from {0}
    char directory[PATH_CAPACITY];
    bool made; // the directory, by run_enter
} RunLock;

// Make the directory if there is none, and keep other processes out of it until run_leave. LOCK_TAKEN when another one
// works in it, LOCK_FAILED when it cannot be written to or is a symbolic link; both set the error (input; run when the
// disk is full).
LockResult run_enter(RunLock *lock, const char *directory, Error *error);

// Let other processes in. Removes the directory if run_enter made it and it is empty. Harmless when it was not entered.
void run_leave(RunLock *lock);

// Begin a run in a directory that was entered: write its starting weights where they do not follow from the seed
// (options->init), tokenizer.json and, last, the config.json that makes it a run. Fails (input) when the directory
// holds a run or data already, or a name in the options is not UTF-8.
bool run_create(const RunPaths *paths, const TrainOptions *options, const Trainer *trainer, Error *error);

// In a directory that was entered: begin a run there (run_create) with the weights of options->init, if that is given,
// or take up the last checkpoint with options->resume. Fails (input) also when the data are others than those of the
// run.
bool run_begin(Trainer *trainer, const RunPaths *paths, const TrainOptions *options, Error *error);

// A trained model that was read back.
typedef struct {
    TrainOptions options;
    Tokenizer tokenizer;
    Gpt gpt; // parameters only
} Run;

// Read config, tokenizer and weights. `past` ("", "clamp", "interpolate") sets the scheme's option of that name. Fails
// (input) when something is missing, damaged or does not belong together, and when the scheme has no such option.
bool run_open(Run *run, const char *directory, const char *past, Error *error);
void run_close(Run *run);

// Do the run and these data have the same tokenizer? Fails (input), saying what to do, when they have not.
bool run_check_tokenizer(const Run *run, const char *directory, const Corpus *corpus, Error *error);

// Copy the weights of another run into a model of the same shape (the scheme's own tensors only when that run has
// them).
bool run_init_from(Gpt *gpt, const char *directory, Error *error);

// log.csv, one row a step.
typedef struct {
    FILE *stream;
    char path[PATH_CAPACITY];
} RunLog;

// Start the log, or reopen it and cut off the rows after `step` that a killed run left behind. A log that was lost is
// started anew: the checkpoint does not need it.
bool log_open(RunLog *log, const char *path, long long step, Error *error);
// Append the row of a step that was just done.
bool log_row(RunLog *log, const Trainer *trainer, const StepReport *report, Error *error);
// A checkpoint: the log, the weights, and all that run_begin takes up.
bool run_save(const Trainer *trainer, const RunPaths *paths, RunLog *log, Error *error);

// Make all rows durable.
bool log_sync(RunLog *log, Error *error);
void log_close(RunLog *log);

#endif
