// Whether answers are right: one pass over an exercise finds what decoding token by token finds.
#include "train/evaluate.h"
#include "train/trainer.h"
#include "model/sample.h"
#include "tests/support/little_model.h"

static TrainOptions options_of(const char *data, const char *pos) {
    TrainOptions options = {0};
    options_default(&options, train_options);
    snprintf(options.data, sizeof options.data, "%s", data);
    snprintf(options.pos, sizeof options.pos, "%s", pos);
    options.layers = 1;
    options.heads = 2;
    options.width = 32;
    options.context = 80;
    options.steps = 400;
    options.warmup = 10;
    options.lr = 1e-2;
    return options;
}

typedef struct {
    Corpus corpus;
    TrainOptions options;
    Trainer trainer;
} Pupil;

// A model that has partly learned the task.
static void teach(Pupil *pupil, const char *data, const char *pos, int steps) {
    Error error;
    StepReport report;
    pupil->options = options_of(data, pos);
    must(corpus_open(&pupil->corpus, data, &error), &error);
    must(trainer_create(&pupil->trainer, &pupil->options, &pupil->corpus, &error), &error);
    for (int step = 0; step < steps; step++) must(train_step(&report, &pupil->trainer, &error), &error);
}

static void dismiss(Pupil *pupil) {
    trainer_free(&pupil->trainer);
    corpus_close(&pupil->corpus);
}

// Does the model, after the first `known` inputs of a row, continue with the `count` targets from there?
static bool decodes(const Gpt *gpt, const int *inputs, const int *targets, int known, int count) {
    enum { LONGEST = 200 };
    const int V = gpt->shape.vocab;
    Inference inference;
    Error error;
    Random random = {0, 0};
    static real logits[LONGEST * 257], scratch[257];
    must(inference_create(&inference, gpt, 1, known + count, known, &error), &error);
    inference_feed(&inference, gpt, inputs, known);
    inference_logits(logits, &inference, gpt, known);
    int id = sample_token(scratch, logits + (size_t)(known - 1) * (size_t)V, V, &(Sampling){0}, &random),
        right = id == targets[0];
    for (int i = 1; i < count; i++) {
        inference_feed(&inference, gpt, &id, 1); // what the model wrote, right or wrong
        inference_logits(logits, &inference, gpt, 1);
        id = sample_token(scratch, logits, V, &(Sampling){0}, &random);
        right += id == targets[i];
    }
    inference_free(&inference);
    return right == count;
}

static Answers decode_exercises(const Gpt *gpt, const Examination *e) {
    Answers answers = {0};
    Batches batches;
    Error error;
    int inputs[200], targets[200];
    bool scored[200];
    must(batches_start_task(&batches, &e->task, e->stream, e->end, &error), &error);
    for (int i = 0; i < e->count; i++) {
        const int n = batches_next(inputs, targets, scored, &batches, 1, &error);
        bool perfect = true;
        for (int t = 0; t < n; t++) {
            if (!scored[t] || (t > 0 && scored[t - 1])) continue;
            int count = 0;
            while (t + count < n && scored[t + count]) count++;
            const bool right = decodes(gpt, inputs, targets + t, t + 1, count);
            answers.questions++;
            answers.right += right;
            answers.tokens += (uint64_t)count;
            perfect = perfect && right;
        }
        answers.exercises++;
        answers.perfect += perfect;
    }
    batches_end(&batches);
    return answers;
}

static Examination examination_of(const Pupil *pupil, int count) {
    const BuiltinCorpus *task = &pupil->corpus.builtin;
    return (Examination){.task = *task, .stream = task_stream(task, "test"), .count = count, .end = 256};
}

static void one_pass_tells_what_decoding_tells(void **state) {
    static const struct {
        const char *data, *pos;
        int steps, count;
    } cases[] = {{"builtin:flipflop:min=4,max=12,ignore=0.3", "alibi", 60, 60},
                 {"builtin:copy:max=2", "rope", 120, 60},
                 {"builtin:parity:min=1,max=3", "learned", 60, 60}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        Pupil pupil;
        Error error;
        teach(&pupil, cases[c].data, cases[c].pos, cases[c].steps);
        const Examination e = examination_of(&pupil, cases[c].count);
        const Answers expected = decode_exercises(&pupil.trainer.gpt, &e);
        Answers found = {0};
        must(examine(&found, &pupil.trainer.gpt, &e, &error), &error);
        if (!(expected.right > 0 && expected.right < expected.questions))
            fail_msg("%s: %d of %d answers are right, which tells nothing", cases[c].data, (int)expected.right,
                     (int)expected.questions);
        assert_int_equal(found.exercises, expected.exercises);
        assert_int_equal(found.perfect, expected.perfect);
        assert_int_equal(found.questions, expected.questions);
        assert_int_equal(found.right, expected.right);
        assert_int_equal(found.tokens, expected.tokens);
        dismiss(&pupil);
    }
}

// The same exercises one by one and in large batches.
static void batches_do_not_matter(void **state) {
    enum { COUNT_ALL = 150 };
    Pupil pupil;
    Error error;
    teach(&pupil, "builtin:flipflop:min=2,max=12,ignore=0.3", "rope", 60);
    Examination e = examination_of(&pupil, COUNT_ALL);
    Answers all = {0}, sum = {0};
    must(examine(&all, &pupil.trainer.gpt, &e, &error), &error);
    for (int length = 2; length <= 12; length++) {
        Answers part = {0};
        for (uint64_t index = 0; index < COUNT_ALL; index++) {
            if (task_length(&e.task, e.stream, index) != length) continue;
            Examination one = e;
            one.task.min = one.task.max = length; // exercises 0 .. index of this length, then without the last
            Answers with = {0}, without = {0};
            one.count = (int)index + 1;
            must(examine(&with, &pupil.trainer.gpt, &one, &error), &error);
            one.count = (int)index;
            if (index > 0) must(examine(&without, &pupil.trainer.gpt, &one, &error), &error);
            part.questions += with.questions - without.questions;
            part.right += with.right - without.right;
            part.nll += with.nll - without.nll;
        }
        answers_add(&sum, &part);
    }
    assert_int_equal(sum.questions, all.questions);
    assert_int_equal(sum.right, all.right);
    expect_near("nll", 0, sum.nll, all.nll, 1e-4 * all.nll);
    dismiss(&pupil);
}

// A model of zeros finds all tokens equally likely, which does not count as an answer.
static void a_tie_is_no_right_answer(void **state) {
    Pupil pupil;
    Error error;
    Answers answers = {0};
    teach(&pupil, "builtin:copy:max=2", "rope", 0);
    Gpt *gpt = &pupil.trainer.gpt;
    memset(gpt->params, 0, gpt->tensors.total * sizeof *gpt->params);
    const Examination e = examination_of(&pupil, 20);
    must(examine(&answers, gpt, &e, &error), &error);
    assert_int_equal(answers.questions, 20);
    assert_int_equal(answers.right, 0);
    expect_near("nats", 0, answers.nll / (double)answers.tokens, log(257), 1e-5);
    dismiss(&pupil);
}

static void validation_s_share_is_that_of_right_answers(void **state) {
    Pupil pupil;
    Error error;
    Validation validation;
    teach(&pupil, "builtin:parity:min=1,max=3", "rope", 60);
    Examination e = examination_of(&pupil, 500);
    e.stream = task_stream(&e.task, "validation");
    const Answers expected = decode_exercises(&pupil.trainer.gpt, &e);
    must(trainer_validate(&validation, &pupil.trainer, &error), &error);
    expect_near("right", 0, validation.right, (double)expected.right / 500, 1e-12);
    dismiss(&pupil);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pass_tells_what_decoding_tells),
        cmocka_unit_test(batches_do_not_matter),
        cmocka_unit_test(validation_s_share_is_that_of_right_answers),
        cmocka_unit_test(a_tie_is_no_right_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
