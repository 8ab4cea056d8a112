// A model that is being trained, and the optimiser step that `train`, `compare` and `bench` share.
#ifndef BITTER_STEP_H
#define BITTER_STEP_H

#include "data/batch.h"
#include "data/corpus.h"
#include "train/train_options.h"
#include "model/checkpoint.h"
#include "model/train_pass.h"

typedef struct {
    const TrainOptions *options;
    const Corpus *corpus;
    Gpt gpt;
    TrainPass pass;
    Batches batches;
    Progress progress;        // steps and batches done
    Best best;                // loss and step of the best weights that an observer has saved
    long long stale;          // validations without a lower loss, since then or since the present cosine began
    int *inputs, *targets;    // (B,T) of the current batch
    bool *scored;             // (B,T) is the target scored?
    double weight;            // of each scored target, in the step's mean loss
    char init[TEXT_CAPACITY]; // what run_init_from said
} Trainer;

typedef struct {
    double loss;  // in nats
    double right; // share of a task's questions answered exactly; NAN for text
    double bits;  // loss per byte of text, in bits; NAN for tasks and for tokens without their tokenizer
} Validation;

// The results of one optimiser step.
typedef struct {
    double loss; // mean over the step's tokens (of a task: those of answers), in nats
    double learning_rate;
    double gradient_norm;  // before clipping
    long long tokens;      // of this step, padding not counted
    double seconds;        // that the step took
    Validation validation; // after this step; NAN without one
    bool stop;             // an observer says that this was the last step
} StepReport;

// One optimiser step on the next `accumulate` batches: batch, forward, backward, clip, AdamW. Fails (nonfinite) when
// the loss or the gradient is not a finite number; the parameters and the progress are untouched then.
bool train_step(StepReport *report, Trainer *trainer, Error *error);

// Tokens seen so far, padding not counted.
long long trainer_tokens(const Trainer *trainer);

// --- step_edge.c ---

// Set trainer->weight to 1 / the number of scored targets in the next step, so that the losses of its batches add up to
// its mean loss. With one batch a step, next_batch does this.
void step_weigh(Trainer *trainer);

// Fails (nonfinite) when the loss or the gradient's norm is not finite, naming where the first such number appeared.
bool step_check_finite(const Trainer *trainer, const StepReport *report, long long step, Error *error);

#endif
