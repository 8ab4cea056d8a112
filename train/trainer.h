// What surrounds the step: creating a trainer, resuming from a checkpoint, validation, and threads.
#ifndef BITTER_TRAINER_H
#define BITTER_TRAINER_H

#include "train/step.h"

#define STALE_RISE 1.01 // a validation loss above this times the best one has risen; less is noise

// Do the options fit together and fit the scheme? Sets *pos. Needs no data, so it is called before any data are read.
// Fails (input).
bool trainer_check(Mix *pos, const TrainOptions *options, int vocab, Error *error);

// Does the corpus suit the options: text that has windows of the context, --documents that can be put into it, a task
// whose exercises fit? Fails (input).
bool trainer_check_data(const TrainOptions *options, const Corpus *corpus, Error *error);

// Create the model with its initial weights, and begin at step 0. `options` and `corpus` must outlive the trainer.
// Fails (input; run, as when memory is short).
bool trainer_create(Trainer *trainer, const TrainOptions *options, const Corpus *corpus, Error *error);

// The same after trainer_check, whose *pos may have been changed since. Sets pos->rule.
bool trainer_create_with(Trainer *trainer, Mix *pos, const TrainOptions *options, const Corpus *corpus, Error *error);
void trainer_free(Trainer *trainer);

// Measure the loss on data that is not trained on: the first --eval-tokens of the validation split, in windows of the
// trained context, or the answers to a fixed set of exercises of a task. Fails as evaluate and examine do, and
// (nonfinite).
bool trainer_validate(Validation *validation, const Trainer *trainer, Error *error);

// Read state.safetensors. Fails (input) when its step and rows do not fit the options, or when the seed or the data
// were others.
bool trainer_load_state(Trainer *trainer, const char *path, Error *error);

// Has --patience run out?
bool trainer_out_of_patience(const Trainer *trainer);

// The tokens by which lines and columns are found in text of this tokenizer.
PlaceRule place_rule(const Tokenizer *tokenizer);

// How many processors this process may use: those of its affinity (taskset, Slurm), or fewer if a control group, such
// as a container's, has a quota; that is reported on stderr.
int processors_allowed(void);

// Use so many threads, but no more than a team may have and no more than can be started (reported on stderr). 0 means
// OMP_NUM_THREADS or, if that is not set, processors_allowed. Returns the number of threads.
int threads_use(long long threads);

#endif
