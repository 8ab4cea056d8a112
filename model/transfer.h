// The weights of one model in another, whose position schemes may stand in other layers, or beside others.
#ifndef BITTER_TRANSFER_H
#define BITTER_TRANSFER_H

#include "model/gpt.h"

// Copy the weights of `from`, a model with the same vocabulary, layers, heads, width and block. What a position scheme
// has learned goes to the same scheme in the same layers and heads, whatever stands beside it there, and nothing to
// another scheme. `said`: which tensors of `gpt` keep their initial values, wholly or in some layers, and which of
// `from` are left behind, or "". Fails (input) when tables differ because the models have different contexts; `name` is
// what --init called `from`.
bool gpt_transfer(Gpt *gpt, char said[TEXT_CAPACITY], const Gpt *from, const char *name, Error *error);

#endif
