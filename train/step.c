#include "train/step.h"

#include "base/progress.h"
#include "base/random.h"

// The next batch into inputs, targets and scored (B,T). Returns its number of rows, B*T, or 0 on failure.
static int read_batch(Trainer *trainer, Batches *batches, Error *error) {
    const int B = trainer->pass.B;
    return B * batches_next(trainer->inputs, trainer->targets, trainer->scored, batches, B, error);
}

static int count_scored(const Trainer *trainer, int rows) {
    int scored = 0;
    for (int r = 0; r < rows; r++) scored += trainer->scored[r];
    return scored;
}

// Set trainer->weight, the weight of each scored target of the next step, to 1 / their number: then the losses of the
// step's batches add up to its mean loss. With one batch, next_batch does it. In text all targets are scored. For a
// task they are counted by making the step's batches once in advance, from a copy of the cursor. The copy shares the
// memory of the current exercise with the original; that is safe, because every batch writes it anew.
static bool weigh_targets(Trainer *trainer, Error *error) {
    const int batches = (int)trainer->options->accumulate;
    const bool task = is_task(&trainer->corpus->builtin);
    Batches ahead = trainer->batches;
    double scored = task ? 0 : (double)batches * trainer->pass.B * ahead.T;
    for (int i = 0; task && batches > 1 && i < batches; i++) {
        const int rows = read_batch(trainer, &ahead, error);
        if (rows == 0) return false;
        scored += count_scored(trainer, rows);
    }
    trainer->weight = 1 / scored;
    return true;
}

// Where the first number that is not finite appeared: in the parameters, in the forward pass or in the backward pass.
static const char *first_nonfinite(char where[80], const Trainer *trainer) {
    const char *tensor = tensors_nonfinite(trainer->gpt.params, &trainer->gpt.tensors);
    const char *activation = train_pass_nonfinite(where, &trainer->pass, &trainer->gpt.shape);
    if (tensor)
        snprintf(where, 80, "the parameters %s", tensor);
    else if (!activation) {
        tensor = tensors_nonfinite(trainer->gpt.grads, &trainer->gpt.tensors);
        snprintf(where, 80, "%s%s", tensor ? "the gradient of " : "the sum of all squared gradients",
                 tensor ? tensor : "");
    }
    return where;
}

static bool check_finite(const StepReport *report, const Trainer *trainer, long long step, Error *error) {
    char where[80];
    return (isfinite(report->loss) && isfinite(report->gradient_norm)) ||
           fail_nonfinite(
               error,
               "step %lld: the loss is %g and the gradient's norm is %g (first in %s); start a new run with a "
               "smaller --lr, a longer --warmup or a smaller --clip",
               step, report->loss, fabs(report->gradient_norm), first_nonfinite(where, trainer));
}

static bool next_batch(Trainer *trainer, Error *error) {
    const uint64_t seed = (uint64_t)trainer->options->seed;
    TrainPass *pass = &trainer->pass;
    const int rows = read_batch(trainer, &trainer->batches, error);
    if (rows == 0) return false;
    if (trainer->options->accumulate == 1) trainer->weight = 1.0 / count_scored(trainer, rows);
    train_pass_resize(pass, rows / pass->B);
    for (int r = 0; r < rows; r++) pass->dnll[r] = trainer->scored[r] ? (real)trainer->weight : 0;
    pass->places_key = random_bits(random_key(seed, "positions"), trainer->batches.cursor);
    pass->dropout_key = random_bits(random_key(seed, "dropout"), trainer->batches.cursor);
    return true;
}

// After train_pass_backward, which leaves the losses: this batch's part of the step's mean loss.
static double batch_loss(const Trainer *trainer) {
    const TrainPass *pass = &trainer->pass;
    double sum = 0;
    for (int r = 0; r < pass->B * pass->T; r++)
        if (trainer->scored[r]) sum += pass->nll[r];
    return sum * trainer->weight;
}

// The gradient of the step's mean loss, in gpt->grads, which is 0 before.
static bool step_gradient(StepReport *report, Trainer *trainer, Error *error) {
    Gpt *gpt = &trainer->gpt;
    TrainPass *pass = &trainer->pass;
    if (!weigh_targets(trainer, error)) return false;
    for (long long batch = 0; batch < trainer->options->accumulate; batch++) {
        if (!next_batch(trainer, error)) return false; // inputs, targets, dnll (B,T)
        train_pass_embed(pass, gpt, trainer->inputs);
        train_pass_forward(pass, gpt);                                     // up to the input of the head
        train_pass_backward(pass, gpt, trainer->inputs, trainer->targets); // nll (B,T); adds to gpt->grads
        report->loss += batch_loss(trainer);
    }
    report->gradient_norm = gradient_norm(gpt);
    return true;
}

bool train_step(StepReport *report, Trainer *trainer, Error *error) {
    const TrainOptions *o = trainer->options;
    const AdamW adamw = {o->beta1, o->beta2, 1e-8, o->weight_decay, o->clip};
    const double start = clock_seconds();
    const long long tokens_before = trainer_tokens(trainer), step = (long long)trainer->progress.step + 1;
    *report = (StepReport){.validation = {NAN, NAN, NAN}};
    if (!step_gradient(report, trainer, error) || !check_finite(report, trainer, step, error)) return false;
    // adamw_step clips the gradient, moves the parameters, and clears the gradient for the next step.
    report->learning_rate = trainer_rate(trainer, step);
    adamw_step(&trainer->gpt, &adamw, report->learning_rate, report->gradient_norm, step);
    trainer->progress.step = step;
    trainer->progress.rows = (int64_t)trainer->batches.cursor;
    trainer->progress.batch_crc = trainer->batches.crc;
    report->tokens = trainer_tokens(trainer) - tokens_before;
    report->seconds = clock_seconds() - start;
    trainer->progress.seconds += report->seconds;
    return true;
}
