// `bitter train` against lesson/plain.c, the trainer in one file: from the same weights, on the same batches, the same
// losses. tests/lesson/double_plain.c compares everything of one step.
#include "train/trainer.h"
#include "tests/lesson/plain.h"
#include "tests/support/support.h"

// With the defaults of `bitter train`, except for the size and plain.c's learning rates.
static void compare(const char *scheme, int steps) {
    Error error;
    Corpus corpus;
    Trainer trainer;
    TrainOptions options;
    StepReport report;
    must(corpus_open(&corpus, "builtin:tales:bytes=100000", &error), &error);
    options_default(&options, train_options);
    snprintf(options.data, sizeof options.data, "builtin:tales:bytes=100000");
    snprintf(options.pos, sizeof options.pos, "%s", scheme);
    options.layers = PLAIN_L;
    options.heads = PLAIN_H;
    options.width = PLAIN_C;
    options.context = PLAIN_T;
    options.batch = PLAIN_B;
    options.steps = steps;
    options.warmup = steps / 10;
    options.lr = 3e-3;
    options.min_lr = 3e-4;
    must(trainer_create(&trainer, &options, &corpus, &error), &error);

    plain_choose(scheme);
    for (int i = 0; i < trainer.gpt.tensors.count; i++) {
        const Tensor *t = &trainer.gpt.tensors.items[i];
        memcpy(plain_parameter(t->name).values, trainer.gpt.params + t->offset, t->count * sizeof(real));
    }
    for (int step = 1; step <= steps; step++) {
        must(train_step(&report, &trainer, &error), &error);
        plain_batch(trainer.inputs, trainer.targets);
        expect_near(scheme, (size_t)step, report.loss, plain_step(step, steps), 1e-4);
    }
    assert_true(report.loss < log(PLAIN_V)); // where it began
    trainer_free(&trainer);
    corpus_close(&corpus);
}

static void losses_are_those_of_plain_c(void **state) {
    compare("rope", 100);
    compare("learned", 20); // plain.c is slow under the sanitizers
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(losses_are_those_of_plain_c)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
