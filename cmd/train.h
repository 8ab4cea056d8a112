// The parts of `bitter train` around its loop.
#ifndef BITTER_TRAIN_H
#define BITTER_TRAIN_H

#include "base/progress.h"
#include "cmd/prepare.h"
#include "train/loop.h"

// --- the command line ---

// What a run records, what chooses some of it, and how FILE is read.
typedef struct {
    TrainOptions train;
    double minutes; // 0 = not given
    InputOptions input;
} TrainArguments;

// The rows of train_options, and then those of the other fields.
const Option *train_arguments(void);

// Set options->data to runs/data/NAME, the shards of a text file, which is named after it. Fails (input) on a
// directory.
bool train_name_data(TrainOptions *options, const char *text, Error *error);

// --- what happens before the first step ---

// Complete the options that were typed (given[i]: row i of train_options was typed) to those that config.json will
// hold. With --resume, take the options of the run in --out and set `paths`; with --init, take the model, data, batch
// size and schedule of that run, except for options that were typed, and another seed. *steps is the number of steps
// to do in all, which with --resume may be more than options->steps (train_continue). Fails (input) on every mistake
// that can be found without the data, and with --minutes without the sizes.
bool train_complete_options(TrainOptions *options, long long *steps, RunPaths *paths, const bool *given, Error *error);

// Lock the run directory options->out and set the paths of its files. Without --out, take the first free default name.
// Fails as run_lock does.
bool train_lock_run(RunLock *lock, RunPaths *paths, TrainOptions *options, Error *error);

// After run_load_or_create: open the files of rows. With --resume, if `steps` differs from options->steps, plan `steps`
// steps, with a new cosine from the present step on, and drop best weights from later steps; record the options in
// config.json, and count the validations since the best one. Fails (input) when the run has done that many steps
// already, or as run_files_open does; config.json is then as it was.
bool train_continue(RunFiles *files, Trainer *trainer, TrainOptions *options, long long steps, Error *error);

// Print the model, the scheme, the data, the steps that are left, and what perplexities to expect.
void train_describe(const Trainer *trainer, const TrainOptions *options);

// --- what is shown in each step, and at the end ---

// An observer of every step, with a ProgressLine: show the step, and stop after a signal or when --patience runs out.
// Warns when the validation loss has been high for a long time.
bool train_show_step(void *line, Trainer *trainer, StepReport *report, Error *error);

// Is there nothing left to do: are all steps done, or has --patience run out?
bool train_finished(const Trainer *trainer);

// Print how the training ended, which weights are the best, and what to do next.
void train_show_end(const Trainer *trainer);

// --- forecast.c: how long, how large, how good ---

#define PASSES        8   // over the text, at most
#define ENOUGH_TOKENS 0.7 // of TOKENS_PER_PARAMETER: choose_steps may leave three quarters for training

// Choose the largest model that can be trained on TOKENS_PER_PARAMETER tokens for each parameter within `operations`
// floating point operations and PASSES over the text, or else the smallest one. Sets layers, heads, width, context,
// batch and learning rate, except those that were typed. Fails (input) when no size is compatible with these.
bool choose_size(TrainOptions *options, const bool *given, double operations, const Corpus *corpus, Error *error);

// Choose as many steps of `seconds` as fill the minutes with ten validations, but at most PASSES over the text; and,
// unless typed, the warm-up, the steps between validations and, for a short run, fewer validation tokens.
void choose_steps(TrainOptions *options, const bool *given, double minutes, double seconds, const Corpus *corpus);

// Before there is a trainer: with --minutes (not 0), measure this machine, choose, and print the choice. Print how long
// the run will take, unless it is resumed or too short for a measurement. Fails as choose_size and train_step do.
bool train_forecast(TrainOptions *options, const bool *given, double minutes, const Corpus *corpus, Error *error);

// The number of tokens on which a step trains.
double step_tokens(const TrainOptions *options);

// Measure the time of a step, and floating point operations per second, with a model that is then discarded.
bool time_step(double *seconds, double *speed, const TrainOptions *options, const Corpus *corpus, Error *error);

// Print perplexities on the first `limit` validation tokens (0 = all), but at least a window: of a unigram, of a
// bigram, of the run (NAN = not yet) with a verdict and, where the text may be English, of recorded models. The counts
// of the first call are kept, so a process may call this for one corpus only. Prints nothing for a task.
void print_perplexities(const char *label, const Corpus *corpus, long long limit, long long context, double run);

// The state of a run, and its steps; 0 = there is no run. A poor one diverged or has hardly learned anything.
typedef enum { RUN_POOR = 1, RUN_UNFINISHED, RUN_FINISHED } RunState;
RunState run_state(long long *done, long long *steps, const char *directory);

// Set `path` to the match of the pattern whose `file` ("/config.json"; "" = the match itself) is the newest. With a
// `state`, consider only runs in that state. Returns false if there is none.
bool newest(char path[PATH_CAPACITY], const char *pattern, const char *file, RunState state);

#endif
