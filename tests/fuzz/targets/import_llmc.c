// model.bin, llm.c's checkpoint.
#include "exchange/exchange.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_import_llmc(const uint8_t *bytes, size_t size) {
    char path[PATH_CAPACITY], exported[PATH_CAPACITY];
    Run run;
    Error error;
    if (!fuzz_taken(import_llmc(&run, fuzz_file(path, "llmc/model.bin", bytes, size), &error), &error)) return false;
    fuzz_must(path_parent(exported, path, &error) && export_llmc(&run, "run", exported, &error), &error);
    run_close(&run);
    fuzz_must(import_llmc(&run, path, &error), &error);
    run_close(&run);
    return true;
}
