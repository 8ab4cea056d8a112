// One model being trained: what `train`, `demo` and whatever else trains share.
#ifndef BITTER_TRAINER_H
#define BITTER_TRAINER_H

#include "cmd/train_options.h"
#include "data/batch.h"
#include "data/corpus.h"
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
    int *inputs, *targets; // (B,T) of the batch at work
} Trainer;

typedef struct {
    double loss; // mean over the step's tokens, in nats
    double learning_rate;
    double gradient_norm; // before clipping
    double seconds;       // this step took
} StepReport;

// Do the options go together, and with the scheme, whose Position comes back? Asked before any data is read.
bool trainer_check(Position *pos, const TrainOptions *options, int vocab, Error *error);

// Build, initialise, and be ready for step 0. `options` and `corpus` must outlive the trainer.
bool trainer_create(Trainer *trainer, const TrainOptions *options, const Corpus *corpus, Error *error);
void trainer_free(Trainer *trainer);

// One optimiser step. Fails (nonfinite) when loss or gradient is not a finite number, naming step and tensor;
// parameters are untouched then.
bool trainer_step(StepReport *report, Trainer *trainer, Error *error);

// Loss of the validation split's first --eval-tokens at the trained context, in nats.
bool trainer_validate(double *loss, const Trainer *trainer, Error *error);

// state.safetensors in and out.
bool trainer_save_state(const Trainer *trainer, const char *path, Error *error);
bool trainer_load_state(Trainer *trainer, const char *path, Error *error);

// Tokens seen so far.
long long trainer_tokens(const Trainer *trainer);

// What tells lines and columns in text of this tokenizer.
PlaceRule place_rule(const Tokenizer *tokenizer);

// 0 = all cores, or what OMP_NUM_THREADS says. Returns how many there will be.
int threads_use(long long threads);

#endif
