// What `bitter train` says of a run before its first step, and what --minutes chooses.
#ifndef BITTER_FORECAST_H
#define BITTER_FORECAST_H

#include "train/trainer.h"

#define PASSES 4 // over the text, at most, for TOKENS_PER_PARAMETER

// Choose the largest model of a list that can see TOKENS_PER_PARAMETER tokens for each parameter in so many floating
// point operations and in PASSES over the text, or the smallest: layers, heads, width, context, batch and learning
// rate, but those that were given (given[i]: row i of train_options was). Fails (input) when no size goes with these.
bool choose_size(TrainOptions *options, const bool *given, double operations, const Corpus *corpus, Error *error);

// Choose so many steps of `seconds` as fill the minutes, with ten validations, but at most twice PASSES over the text;
// and, unless given, the warm-up and the steps between validations.
void choose_steps(TrainOptions *options, const bool *given, double minutes, double seconds, const Corpus *corpus);

// Before there is a trainer: with minutes (not 0), measure this machine, choose, and print the choice. Print how long
// the run will take, unless it is resumed or too short for a measurement. Fails as choose_size and train_step do.
bool train_forecast(TrainOptions *options, const bool *given, double minutes, const Corpus *corpus, Error *error);

// Print the perplexities of a unigram, of a bigram, of `run` (NAN = not yet) and of recorded models. Prints nothing for
// a task.
void print_perplexities(const char *label, const Trainer *trainer, double run);

#endif
