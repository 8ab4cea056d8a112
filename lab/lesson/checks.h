// Checks of a position scheme, right or wrong: each check runs the scheme in a small random model.
#ifndef BITTER_CHECKS_H
#define BITTER_CHECKS_H

#include "posenc/mix.h"

typedef enum {
    CHECK_GRADIENT, // every gradient against central differences; applies in a build in double only
    CHECK_LENGTH,   // the hooks of a rotation keep the lengths of queries, keys, values and their gradients
    CHECK_SHIFT,    // the losses do not change when all tokens stand further on; for schemes that see distances only
    CHECK_FORMULA,  // embeddings and attention of the first layer against the paper's formula in plain loops; for rope,
                    // alibi and learned
    CHECK_USE,      // losses of the tokens fed one by one, with a cache, against those of a training pass
    CHECKS,
} Check;

typedef struct {
    const char *name;  // "gradient"
    const char *tells; // what it compares, in a few words
    double tolerance;  // of its error
} CheckInfo;

extern const CheckInfo checks[CHECKS];

typedef struct {
    bool applies;
    double error; // the largest: relative, or in nats for losses; NaN counts as worst of all
} CheckResult;

// Run one check on the only scheme of `pos`, for which mix_fit has been called, in a model of pos->shape, at most 32
// tokens of 16 channels. Fails (run) when there is no memory, (input) when no model can have the shape.
bool check_run(CheckResult *result, Check check, const Mix *pos, Error *error);

// Has the check noticed a mistake?
bool check_notices(const CheckResult *result, Check check);

#endif
