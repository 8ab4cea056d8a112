// A run directory: config.json, tokenizer.json, model.safetensors, best.safetensors, state.safetensors, log.csv,
// positions.csv. To write one: run_lock, run_load_or_create (which calls run_create), run_files_open of
// loop.h, run_save, run_files_close.
// To read one: run_open.
#ifndef BITTER_RUN_H
#define BITTER_RUN_H

#include "base/file/lock.h"
#include "train/trainer.h"

typedef struct {
    char directory[PATH_CAPACITY]; // without RUN_BEST
    bool is_best;                  // the name ended in RUN_BEST, so that `model` is the same file as `best`
    char config[PATH_CAPACITY], tokenizer[PATH_CAPACITY], model[PATH_CAPACITY], best[PATH_CAPACITY],
        state[PATH_CAPACITY], log[PATH_CAPACITY], positions[PATH_CAPACITY];
} RunPaths;

// RUN@best names the run in RUN with its best weights; RUN alone names it with its last weights.
#define RUN_BEST "@best"

// `run` is the name of a directory, with or without RUN_BEST.
bool run_paths(RunPaths *paths, const char *run, Error *error);

// Is there a run? Fails (input) when there is none, naming the run that may be meant.
bool run_exists(const RunPaths *paths, Error *error);

// Fails (input) when the name of a run that is to be written, given as --out, ends in RUN_BEST.
bool run_name_check(const char *directory, Error *error);

// Set `out` to the default name: runs/SCHEME, or runs/SCHEME-2, -3, ... when that exists; of several schemes,
// runs/SCHEME-SCHEME. `last` is the existing name before it, or "". `pos` has been parsed before.
void run_default_name(char out[TEXT_CAPACITY], char last[TEXT_CAPACITY], const char *pos);

// The right to write in a run directory. One process at a time has it, by holding a lock on the file DIR/lock.
typedef struct {
    Lock lock; // start from {0}
    char directory[PATH_CAPACITY];
    size_t existing; // length of the part of `directory` that was there before run_lock
    double looked;   // when run_keep last checked the lock, by clock_seconds()
} RunLock;

// Make the directory if there is none, keep other processes out of it until run_unlock, and remove temporary files that
// killed processes left. LOCK_TAKEN when another process works in it, LOCK_FAILED when it cannot be written to, holds a
// comparison, is a symbolic link or has a name that ends in RUN_BEST. Both set the error (input; run when the disk is
// full).
LockResult run_lock(RunLock *lock, const char *directory, Error *error);

// An observer of every step, with a RunLock: checks every few seconds that the lock is still held. Fails (run) when it
// is lost (lock_keep).
bool run_keep(void *lock, Trainer *trainer, StepReport *report, Error *error);

// Let other processes in, and remove the directories that run_lock made, if they are empty. Does nothing without a
// lock.
void run_unlock(RunLock *lock);

// Begin a run in a directory that is locked: write tokenizer.json, then, with options->init, state.safetensors with the
// starting weights, and last config.json, which makes it a run. Fails (input) when the directory holds a run or data
// already, or a name in the options is not UTF-8.
bool run_create(const RunPaths *paths, const TrainOptions *options, const Trainer *trainer, Error *error);

// In a directory that is locked: load the last checkpoint if options->resume, or else begin a run (run_create) with
// the weights of options->init, if given. Fails (input) also when the run was trained on other data.
bool run_load_or_create(Trainer *trainer, const RunPaths *paths, const TrainOptions *options, Error *error);

// A trained model, read back from its run.
typedef struct {
    TrainOptions options;
    Tokenizer tokenizer;
    Gpt gpt; // parameters only
} Run;

// Read config, tokenizer and weights; `name` as in run_paths. `past` ("clamp" or "interpolate") sets the schemes'
// option `past`, unless it is "". Fails (input) when something is missing, damaged or does not belong together.
bool run_open(Run *run, const char *name, const char *past, Error *error);
void run_close(Run *run);

// Fails (input) when tokenizer.json exists, or else the file `rest`, unless the tokenizer is the run's own: then a
// start that was killed left both.
bool run_check_leftover(const RunPaths *paths, const char *rest, const Tokenizer *own, Error *error);

// Fails (input), saying what to do, when the run and these data have different tokenizers.
bool run_check_tokenizer(const Run *run, const char *directory, const Corpus *corpus, Error *error);

// Copy the weights of another run into a model of its sizes by gpt_transfer, which describes `said`. Also fails (input)
// when that run and `corpus`, the model's data, have different tokenizers.
bool run_init_from(Gpt *gpt, char said[TEXT_CAPACITY], const char *directory, const Corpus *corpus, Error *error);

// Fails (input) when the model's `shape` and the run's shape, `of`, differ in layers, heads, heads of keys, width or
// block.
bool run_init_check(const Shape *shape, const Shape *of, const char *directory, Error *error);

// --- log.c: log.csv, which has one row for each step, or another file of rows that begin with their step ---

typedef struct {
    FILE *stream;
    char path[PATH_CAPACITY];
    long long rows; // in the file when it was opened
} RunLog;

// Start the log, or reopen it and cut off the rows after `step`, which a killed run left behind. A lost log is started
// again; this, and missing rows, are reported on stderr.
bool log_open(RunLog *log, const char *path, long long step, Error *error);
// The same for another file of such rows. A new file begins with `head`, which is at least one line.
bool log_start(RunLog *log, const char *path, const char *head, long long step, Error *error);
// An observer of every step, with a RunLog: append the row of the step that was just done.
bool log_row(void *log, Trainer *trainer, StepReport *report, Error *error);

// The number in column `column`, counted from 0, of a row of numbers that ends in a newline; NAN = there is none.
double log_number(const char *row, int column);

// A row of log.csv, read back.
typedef struct {
    double step, loss, validation; // NAN = this step was not validated
} LogRow;

// Read the next row and move *text behind it. Lines that are not rows are skipped. False at the end.
bool log_next(LogRow *row, const char **text);

// What the losses of a log.csv say. The rows are divided into parts of equal length, counted from the end.
typedef struct {
    long long rows;
    double first, last;    // loss of the first and the last row; 0 without rows
    long long part;        // rows of a part: a twentieth of all, at least 20
    double lowest, final;  // mean losses: lowest among the parts before the last; of the last; NAN if none
    bool unlearned;        // final is more than a nat above lowest; less is room for noise
    long long lowest_step; // the last step of the part with the lowest
    long long stale;       // validations without a lower loss, since the one with the lowest
} LogLosses;

// Lines that are not rows are skipped. Fails as file_read does.
bool log_losses(LogLosses *losses, const char *path, Error *error);

// Count the rows after step `from`, up to `to`, that have a validation; 0 when the log was lost. Fails as file_read
// does.
bool log_validations(long long *count, const char *path, long long from, long long to, Error *error);

// Set the error (run): the last write to the log failed, for the reason in errno. Returns false.
bool log_failed(const RunLog *log, Error *error);
// Make all rows durable on disk.
bool log_sync(RunLog *log, Error *error);
void log_close(RunLog *log);

// --- positions.c: positions.csv, the trained numbers of the position scheme after each validation ---

#define POSITIONS_COLUMNS 256 // numbers of a row, at most; if there are more, every second, third, ... is recorded

// Start the file, with a row of step 0, or reopen it and cut off the rows after trainer->progress.step, as log_open
// does. Nothing is written for a scheme without trained numbers. A file that was lost, or has only part of a header, is
// started again. Fails (input) when the file has other columns.
bool positions_open(RunLog *log, const char *path, Trainer *trainer, Error *error);

// An observer, with the RunLog: append the row of the step that was just done. Does nothing if there is no file.
bool positions_row(void *log, Trainer *trainer, StepReport *report, Error *error);

// --- run.c again: checkpoints ---

// Save a checkpoint: the log, the weights, and the state that run_load_or_create loads. Fails (run; nonfinite), and
// (run) without saving when the lock is lost.
bool run_save(const Trainer *trainer, const RunPaths *paths, RunLog *log, const RunLock *lock, Error *error);

// Save the weights as the best so far, with trainer->best. Fails (run; nonfinite), and (run) when the lock is lost.
bool run_save_best(const Trainer *trainer, const RunPaths *paths, const RunLock *lock, Error *error);

// Fails (nonfinite) when the losses in log.csv show that a finished run diverged although all its numbers are finite.
bool run_check_learning(const Trainer *trainer, const RunPaths *paths, Error *error);

#endif
