// A run directory: config.json, tokenizer.json, model.safetensors, state.safetensors, log.csv.
#ifndef BITTER_RUN_H
#define BITTER_RUN_H

#include "cmd/trainer.h"

typedef struct {
    char config[PATH_CAPACITY], tokenizer[PATH_CAPACITY], model[PATH_CAPACITY], state[PATH_CAPACITY],
        log[PATH_CAPACITY];
} RunPaths;

bool run_paths(RunPaths *paths, const char *directory, Error *error);

// Is there a run? Fails (input) when there is none.
bool run_exists(const RunPaths *paths, const char *directory, Error *error);

// The default name, runs/SCHEME, or runs/SCHEME-2, -3, ... when that is taken.
void run_default_name(char out[TEXT_CAPACITY], const char *pos);

// Create the directory with config.json and tokenizer.json. Fails (input) when it already holds a run, or data.
bool run_create(const RunPaths *paths, const TrainOptions *options, const Trainer *trainer, Error *error);

// Keep other processes from a file of the run until *lock, a file descriptor, is closed. Fails (input) when another has
// it.
bool run_lock(int *lock, const char *path, Error *error);
// Has another process it now?
bool run_is_locked(const char *path);

// Begin in a fresh directory (run_create), or take up the last checkpoint with options->resume; options->init is where
// the first weights come from. Other processes are kept out for as long as *lock, a file descriptor, stays open. Fails
// (input) when one is already training there, or when the data are others than those of the run.
bool run_begin(Trainer *trainer, int *lock, const RunPaths *paths, const TrainOptions *options, Error *error);

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

// Do the run and these data have the same tokenizer? Fails (input) with what can be done when not.
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
// validation is the loss in nats, or NAN where none was made.
bool log_row(RunLog *log, const Trainer *trainer, const StepReport *report, double validation, Error *error);
// A checkpoint: the log, the weights, and all that run_begin takes up.
bool run_save(const Trainer *trainer, const RunPaths *paths, RunLog *log, Error *error);

// Make all rows durable.
bool log_sync(RunLog *log, Error *error);
void log_close(RunLog *log);

#endif
