#include "model/checkpoint.h"

#include "model/safetensors.h"

#include <inttypes.h>
#include <stdlib.h>

#define PROGRESS_TENSORS 3
#define BEST_TENSORS     2

// Describe the tensors of one flat array, named with a prefix; returns how many.
static int describe(SafeTensor *out, const TensorTable *table, const char *prefix, real *flat, bool nonnegative) {
    for (int i = 0; i < table->count; i++) {
        const Tensor *t = &table->items[i];
        out[i] = (SafeTensor){.dtype = sizeof(real) == sizeof(float) ? DTYPE_F32 : DTYPE_F64,
                              .rank = t->rank,
                              .data = flat + t->offset,
                              .nonnegative = nonnegative};
        for (int axis = 0; axis < t->rank; axis++) out[i].shape[axis] = t->shape[axis];
        snprintf(out[i].name, sizeof out[i].name, "%s%s", prefix, t->name);
    }
    return table->count;
}

_Static_assert(offsetof(Progress, seconds) == 3 * sizeof(int64_t), "progress.counters are one tensor of a file");

typedef bool (*Transfer)(const char *path, const SafeTensor *tensors, int count, Error *error);

// The parameters, and where there is progress also the moments and the progress itself.
static bool transfer_all(Transfer transfer, const char *path, const Gpt *gpt, Progress *progress, Error *error) {
    SafeTensor *tensors = calloc((size_t)gpt->tensors.count * 3 + PROGRESS_TENSORS, sizeof *tensors);
    if (!tensors) return fail_run(error, "no memory for the list of tensors of %s", path);
    int count = 0;
    if (progress) tensors[count++] = (SafeTensor){"progress.run", DTYPE_I64, 1, {2}, &progress->seed, true, true};
    count += describe(tensors + count, &gpt->tensors, "", gpt->params, false);
    if (progress) {
        count += describe(tensors + count, &gpt->tensors, "m.", gpt->m, false);
        count += describe(tensors + count, &gpt->tensors, "v.", gpt->v, true);
        tensors[count++] = (SafeTensor){"progress.counters", DTYPE_I64, 1, {3}, progress, true, false};
        tensors[count++] = (SafeTensor){"progress.seconds", DTYPE_F64, 1, {1}, &progress->seconds, true, false};
    }
    const bool ok = transfer(path, tensors, count, error);
    free(tensors);
    return ok;
}

bool model_save(const char *path, const Gpt *gpt, Error *error) {
    return transfer_all(safetensors_write, path, gpt, NULL, error);
}

bool model_load(const char *path, Gpt *gpt, Error *error) {
    if (!transfer_all(safetensors_read, path, gpt, NULL, error)) return false;
    mix_project(&gpt->pos);
    return true;
}

// `flat` holds, or takes, the parameters.
static bool transfer_best(Transfer transfer, const char *path, const Gpt *gpt, real *flat, Best *best, Error *error) {
    SafeTensor *tensors = calloc((size_t)gpt->tensors.count + BEST_TENSORS, sizeof *tensors);
    if (!tensors) return fail_run(error, "no memory for the list of tensors of %s", path);
    int count = describe(tensors, &gpt->tensors, "", flat, false);
    tensors[count++] = (SafeTensor){"best.step", DTYPE_I64, 1, {1}, &best->step, true, false};
    tensors[count++] = (SafeTensor){"best.loss", DTYPE_F64, 1, {1}, &best->loss, true, false};
    const bool ok = transfer(path, tensors, count, error);
    free(tensors);
    return ok;
}

bool best_save(const char *path, const Gpt *gpt, const Best *best, Error *error) {
    Best copy = *best;
    return transfer_best(safetensors_write, path, gpt, gpt->params, &copy, error);
}

bool best_load(const char *path, Gpt *gpt, Best *best, Error *error) {
    if (!transfer_best(safetensors_read, path, gpt, gpt->params, best, error)) return false;
    mix_project(&gpt->pos);
    return true;
}

bool best_read(const char *path, Gpt *gpt, Best *best, Error *error) {
    const bool ok = transfer_best(safetensors_read, path, gpt, gpt->grads, best, error);
    memset(gpt->grads, 0, gpt->tensors.total * sizeof *gpt->grads);
    return ok;
}

bool state_save(const char *path, const Gpt *gpt, const Progress *progress, Error *error) {
    Progress copy = *progress;
    return transfer_all(safetensors_write, path, gpt, &copy, error);
}

bool state_load(const char *path, Gpt *gpt, Progress *progress, Error *error) {
    if (!transfer_all(safetensors_read, path, gpt, progress, error)) return false;
    if (progress->batch_crc > UINT32_MAX)
        return fail_input(error, "%s: the batches' CRC-32 %" PRId64 " has more than 32 bits; use another checkpoint",
                          path, progress->batch_crc);
    mix_project(&gpt->pos);
    return true;
}
