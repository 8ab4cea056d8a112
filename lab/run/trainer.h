// One model being trained: what `train`, `demo` and whatever else trains share.
#ifndef BITTER_TRAINER_H
#define BITTER_TRAINER_H

#include "data/batch.h"
#include "data/corpus.h"
#include "lab/run/train_options.h"
#include "model/adamw.h"
#include "model/checkpoint.h"
#include "model/train_pass.h"

typedef struct {
    const TrainOptions *options;
    const Corpus *corpus;
    Gpt gpt;
    TrainPass pass;
    Batches batches;
    Progress progress;
    int *inputs, *targets; // (B,T) of the current batch
    bool *scored;          // (B,T) does the target count?
    double weight;         // of each target that counts, in the step's mean loss
} Trainer;

typedef struct {
    double loss;  // in nats
    double right; // share of a task's questions that are answered exactly; NAN for text
} Validation;

// What one optimiser step came to.
typedef struct {
    double loss; // mean over the step's tokens, of a task over those of answers, in nats
    double learning_rate;
    double gradient_norm;  // before clipping
    long long tokens;      // of this step, padding not counted
    double seconds;        // it took
    Validation validation; // after this step; NAN where none was made
} StepReport;

// Do the options go together, and with the scheme, whose Position comes back? Asked before any data is read.
bool trainer_check(Position *pos, const TrainOptions *options, int vocab, Error *error);

// Build, initialise, and be ready for step 0. `options` and `corpus` must outlive the trainer.
bool trainer_create(Trainer *trainer, const TrainOptions *options, const Corpus *corpus, Error *error);
void trainer_free(Trainer *trainer);

// Of text, loss of the validation split's first --eval-tokens at the trained context. Of a task, loss of the tokens of
// answers to exercises of trained lengths, always the same and not those of training.
bool trainer_validate(Validation *validation, const Trainer *trainer, Error *error);

// state.safetensors in and out. Loading fails (input) when its step and rows do not fit the options.
bool trainer_save_state(const Trainer *trainer, const char *path, Error *error);
bool trainer_load_state(Trainer *trainer, const char *path, Error *error);

// Tokens seen so far, padding not counted.
long long trainer_tokens(const Trainer *trainer);

// What tells lines and columns in text of this tokenizer.
PlaceRule place_rule(const Tokenizer *tokenizer);

// 0 = all cores, or what OMP_NUM_THREADS says. Returns how many there will be.
int threads_use(long long threads);

#endif
