// Copying the weights of one model into another, whose position schemes may differ.
#ifndef BITTER_TRANSFER_H
#define BITTER_TRANSFER_H

#include "model/gpt.h"

// Copy the weights of `from`, a model with the same vocabulary, layers, heads, heads of keys, width and block. Of a
// position scheme, copy those tensors that have the same shape and, where each layer has numbers of its own, belong to
// the same layers. `said`: which tensors of `gpt` keep their initial values, and which of `from` are left behind, or
// "". Fails (input) when tables differ because the models have different contexts; `name` is what --init called `from`.
bool gpt_transfer(Gpt *gpt, char said[TEXT_CAPACITY], const Gpt *from, const char *name, Error *error);

#endif
