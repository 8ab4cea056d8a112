// How config.json has a stretched rotation.
#ifndef BITTER_ROTATION_H
#define BITTER_ROTATION_H

#include "base/error.h"
#include "posenc/posenc.h"

#include <jansson.h>

// The object "rotation" of a model whose rotations are stretched: method, factor, original_context, and either growth
// (dynamic) or factors (one a pair), unscaled_positions and attention_factor, for long windows and, where they are
// kept, under "short" for windows of up to original_context. "attention_on_unscaled" is false where the unscaled
// positions go without the attention factor; without it they have it.
json_t *rotation_json(const Scaling *scaling);

// Read it back. Fails (input), naming `path`, on a member that is missing or not as rotation_json writes it.
bool rotation_read(Scaling *scaling, const json_t *object, const char *path, Error *error);

// Does the stretch belong to this scheme and shape? Fails (input) when it does not; else it becomes pos->scaling.
bool rotation_apply(Position *pos, const Scaling *scaling, const char *path, Error *error);

#endif
