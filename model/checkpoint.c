#include "model/checkpoint.h"

#include "model/safetensors.h"

#include <inttypes.h>
#include <stdlib.h>

_Static_assert(offsetof(Progress, seconds) == 3 * sizeof(int64_t), "progress.counters are one tensor of a file");

// Describe the tensors of one flat array, named with a prefix. Returns where the next description goes.
static SafeTensor *describe(SafeTensor *out, const TensorTable *table, const char *prefix, real *flat,
                            bool nonnegative) {
    for (const Tensor *t = table->items; t < table->items + table->count; t++, out++) {
        *out = (SafeTensor){.dtype = sizeof(real) == sizeof(float) ? DTYPE_F32 : DTYPE_F64,
                            .rank = t->rank,
                            .data = flat + t->offset,
                            .nonnegative = nonnegative};
        for (int axis = 0; axis < t->rank; axis++) out->shape[axis] = t->shape[axis];
        snprintf(out->name, sizeof out->name, "%s%s", prefix, t->name);
    }
    return out;
}

// Write or read the parameters, in `params`; with `progress` also the moments and the progress; with `best` also that.
static bool read_or_write(bool (*by)(const char *path, const SafeTensor *tensors, int count, Error *error),
                          const char *path, const Gpt *gpt, real *params, Progress *progress, Best *best,
                          Error *error) {
    enum { OTHERS = 3 }; // at most, beside those of the table
    SafeTensor *tensors = calloc((size_t)gpt->tensors.count * 3 + OTHERS, sizeof *tensors), *next = tensors;
    if (!tensors) return fail_run(error, "no memory for the list of tensors of %s", path);
    if (progress) *next++ = (SafeTensor){"progress.run", DTYPE_I64, 1, {2}, &progress->seed, true, true};
    next = describe(next, &gpt->tensors, "", params, false);
    if (progress) {
        next = describe(next, &gpt->tensors, "m.", gpt->m, false);
        next = describe(next, &gpt->tensors, "v.", gpt->v, true);
        *next++ = (SafeTensor){"progress.counters", DTYPE_I64, 1, {3}, progress, true, false};
        *next++ = (SafeTensor){"progress.seconds", DTYPE_F64, 1, {1}, &progress->seconds, true, false};
    }
    if (best) {
        *next++ = (SafeTensor){"best.step", DTYPE_I64, 1, {1}, &best->step, true, false};
        *next++ = (SafeTensor){"best.loss", DTYPE_F64, 1, {1}, &best->loss, true, false};
    }
    const bool ok = by(path, tensors, (int)(next - tensors), error);
    free(tensors);
    return ok;
}

bool model_save(const char *path, const Gpt *gpt, const Best *best, Error *error) {
    Best copy = best ? *best : (Best){0};
    return read_or_write(safetensors_write, path, gpt, gpt->params, NULL, best ? &copy : NULL, error);
}

bool state_save(const char *path, const Gpt *gpt, const Progress *progress, Error *error) {
    Progress copy = *progress;
    return read_or_write(safetensors_write, path, gpt, gpt->params, &copy, NULL, error);
}

bool model_load(const char *path, Gpt *gpt, Best *best, Error *error) {
    const bool ok = read_or_write(safetensors_read, path, gpt, gpt->params, NULL, best, error);
    if (ok) mix_project(&gpt->pos);
    return ok;
}

bool best_read(const char *path, Gpt *gpt, Best *best, Error *error) {
    const bool ok = read_or_write(safetensors_read, path, gpt, gpt->grads, NULL, best, error);
    memset(gpt->grads, 0, gpt->tensors.total * sizeof *gpt->grads);
    return ok;
}

bool state_load(const char *path, Gpt *gpt, Progress *progress, Error *error) {
    if (!read_or_write(safetensors_read, path, gpt, gpt->params, progress, NULL, error)) return false;
    if (progress->batch_crc > UINT32_MAX)
        return fail_input(error, "%s: the batches' CRC-32 %" PRId64 " has more than 32 bits; use another checkpoint",
                          path, progress->batch_crc);
    mix_project(&gpt->pos);
    return true;
}
