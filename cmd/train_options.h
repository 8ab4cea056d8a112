// The options that everything that trains has in common.
#ifndef BITTER_TRAIN_OPTIONS_H
#define BITTER_TRAIN_OPTIONS_H

#include "data/option.h"
#include "model/tensor.h"

typedef struct {
    char data[TEXT_CAPACITY], pos[TEXT_CAPACITY];
    long long layers, heads, width, context, batch, accumulate, steps, warmup, seed, threads;
    double lr, min_lr, weight_decay, beta1, beta2, clip, dropout;
    long long eval_every, eval_tokens, sample_every, save_every;
    char out[TEXT_CAPACITY], init[TEXT_CAPACITY];
    bool resume;
} TrainOptions;

extern const Option train_options[];

// May this option differ between a run and its resumption? Data may have moved: that it is the same is checked by its
// contents. Another number of threads changes only last bits, and is said.
bool option_free_on_resume(const char *name);

Shape shape_of(const TrainOptions *options, int vocab);

// What the table's ranges cannot say. Fails (input) on options that do not go together.
bool train_options_check(const TrainOptions *options, Error *error);

#endif
