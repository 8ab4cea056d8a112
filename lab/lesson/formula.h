// The formulas of papers in plain loops, one token and one head at a time, in double: slow, short, and with nothing in
// common with the model's own code but the weights.
#ifndef BITTER_FORMULA_H
#define BITTER_FORMULA_H

#include "model/train_pass.h"

// Are there plain loops for this scheme? So far for rope, alibi and learned.
bool formula_known(const Scheme *scheme);

// Compute what the first layer's heads give for ids (T) from the formula, and return the largest difference from what
// the training pass, one sequence of T tokens, has left of the same ids; NaN if a number is NaN. Fails (run) when there
// is no memory.
bool formula_difference(double *worst, const Gpt *gpt, const TrainPass *pass, const int *ids, Error *error);

#endif
