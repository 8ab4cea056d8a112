// model.safetensors, best.safetensors and state.safetensors.
#include "model/checkpoint.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

bool fuzz_safetensors(const uint8_t *bytes, size_t size) {
    static Gpt gpt;
    Best best;
    Progress progress;
    char path[PATH_CAPACITY];
    Error error;
    if (!gpt.params) fuzz_model(&gpt, "learned", true);
    uint8_t *sealed = fuzz_copy(NULL, 0, bytes, size);
    fuzz_seal(sealed, size);
    fuzz_file(path, "model.safetensors", sealed, size);
    free(sealed);
    const bool model = fuzz_taken(model_load(path, &gpt, NULL, &error), &error),
               read = fuzz_taken(best_read(path, &gpt, &best, &error), &error),
               state = fuzz_taken(state_load(path, &gpt, &progress, &error), &error);
    assert(model + read + state <= 1 && !tensors_nonfinite(gpt.params, &gpt.tensors));
    return model || read || state;
}
