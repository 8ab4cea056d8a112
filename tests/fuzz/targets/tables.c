// Tables that a resumed run continues: log.csv and positions.csv.
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
    fuzz_file(path, "table.csv", bytes, size);
    Mix pos;
    Trainer trainer = {.progress.step = 3};
    const Shape shape = {.vocab = 5, .context = 2, .layers = 1, .heads = 1, .width = 2};
    fuzz_must(mix_create(&pos, "learned", &shape, &error) && gpt_create(&trainer.gpt, &shape, &pos, false, &error),
              &error);
    const bool goes_on = fuzz_taken(positions_open(&log, path, &trainer, &error), &error);
    log_close(&log);
    gpt_free(&trainer.gpt);
    return taken || goes_on;
}
