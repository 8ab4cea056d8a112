#include "lab/run/trainer.h"

#include "base/progress.h"
#include "base/random.h"
#include "lab/eval/answers.h"
#include "lab/eval/evaluate.h"
#include "lab/run/stretch_json.h"
#include "model/base/team.h"

#include <stdlib.h>

#define VALIDATION_EXERCISES 500 // at most

int threads_use(long long threads) {
    int count = threads > 0 ? (int)threads : omp_get_max_threads();
    if (count > gemm_threads_most()) count = gemm_threads_most();
    if (count > omp_get_thread_limit()) count = omp_get_thread_limit(); // OpenBLAS would wait for the missing ones
    omp_set_dynamic(0);
    omp_set_num_threads(count);
    return count;
}

PlaceRule place_rule(const Tokenizer *tokenizer) {
    return (PlaceRule){tokenizer_newline(tokenizer), tokenizer_end(tokenizer)};
}

bool trainer_check(Position *pos, const TrainOptions *options, int vocab, Error *error) {
    const Shape shape = shape_of(options, vocab);
    if (options->stretch.rule.original > 0 && options->random_positions > 0)
        return fail_input(
            error, "--random-positions %lld: the rotations are stretched for windows of one length; leave it out",
            options->random_positions);
    // The shape before the scheme, which looks at the head width.
    return train_options_check(options, error) && shape_check(&shape, error) &&
           position_create(pos, options->pos, &shape, error) &&
           stretch_apply(pos, &options->stretch.rule, options->resume ? options->out : options->init, error);
}

static bool start_text(Trainer *trainer, int T, Error *error) {
    const Corpus *corpus = trainer->corpus;
    if (corpus->val.count < (uint64_t)T + 1)
        return fail_input(
            error,
            "%s has %llu validation tokens, but one window of %d and its last target need %d; give more text or "
            "a smaller --context",
            corpus->name, (unsigned long long)corpus->val.count, T, T + 1);
    return batches_start(&trainer->batches, &corpus->train, corpus->name, T, (uint64_t)trainer->options->seed, error);
}

static bool start_task(Trainer *trainer, int T, Error *error) {
    const BuiltinCorpus *task = &trainer->corpus->builtin;
    const int longest = task_tokens(task, (int)task->max);
    if (longest > T)
        return fail_input(
            error,
            "%s: exercises of %lld %s get %d tokens long, but --context is %d; give --context %d or more, "
            "or a smaller max",
            trainer->corpus->name, task->max, task->builtin->counts, longest, T, longest);
    const uint64_t stream = random_bits(task_stream(task, "train"), (uint64_t)trainer->options->seed);
    return batches_start_task(&trainer->batches, task, stream, tokenizer_end(&trainer->corpus->tokenizer), error);
}

bool trainer_create(Trainer *trainer, const TrainOptions *options, const Corpus *corpus, Error *error) {
    *trainer = (Trainer){.options = options, .corpus = corpus};
    const Shape shape = shape_of(options, corpus->tokenizer.vocab_size);
    Position pos;
    if (!trainer_check(&pos, options, shape.vocab, error)) return false;
    pos.rule = place_rule(&corpus->tokenizer);
    const int B = (int)options->batch, T = shape.context;
    bool ok = (is_task(&corpus->builtin) ? start_task(trainer, T, error) : start_text(trainer, T, error)) &&
              gpt_create(&trainer->gpt, &shape, &pos, true, error) &&
              train_pass_create(&trainer->pass, &trainer->gpt, B, T, error);
    if (ok) {
        trainer->inputs = malloc((size_t)B * (size_t)T * sizeof(int));
        trainer->targets = malloc((size_t)B * (size_t)T * sizeof(int));
        trainer->scored = malloc((size_t)B * (size_t)T * sizeof(bool));
        ok = (trainer->inputs && trainer->targets && trainer->scored) ||
             fail_run(error, "no memory for a batch of %d x %d tokens", B, T);
    }
    if (!ok) {
        trainer_free(trainer);
        return false;
    }
    gpt_init(&trainer->gpt, (uint64_t)options->seed);
    trainer->pass.dropout_rate = options->dropout;
    return true;
}

void trainer_free(Trainer *trainer) {
    batches_end(&trainer->batches);
    train_pass_free(&trainer->pass);
    gpt_free(&trainer->gpt);
    free(trainer->inputs);
    free(trainer->targets);
    free(trainer->scored);
}

static int count_scored(const bool *scored, int rows) {
    int counted = 0;
    for (int r = 0; r < rows; r++) counted += scored[r];
    return counted;
}

// Set *counted to the number of targets of the next step that count, or to 0 when its only batch will tell. In text all
// of them do. A task's exercises are written ahead for it, from a copy of the cursor; copy and original share the
// memory of the exercise at work, which is written anew for each.
static bool scored_in_step(double *counted, Trainer *trainer, Error *error) {
    const long long batches = trainer->options->accumulate;
    const bool task = is_task(&trainer->corpus->builtin);
    const int B = trainer->pass.B;
    Batches ahead = trainer->batches;
    *counted = task ? 0 : (double)batches * B * ahead.T;
    if (!task || batches == 1) return true;
    for (long long i = 0; i < batches; i++) {
        const int T = batches_next(trainer->inputs, trainer->targets, trainer->scored, &ahead, B, error);
        if (T == 0) return false;
        *counted += count_scored(trainer->scored, B * T);
    }
    return true;
}

// Forward and backward of one batch, in which each of the step's `counted` targets weighs the same: their mean loss is
// added to *loss, its gradient to the gradients.
static bool accumulate(double *loss, Trainer *trainer, double counted, Error *error) {
    TrainPass *pass = &trainer->pass;
    const bool *scored = trainer->scored;
    const int T = batches_next(trainer->inputs, trainer->targets, trainer->scored, &trainer->batches, pass->B, error);
    if (T == 0) return false;
    const int rows = pass->B * T;
    const double share = 1 / (counted > 0 ? counted : count_scored(scored, rows));
    train_pass_resize(pass, T);
    pass->places_key = random_bits(random_key((uint64_t)trainer->options->seed, "positions"), trainer->batches.cursor);
    pass->dropout_key = random_bits(random_key((uint64_t)trainer->options->seed, "dropout"), trainer->batches.cursor);
    for (int r = 0; r < rows; r++) pass->dnll[r] = scored[r] ? (real)share : 0;
    train_pass_embed(pass, &trainer->gpt, trainer->inputs);
    train_pass_forward(pass, &trainer->gpt, trainer->targets, true);
    train_pass_backward(pass, &trainer->gpt, trainer->inputs);
    double sum = 0;
    for (int r = 0; r < rows; r++)
        if (scored[r]) sum += pass->nll[r];
    *loss += sum * share;
    return true;
}

// Where a number that is not finite came up first: in the parameters, on the way down, or on the way back up.
static const char *first_nonfinite(char where[80], const Trainer *trainer) {
    const char *tensor = tensors_nonfinite(trainer->gpt.params, &trainer->gpt.tensors);
    const char *activation = train_pass_nonfinite(where, &trainer->pass, &trainer->gpt.shape);
    if (tensor)
        snprintf(where, 80, "the parameters %s", tensor);
    else if (!activation) {
        tensor = tensors_nonfinite(trainer->gpt.grads, &trainer->gpt.tensors);
        snprintf(where, 80, "the gradient of %s", tensor ? tensor : "nothing: their squares add up to infinity");
    }
    return where;
}

bool trainer_step(StepReport *report, Trainer *trainer, Error *error) {
    const TrainOptions *o = trainer->options;
    Gpt *gpt = &trainer->gpt;
    const double start = clock_seconds();
    const long long tokens = trainer_tokens(trainer);
    *report = (StepReport){0};
    double counted;
    if (!scored_in_step(&counted, trainer, error)) return false;
    for (long long i = 0; i < o->accumulate; i++)
        if (!accumulate(&report->loss, trainer, counted, error)) return false;
    report->gradient_norm = gradient_norm(gpt);
    const long long step = (long long)trainer->progress.step + 1;
    if (!isfinite(report->loss) || !isfinite(report->gradient_norm)) {
        char where[80];
        return fail_nonfinite(
            error,
            "step %lld: the loss is %g and the gradient's norm is %g (first in %s); start a new run with a "
            "smaller --lr, a longer --warmup or a smaller --clip",
            step, report->loss, fabs(report->gradient_norm), first_nonfinite(where, trainer));
    }
    report->learning_rate = cosine_schedule(step - 1, o->steps, o->warmup, o->lr, o->min_lr);
    const AdamW adamw = {o->beta1, o->beta2, 1e-8, o->weight_decay, o->clip};
    adamw_step(gpt, &adamw, report->learning_rate, report->gradient_norm, step);
    report->seconds = clock_seconds() - start;
    trainer->progress.step = step;
    trainer->progress.rows = (int64_t)trainer->batches.cursor;
    trainer->progress.batch_crc = trainer->batches.crc;
    trainer->progress.seconds += report->seconds;
    report->tokens = trainer_tokens(trainer) - tokens;
    return true;
}

static bool validate_text(Validation *validation, const Trainer *trainer, Error *error) {
    const int T = trainer->gpt.shape.context;
    Evaluation evaluation = {.window = T, .stride = T, .limit = (uint64_t)trainer->options->eval_tokens};
    if (evaluation.limit > 0 && evaluation.limit < (uint64_t)T + 1) evaluation.limit = (uint64_t)T + 1;
    char name[PATH_CAPACITY + 32];
    snprintf(name, sizeof name, "%s (validation)", trainer->corpus->name);
    if (!evaluate(&evaluation, &trainer->gpt, &trainer->corpus->val, name, NULL, NULL, error)) return false;
    *validation = (Validation){evaluation.nll / (double)evaluation.tokens, NAN};
    return true;
}

// As many exercises as --eval-tokens surely holds, but not so many that training waits for them.
static bool validate_task(Validation *validation, const Trainer *trainer, Error *error) {
    const BuiltinCorpus *task = &trainer->corpus->builtin;
    const long long wanted = trainer->options->eval_tokens / task_tokens(task, (int)task->max);
    const bool all = trainer->options->eval_tokens == 0 || wanted > VALIDATION_EXERCISES;
    const Examination examination = {.task = *task,
                                     .stream = task_stream(task, "validation"),
                                     .count = all          ? VALIDATION_EXERCISES
                                              : wanted > 0 ? (int)wanted
                                                           : 1,
                                     .end = tokenizer_end(&trainer->corpus->tokenizer)};
    Answers answers = {0};
    if (!examine(&answers, &trainer->gpt, &examination, error)) return false;
    *validation = (Validation){answers.nll / (double)answers.tokens, (double)answers.right / (double)answers.questions};
    return true;
}

bool trainer_validate(Validation *validation, const Trainer *trainer, Error *error) {
    const bool task = is_task(&trainer->corpus->builtin);
    if (!(task ? validate_task(validation, trainer, error) : validate_text(validation, trainer, error))) return false;
    return isfinite(validation->loss) ||
           fail_nonfinite(error,
                          "step %lld: the validation loss is not a finite number; try a smaller --lr "
                          "or a longer --warmup in a new run",
                          (long long)trainer->progress.step);
}

bool trainer_save_state(const Trainer *trainer, const char *path, Error *error) {
    return state_save(path, &trainer->gpt, &trainer->progress, error);
}

bool trainer_load_state(Trainer *trainer, const char *path, Error *error) {
    const TrainOptions *o = trainer->options;
    const Progress *p = &trainer->progress;
    if (!state_load(path, &trainer->gpt, &trainer->progress, error)) return false;
    const int64_t rows = (int64_t)(o->batch * o->accumulate); // of a step
    if (p->step > o->steps || p->rows % rows != 0 || p->rows / rows != p->step)
        return fail_input(
            error,
            "%s is at step %lld and row %lld, but the run has %lld steps of %lld rows; the file is damaged "
            "or of another run",
            path, (long long)p->step, (long long)p->rows, o->steps, (long long)rows);
    batches_resume(&trainer->batches, (uint64_t)trainer->progress.rows, (uint32_t)trainer->progress.batch_crc);
    return true;
}

long long trainer_tokens(const Trainer *trainer) {
    if (is_task(&trainer->corpus->builtin)) return (long long)trainer->batches.exercise_tokens;
    return (long long)trainer->progress.rows * trainer->gpt.shape.context;
}
