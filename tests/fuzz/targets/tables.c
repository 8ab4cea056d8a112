// log.csv.
#include "train/run.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_tables(const uint8_t *bytes, size_t size) {
    char path[PATH_CAPACITY];
    LogLosses losses;
    RunLog log;
    long long count;
    Error error;
    fuzz_file(path, "table.csv", bytes, size);
    fuzz_must(log_losses(&losses, path, &error) && log_validations(&count, path, 1, 10, &error), &error);
    const bool taken = losses.rows > 0;
    fuzz_must(log_open(&log, path, 3, &error), &error); // cuts off the rows after step 3
    log_close(&log);
    return taken;
}
