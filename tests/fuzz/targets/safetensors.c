// model.safetensors, best.safetensors and state.safetensors.
#include "model/checkpoint.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_safetensors(const uint8_t *bytes, size_t size) {
    static Gpt gpt;
    Best best;
    Progress progress;
    char path[PATH_CAPACITY];
    Error error;
    if (!gpt.params) fuzz_model(&gpt, "learned", true);
    fuzz_sealed_file(path, "model.safetensors", bytes, size);
    const bool model = fuzz_taken(model_load(path, &gpt, NULL, &error), &error),
               read = fuzz_taken(best_read(path, &gpt, &best, &error), &error),
               state = fuzz_taken(state_load(path, &gpt, &progress, &error), &error);
    assert(model + read + state <= 1 && !tensors_nonfinite(gpt.params, &gpt.tensors));
    return model || read || state;
}
