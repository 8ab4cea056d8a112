// A run directory as `bitter train` makes it, for tests to open and to damage.
#ifndef BITTER_MADE_RUN_H
#define BITTER_MADE_RUN_H

#include "train/config.h"
#include "train/run.h"
#include "tests/support/little_model.h"
#include "tests/support/scratch.h"

static char directory[SCRATCH_PATH], run_directory[SCRATCH_PATH + 32];
static Corpus corpus;
static TrainOptions options;
static Trainer trainer;
static RunPaths paths;

// A run of a tiny model with `--pos learned`, without a step of training.
static inline int make_run(void **state) {
    Error error;
    scratch_make(directory);
    snprintf(run_directory, sizeof run_directory, "%s/run", directory);
    must(corpus_open(&corpus, "builtin:tales:bytes=20000", &error), &error);
    options_default(&options, train_options);
    snprintf(options.data, sizeof options.data, "builtin:tales:bytes=20000");
    snprintf(options.pos, sizeof options.pos, "learned");
    snprintf(options.out, sizeof options.out, "%.500s", run_directory);
    options.layers = options.heads = options.batch = 1;
    options.width = 4;
    options.context = 8;
    must(trainer_create(&trainer, &options, &corpus, &error), &error);
    must(run_paths(&paths, run_directory, &error), &error);
    must(directory_create(run_directory, NULL, &error), &error);
    must(run_create(&paths, &options, &trainer, &error), &error);
    must(model_save(paths.model, &trainer.gpt, NULL, &error), &error);
    return 0;
}

static inline int remove_run(void **state) {
    trainer_free(&trainer);
    corpus_close(&corpus);
    scratch_remove(directory);
    return 0;
}

#endif
