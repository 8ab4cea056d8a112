// FoX's forgetting, which PaTH can have as well: each token keeps a fraction f of everything before it.
#ifndef BITTER_FOX_H
#define BITTER_FOX_H

#include "posenc/content/running.h"

// log f = log(sigmoid(z)); and dz from dlog_f, the gradients with respect to z and log f.
real log_sigmoid(real z);
real log_sigmoid_backward(real dlog_f, real log_f);

#define LOG_SIGMOID_OPERATIONS 10 // of a gate, forward and backward, with its bias

// For score hooks. `log_f` are the features of the block's tokens for its head, `stride` numbers apart; backward adds
// to their gradients. `scratch` holds forget_scratch() numbers; backward does not read what forward left there.
size_t forget_scratch(int columns);
void forget_forward(const ScoreBlock *block, const real *log_f, int stride, real *scratch);
void forget_backward(real *dlog_f, const real *dS, const ScoreBlock *block, int stride, real *scratch);

// What these two cost a token in one head whose queries see so many keys.
double forget_operations(double keys);

#endif
