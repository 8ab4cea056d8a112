// measured.csv of the runs of a comparison, and the statistics that follow from it.
#include "lab/compare/outcome.h"
#include "tests/fuzz/comparison.h"

bool fuzz_measured(const uint8_t *bytes, size_t size) {
    static char *const variants[] = {"none", "learned", "sinusoidal"};
    static Comparison comparison;
    static bool ready;
    char path[PATH_CAPACITY];
    Outcome outcome;
    Error error;
    if (!ready) {
        fuzz_comparison(&comparison, "measured", variants, 3, "1e-3,3e-3", "parity");
        ready = true;
    }
    for (int i = 0; i < plan_job_count(&comparison.plan); i++) {
        const Job job = plan_job(&comparison.plan, i);
        fuzz_run_file(&comparison, &job, "measured.csv", bytes, size);
    }
    const bool taken = fuzz_taken(outcome_read(&outcome, &comparison, &error), &error);
    if (taken) {
        outcome_difference(&outcome, 0, 1, 0, 1);
        fuzz_must(path_format(path, &error, "%s/results.csv", comparison.directory) &&
                      outcome_write(path, &outcome, &error),
                  &error);
        outcome_free(&outcome);
    }
    return taken;
}
