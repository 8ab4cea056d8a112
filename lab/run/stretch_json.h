// How config.json records that rotations are stretched.
#ifndef BITTER_STRETCH_JSON_H
#define BITTER_STRETCH_JSON_H

#include "base/error.h"
#include "posenc/posenc.h"

#include <jansson.h>

// What a run's rotations are stretched by, and how its factors were found on text: the mean loss there, in nats; how
// many candidates were tried; how many tokens were read. 0 where a formula gave them.
typedef struct {
    StretchRule rule;
    double loss;
    long long evaluations, tokens;
} RunStretch;

// The object "rotation" of a model whose rotations are stretched: method, factor, original_context, and either growth
// (dynamic) or factors (one a pair), unscaled_positions and attention_factor, for long windows and, where they are
// kept, under "short" for windows of up to original_context. "attention_on_unscaled" is false where the unscaled
// positions go without the attention factor; without it they have it.
json_t *stretch_to_json(const RunStretch *stretch);

// Read that object. Fails (input), naming `path`, when a member is missing or not as stretch_to_json writes it.
bool stretch_from_json(RunStretch *stretch, const json_t *object, const char *path, Error *error);

// Set pos->stretch. Fails (input) when the stretch does not fit the scheme or the number of pairs in a head.
bool stretch_apply(Position *pos, const StretchRule *rule, const char *path, Error *error);

#endif
