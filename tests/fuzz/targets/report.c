// Files that the reports of a comparison and of a run read in addition to measured.csv: log.csv and positions.csv, the
// parts of an input, with a byte 0xFF between them.
#include "lab/report/report.h"
#include "train/run.h"
#include "tests/fuzz/comparison.h"

static void make_run(const Comparison *comparison, const Job *job) {
    static const char measured[] =
        MEASURED_HEADER "choose,8,5.5,100\nloss,8,5.4,100\nloss,16,5.6,100\nposition,1,5.6,50\nposition,8,5.4,50\n"
                        "block,1,5.4,50\nblock,2,5.5,50\nsame,8,5.4,20\nparameters,0,1000,1\npositions,0,10,1\n"
                        "tokens,0,160,1\nseconds,0,1.5,1\nbatches,0,7,1\n";
    TrainOptions options = plan_job_options(&comparison->plan, job);
    static Corpus corpus;
    Trainer trainer;
    RunPaths paths;
    Error error;
    fuzz_run_file(comparison, job, "measured.csv", measured, sizeof measured - 1);
    fuzz_must(comparison_path(paths.directory, comparison, job, "", &error), &error);
    snprintf(options.out, sizeof options.out, "%.500s", paths.directory);
    fuzz_must((corpus.train.count || corpus_open(&corpus, options.data, &error)) &&
                  run_paths(&paths, options.out, &error) && trainer_create(&trainer, &options, &corpus, &error) &&
                  run_create(&paths, &options, &trainer, &error) && model_save(paths.model, &trainer.gpt, NULL, &error),
              &error);
    trainer_free(&trainer);
}

bool fuzz_report(const uint8_t *bytes, size_t size) {
    static char *const variants[] = {"learned", "rope-learned"};
    static Comparison comparison;
    static FILE *nowhere;
    char path[PATH_CAPACITY];
    size_t log_size, positions_size;
    Error error;
    Plan *plan = &comparison.plan;
    if (!nowhere) {
        fuzz_comparison(&comparison, "report", variants, 2, "", "");
        for (int i = 0; i < plan_job_count(plan); i++) {
            const Job job = plan_job(plan, i);
            make_run(&comparison, &job);
        }
        fuzz_must(plan_write(comparison.file, plan, NULL, &error), &error);
        nowhere = fopen("/dev/null", "w");
        assert(nowhere);
    }
    const uint8_t *log = fuzz_part(&log_size, &bytes, &size), *positions = fuzz_part(&positions_size, &bytes, &size);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        fuzz_run_file(&comparison, &job, "log.csv", log, log_size);
        fuzz_run_file(&comparison, &job, "positions.csv", positions, positions_size);
    }
    const Job first = plan_job(plan, 0);
    fuzz_must(comparison_path(path, &comparison, &first, "", &error), &error);
    const bool one = fuzz_taken(report_run(path, nowhere, &error), &error);
    return fuzz_taken(report(comparison.directory, nowhere, &error), &error) && one;
}
