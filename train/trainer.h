// A model that is being trained, with its data and its progress.
#ifndef BITTER_TRAINER_H
#define BITTER_TRAINER_H

#include "data/batch.h"
#include "data/corpus.h"
#include "train/train_options.h"
#include "model/adamw.h"
#include "model/checkpoint.h"
#include "model/train_pass.h"

#define STALE_RISE 1.01 // a validation loss above the best one times this has risen; less is noise

typedef struct {
    const TrainOptions *options;
    const Corpus *corpus;
    Gpt gpt;
    TrainPass pass;
    Batches batches;
    Progress progress;
    Best best;                // loss and step of the best weights that an observer has kept
    long long stale;          // validations since then, or since the present cosine began: none had a lower loss
    int *inputs, *targets;    // (B,T) of the current batch
    bool *scored;             // (B,T) is the target scored?
    double weight;            // of each scored target, in the step's mean loss
    char init[TEXT_CAPACITY]; // what run_init_from has said
} Trainer;

typedef struct {
    double loss;  // in nats
    double right; // share of a task's questions that are answered exactly; NAN for text
    double bits;  // loss per byte of text, in bits; NAN for tasks and for tokens without their tokenizer
} Validation;

// What one optimiser step came to.
typedef struct {
    double loss; // mean over the step's tokens, of a task over those of answers, in nats
    double learning_rate;
    double gradient_norm;  // before clipping
    long long tokens;      // of this step, padding not counted
    double seconds;        // it took
    Validation validation; // after this step; NAN where none was made
    bool stop;             // an observer says that this was the last step
} StepReport;

// Do the options go together, and with the scheme? Sets *pos. Needs no data, so it is called before any is read.
bool trainer_check(Mix *pos, const TrainOptions *options, int vocab, Error *error);

// Create the model with its initial weights, and begin at step 0. `options` and `corpus` must outlive the trainer.
bool trainer_create(Trainer *trainer, const TrainOptions *options, const Corpus *corpus, Error *error);

// The same after trainer_check, with another scheme than that of the options if pos->scheme was changed since: a copy
// with a mistake in it. Sets pos->rule.
bool trainer_create_with(Trainer *trainer, Mix *pos, const TrainOptions *options, const Corpus *corpus, Error *error);
void trainer_free(Trainer *trainer);

// Measure the loss on data that is not trained on: for text, on the first --eval-tokens of the
// validation split, in windows of the trained context; for a task, on the answers to exercises of trained lengths,
// always the same ones.
bool trainer_validate(Validation *validation, const Trainer *trainer, Error *error);

// Read back what state_save wrote to state.safetensors. Fails (input) when its step and rows do not fit the options, or
// it is of a run of another seed or other data.
bool trainer_load_state(Trainer *trainer, const char *path, Error *error);

// The learning rate of a step: linear warm-up and cosine decay, from the first step or from options->cosine_from on.
double trainer_rate(const Trainer *trainer, long long step);

// Has --patience run out?
bool trainer_out_of_patience(const Trainer *trainer);

// Tokens seen so far, padding not counted.
long long trainer_tokens(const Trainer *trainer);

// The tokens by which lines and columns are found in text of this tokenizer.
PlaceRule place_rule(const Tokenizer *tokenizer);

// How many processors this process may use: those that its affinity allows (taskset, Slurm), or fewer if a control
// group has a quota, as containers do; then says so on stderr.
int processors_allowed(void);

// Use so many threads, or as many as a team may have or (said on stderr) as can be started if these are fewer; 0 =
// OMP_NUM_THREADS, or without it processors_allowed. Returns their number.
int threads_use(long long threads);

#endif
