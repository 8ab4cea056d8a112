// Tables: log.csv, positions.csv, and any that `bitter report` draws.
#include "lab/report/report.h"
#include "train/positions.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_tables(const uint8_t *bytes, size_t size) {
    char path[PATH_CAPACITY], svg[PATH_CAPACITY];
    LogLosses losses;
    RunLog log;
    Positions positions;
    long long count;
    Error error;
    fuzz_file(path, "table.csv", bytes, size);
    fuzz_must(path_format(svg, &error, "%s/table.svg", fuzz_directory()), &error);
    fuzz_must(log_losses(&losses, path, &error) && log_validations(&count, path, 1, 10, &error), &error);
    bool taken = losses.rows > 0;
    if (fuzz_taken(positions_read(&positions, path, &error), &error)) {
        taken = true;
        positions_free(&positions);
    }
    for (int logarithmic = 0; logarithmic < 2; logarithmic++)
        taken |= fuzz_taken(table_plot(svg, path, "loss", logarithmic, logarithmic, &error), &error);
    fuzz_must(log_open(&log, path, 3, &error), &error); // cuts off the rows after step 3
    log_close(&log);
    return taken;
}
