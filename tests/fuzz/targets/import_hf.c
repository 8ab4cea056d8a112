// Models that transformers wrote: config.json and, after a byte 0xFF, model.safetensors.
#include "exchange/exchange.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

// export must refuse the imported model, or write one that can be imported again.
static void check_export(const Run *run) {
    char path[PATH_CAPACITY];
    Run again;
    Error error;
    fuzz_must(path_format(path, &error, "%s/exported", fuzz_directory()) && directory_create(path, NULL, &error),
              &error);
    if (!fuzz_taken(export_hf(run, "run", path, &error), &error)) return;
    fuzz_must(import_hf(&again, path, &error), &error);
    assert(run->gpt.tensors.total == again.gpt.tensors.total &&
           memcmp(run->gpt.params, again.gpt.params, run->gpt.tensors.total * sizeof(real)) == 0);
    run_close(&again);
}

bool fuzz_import_hf(const uint8_t *bytes, size_t size) {
    char path[PATH_CAPACITY], weights[PATH_CAPACITY], directory[PATH_CAPACITY];
    size_t length;
    Run run;
    Error error;
    const uint8_t *part = fuzz_part(&length, &bytes, &size);
    fuzz_file(path, "hf/config.json", part, length);
    fuzz_sealed_file(weights, "hf/model.safetensors", bytes, size);
    fuzz_must(path_parent(directory, path, &error), &error);
    if (!fuzz_taken(import_hf(&run, directory, &error), &error)) return false;
    check_export(&run);
    run_close(&run);
    return true;
}
