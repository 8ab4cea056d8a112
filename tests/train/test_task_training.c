// Training on a task: batches only as long as their exercises give the same gradients as padded ones, only answers
// count, and a run that was saved and continued ends with the same bits.
#include "posenc/registry.h"
#include "train/trainer.h"
#include "tests/support/little_model.h"
#include "tests/support/scratch.h"

enum { B = 3, CAPACITY = 100, SHORT = 70 };

// One pass over rows of `length` tokens, of which row b has ids[b] and counts where scored says so.
static void run_pass(TrainPass *pass, Gpt *gpt, int ids[B][CAPACITY + 1], bool scored[B][CAPACITY], int length) {
    int inputs[B * CAPACITY], targets[B * CAPACITY];
    memset(gpt->grads, 0, gpt->tensors.total * sizeof(real));
    train_pass_resize(pass, length);
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < length; t++) {
            inputs[b * length + t] = ids[b][t];
            targets[b * length + t] = ids[b][t + 1];
            pass->dnll[b * length + t] = scored[b][t] ? (real)0.01 : 0;
        }
    }
    train_pass_embed(pass, gpt, inputs);
    train_pass_forward(pass, gpt);
    train_pass_backward(pass, gpt, inputs, targets);
}

// Text of 50, 60 and 70 tokens with every third one scored, then padding.
static void make_rows(int ids[B][CAPACITY + 1], bool scored[B][CAPACITY], int vocab) {
    ids_make(ids[0], B * (CAPACITY + 1), vocab - 1, 5);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < CAPACITY; t++) {
            const int size = SHORT - 10 * (B - 1 - b);
            if (t + 1 > size) ids[b][t + 1] = vocab - 1;
            scored[b][t] = t < size && t % 3 == 0;
        }
}

static void shorter_batches_give_what_padded_ones_give(void **state) {
    const Shape shape = {.vocab = 31, .context = CAPACITY, .layers = 2, .heads = 2, .width = 16};
    int ids[B][CAPACITY + 1];
    bool scored[B][CAPACITY];
    make_rows(ids, scored, shape.vocab);
    for (int s = 0; schemes[s]; s++) {
        Gpt gpt;
        TrainPass pass;
        double nll[B * CAPACITY];
        training_make(&gpt, &pass, schemes[s]->name, &shape, B, CAPACITY);
        run_pass(&pass, &gpt, ids, scored, CAPACITY);
        memcpy(nll, pass.nll, sizeof nll);
        real *grads = copy_reals(gpt.grads, gpt.tensors.total);
        const double all = root_mean_square(grads, gpt.tensors.total);
        run_pass(&pass, &gpt, ids, scored, SHORT);
        for (int b = 0; b < B; b++)
            for (int t = 0; t < SHORT; t++)
                if (scored[b][t])
                    expect_near(schemes[s]->name, (size_t)t, pass.nll[b * SHORT + t], nll[b * CAPACITY + t], 2e-5);
        for (int i = 0; i < gpt.tensors.count; i++) {
            const Tensor *t = &gpt.tensors.items[i];
            const double own = root_mean_square(grads + t->offset, t->count);
            const double typical = fmax(own, 1e-3 * all); // some gradients are sums that cancel to nothing
            expect_all_near(t->name, gpt.grads + t->offset, grads + t->offset, t->count, 1e-3 * typical);
        }
        // And back to the full length: nothing of the shorter one is left behind.
        run_pass(&pass, &gpt, ids, scored, CAPACITY);
        assert_memory_equal(nll, pass.nll, sizeof nll);
        assert_memory_equal(grads, gpt.grads, gpt.tensors.total * sizeof(real));
        free(grads);
        training_free(&gpt, &pass);
    }
}

// Rotations that are stretched in long windows alone turn as they do when shorter batches are examined.
static void shorter_batches_have_their_own_stretch(void **state) {
    const Shape shape = {.vocab = 31, .context = CAPACITY, .layers = 2, .heads = 2, .width = 16};
    int ids[B][CAPACITY + 1];
    bool scored[B][CAPACITY];
    double nll[2][B * SHORT];
    make_rows(ids, scored, shape.vocab);
    for (int stretched = 0; stretched < 2; stretched++) {
        const StretchRule rule = {.method = METHOD_DYNAMIC, .factor = 2, .original = SHORT, .growth = 2};
        Gpt gpt;
        TrainPass pass;
        training_make(&gpt, &pass, "rope", &shape, B, CAPACITY);
        if (stretched) gpt.pos.part[0].stretch = rule;
        run_pass(&pass, &gpt, ids, scored, SHORT);
        memcpy(nll[stretched], pass.nll, sizeof *nll);
        training_free(&gpt, &pass);
    }
    assert_memory_equal(nll[0], nll[1], sizeof *nll);
}

// --- the trainer ---

static TrainOptions options_of(const char *data) {
    TrainOptions options = {0};
    options_default(&options, train_options);
    snprintf(options.data, sizeof options.data, "%s", data);
    options.layers = 1;
    options.heads = 2;
    options.width = 16;
    options.context = 60;
    options.batch = 4;
    options.accumulate = 2;
    options.steps = 20;
    options.warmup = 2;
    options.lr = 1e-2;
    options.dropout = 0.1;
    return options;
}

static void start(Trainer *trainer, Corpus *corpus, const TrainOptions *options) {
    Error error;
    must(corpus_open(corpus, options->data, &error), &error);
    must(trainer_create(trainer, options, corpus, &error), &error);
}

static void finish(Trainer *trainer, Corpus *corpus) {
    trainer_free(trainer);
    corpus_close(corpus);
}

static void steps(Trainer *trainer, int count) {
    for (int i = 0; i < count; i++) {
        StepReport report;
        Error error;
        must(train_step(&report, trainer, &error), &error);
    }
}

// Mean over the answers of the exercises `first`.., each by a pass of its own over all of the context. Adds its
// gradient to the gradients.
static double direct_loss(Gpt *gpt, const BuiltinCorpus *task, uint64_t stream, uint64_t first, int count) {
    enum { T = 60, COUNT_MOST = 10 };
    static int inputs[COUNT_MOST][T], targets[COUNT_MOST][T];
    static bool scored[COUNT_MOST][T];
    TrainPass pass;
    Error error;
    double nll = 0;
    int tokens = 0;
    memset(inputs, 0, sizeof inputs);
    memset(scored, 0, sizeof scored);
    must(train_pass_create(&pass, gpt, 1, T, &error), &error);
    for (int i = 0; i < count; i++) {
        Exercise exercise = {0};
        const uint64_t index = first + (uint64_t)i;
        task_write(&exercise, task, stream, index, task_length(task, stream, index));
        exercise_row(inputs[i], targets[i], scored[i], &exercise, 256);
        exercise_free(&exercise);
        for (int t = 0; t < T; t++) tokens += scored[i][t];
    }
    for (int i = 0; i < count; i++) {
        for (int t = 0; t < T; t++) pass.dnll[t] = scored[i][t] ? (real)(1.0 / tokens) : 0;
        train_pass_embed(&pass, gpt, inputs[i]);
        train_pass_forward(&pass, gpt);
        train_pass_backward(&pass, gpt, inputs[i], targets[i]);
        for (int t = 0; t < T; t++) nll += scored[i][t] ? pass.nll[t] : 0;
    }
    train_pass_free(&pass);
    return nll / tokens;
}

// AdamW's first moments after one step of 8 rows (exercises of very different lengths) in so many batches; the counts
// go to `progress` and `tokens`.
static real *moments_after_a_step(const char *data, int batches, double *loss, Progress *progress, long long *tokens,
                                  size_t *count) {
    TrainOptions options = options_of(data);
    options.dropout = 0;
    options.batch = 8 / batches;
    options.accumulate = batches;
    Corpus corpus;
    Trainer trainer;
    StepReport report;
    Error error;
    start(&trainer, &corpus, &options);
    must(train_step(&report, &trainer, &error), &error);
    *loss = report.loss;
    *progress = trainer.progress;
    *tokens = trainer_tokens(&trainer);
    *count = trainer.gpt.tensors.total;
    real *moments = copy_reals(trainer.gpt.m, *count);
    finish(&trainer, &corpus);
    return moments;
}

static void expect_the_same_step(const char *data) {
    double loss, expected_loss;
    Progress progress, expected_progress;
    long long tokens, expected_tokens;
    size_t count;
    real *expected = moments_after_a_step(data, 1, &expected_loss, &expected_progress, &expected_tokens, &count);
    const double typical = root_mean_square(expected, count);
    for (int batches = 2; batches <= 8; batches *= 2) {
        real *moments = moments_after_a_step(data, batches, &loss, &progress, &tokens, &count);
        expect_near("loss", (size_t)batches, loss, expected_loss, 1e-6 * expected_loss);
        expect_all_near("moments", moments, expected, count, 1e-4 * typical);
        assert_int_equal(progress.rows, 8);
        assert_int_equal(progress.batch_crc, expected_progress.batch_crc);
        assert_int_equal(tokens, expected_tokens);
        free(moments);
    }
    free(expected);
}

static void a_step_does_not_depend_on_its_batches(void **state) {
    expect_the_same_step("builtin:copy:min=1,max=10");
    expect_the_same_step("builtin:tales:bytes=20000");
}

static void every_batch_draws_its_own(void **state) {
    const TrainOptions options = options_of("builtin:copy:max=10");
    Corpus corpus;
    Trainer trainer;
    start(&trainer, &corpus, &options);
    steps(&trainer, 1);
    const uint64_t dropout = trainer.pass.dropout_key, places = trainer.pass.places_key;
    steps(&trainer, 1);
    assert_true(trainer.pass.dropout_key != dropout && trainer.pass.places_key != places);
    assert_true(trainer.pass.dropout_key != trainer.pass.places_key);
    finish(&trainer, &corpus);
}

static void validation_is_of_other_exercises_and_always_the_same(void **state) {
    TrainOptions options = options_of("builtin:copy:max=10");
    options.eval_tokens = 520; // ten exercises of at most 52 tokens
    Corpus corpus;
    Trainer trainer;
    Validation one, again;
    Error error;
    start(&trainer, &corpus, &options);
    must(trainer_validate(&one, &trainer, &error), &error);
    trainer.batches.cursor += 1000;
    must(trainer_validate(&again, &trainer, &error), &error);
    assert_memory_equal(&one, &again, sizeof one);
    const uint64_t stream = task_stream(&corpus.builtin, "validation");
    const double expected = direct_loss(&trainer.gpt, &corpus.builtin, stream, 0, 10);
    expect_near("validation", 0, one.loss, expected, 1e-5 * expected);
    assert_true(one.right >= 0 && one.right <= 1);
    assert_int_not_equal(stream, trainer.batches.key);
    finish(&trainer, &corpus);
}

static void a_resumed_run_ends_with_the_same_bits(void **state) {
    char directory[SCRATCH_PATH], path[SCRATCH_PATH + 32];
    const TrainOptions options = options_of("builtin:flipflop:min=4,max=20");
    Corpus corpus, other_corpus;
    Trainer whole, half;
    Error error;
    scratch_make(directory);
    snprintf(path, sizeof path, "%s/state.safetensors", directory);
    start(&whole, &corpus, &options);
    steps(&whole, 3);
    must(state_save(path, &whole.gpt, &whole.progress, &error), &error);
    start(&half, &other_corpus, &options);
    must(trainer_load_state(&half, path, &error), &error);
    assert_int_equal(trainer_tokens(&half), trainer_tokens(&whole));
    steps(&whole, 3);
    steps(&half, 3);
    assert_memory_equal(half.gpt.params, whole.gpt.params, whole.gpt.tensors.total * sizeof(real));
    assert_memory_equal(half.gpt.v, whole.gpt.v, whole.gpt.tensors.total * sizeof(real));
    assert_int_equal(half.progress.rows, 6 * 8);
    assert_int_equal(half.progress.batch_crc, whole.progress.batch_crc);
    assert_int_equal(trainer_tokens(&half), trainer_tokens(&whole));
    finish(&whole, &corpus);
    finish(&half, &other_corpus);
    scratch_remove(directory);
}

// A state with a right checksum that training with these options never comes to: 8 rows a step, 2 batches of 4.
static void a_state_of_another_run_is_refused(void **state) {
    char directory[SCRATCH_PATH], path[SCRATCH_PATH + 32];
    TrainOptions options = options_of("builtin:copy:max=10");
    options.batch = 4;
    options.accumulate = 2;
    options.steps = 100;
    Corpus corpus;
    Trainer trainer;
    Error error;
    scratch_make(directory);
    snprintf(path, sizeof path, "%s/state.safetensors", directory);
    start(&trainer, &corpus, &options);
    static const struct {
        int64_t step, rows;
        bool right;
    } cases[] = {{3, 24, true},
                 {3, 25, false},
                 {3, 32, false},
                 {4, 24, false},
                 {0, 0, true},
                 {100, 800, true},
                 {101, 808, false},
                 {INT64_MAX, INT64_MAX, false},
                 {INT64_MAX / 8, INT64_MAX - 7, false}};
    const Progress own = trainer.progress;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Progress progress = {cases[i].step, cases[i].rows, 7, 1, own.seed, own.data_crc};
        must(state_save(path, &trainer.gpt, &progress, &error), &error);
        if (trainer_load_state(&trainer, path, &error) != cases[i].right) fail_msg("case %zu", i);
        if (!cases[i].right) assert_int_equal(error.kind, ERROR_INPUT);
        progress.seed++; // no state of another seed is right
        must(state_save(path, &trainer.gpt, &progress, &error), &error);
        assert_false(trainer_load_state(&trainer, path, &error));
        finish(&trainer, &corpus);
        start(&trainer, &corpus, &options);
    }
    finish(&trainer, &corpus);
    scratch_remove(directory);
}

static void tokens_are_counted_without_padding(void **state) {
    const TrainOptions options = options_of("builtin:offset:min=8,max=20");
    Corpus corpus;
    Trainer trainer;
    long long expected = 0;
    start(&trainer, &corpus, &options);
    for (uint64_t index = 0; index < 24; index++)
        expected += task_length(&corpus.builtin, trainer.batches.key, index) + 3; // the mark, '?' and the answer
    steps(&trainer, 3);
    assert_int_equal(trainer_tokens(&trainer), expected);
    finish(&trainer, &corpus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shorter_batches_give_what_padded_ones_give),
        cmocka_unit_test(shorter_batches_have_their_own_stretch),
        cmocka_unit_test(a_step_does_not_depend_on_its_batches),
        cmocka_unit_test(every_batch_draws_its_own),
        cmocka_unit_test(validation_is_of_other_exercises_and_always_the_same),
        cmocka_unit_test(a_resumed_run_ends_with_the_same_bits),
        cmocka_unit_test(a_state_of_another_run_is_refused),
        cmocka_unit_test(tokens_are_counted_without_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
