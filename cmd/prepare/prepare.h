// From texts to a directory of shards: what `bitter prepare` does, and `bitter train FILE` before it trains.
#ifndef BITTER_PREPARE_H
#define BITTER_PREPARE_H

#include "cmd/prepare/inputs.h"
#include "cmd/shared/output.h"

typedef struct {
    char out[TEXT_CAPACITY];
    double validation;
    long long shard_tokens;
    InputOptions input;
} PrepareOptions;

extern const Option prepare_options[];

// Make the shards of `inputs` (count) in a directory that appears only when it is complete, and print a summary. Leaves
// nothing behind when it fails: (input) as the options and inputs are wrong, (run) for want of memory or disk,
// (interrupted) by a signal.
bool prepare_inputs(Output *output, const PrepareOptions *options, char **inputs, int count, Error *error);

// Do what `bitter prepare FILE` does, and print its summary.
bool prepare_text(const char *text, const InputOptions *input, Error *error);

#endif
