#include "train/step.h"

#include "base/progress.h"
#include "base/random.h"

// The learning rate of a step: linear warm-up and cosine decay, from the first step or from o->cosine_from on.
static double rate_of(const TrainOptions *o, long long step) {
    return cosine_schedule(step - 1 - o->cosine_from, o->steps - o->cosine_from, o->warmup, o->lr, o->min_lr);
}

long long trainer_tokens(const Trainer *trainer) {
    if (is_task(&trainer->corpus->builtin)) return (long long)trainer->batches.exercise_tokens;
    return (long long)trainer->progress.rows * trainer->gpt.shape.context;
}

// The next batch: inputs, targets and scored (B,T); the weight of each target's loss in the step's mean loss, dnll,
// which is 0 where it is not scored; and the keys of what is drawn at random, dropout and random positions.
static bool next_batch(Trainer *trainer, Error *error) {
    const uint64_t seed = (uint64_t)trainer->options->seed;
    TrainPass *pass = &trainer->pass;
    Batches *batches = &trainer->batches;
    const int T = batches_next(trainer->inputs, trainer->targets, trainer->scored, batches, pass->B, error);
    if (T == 0) return false;
    train_pass_resize(pass, T);
    int scored = 0;
    for (int r = 0; r < pass->B * T; r++) scored += trainer->scored[r];
    if (trainer->options->accumulate == 1) trainer->weight = 1.0 / scored;
    for (int r = 0; r < pass->B * T; r++) pass->dnll[r] = trainer->scored[r] ? (real)trainer->weight : 0;
    pass->places_key = random_bits(random_key(seed, "positions"), batches->cursor);
    pass->dropout_key = random_bits(random_key(seed, "dropout"), batches->cursor);
    return true;
}

// This batch's part of the step's mean loss, from the losses that train_pass_backward has left.
static double batch_loss(const Trainer *trainer) {
    const TrainPass *pass = &trainer->pass;
    double sum = 0;
    for (int r = 0; r < pass->B * pass->T; r++)
        if (trainer->scored[r]) sum += pass->nll[r];
    return sum * trainer->weight;
}

bool train_step(StepReport *report, Trainer *trainer, Error *error) {
    const TrainOptions *o = trainer->options;
    const AdamW adamw = {o->beta1, o->beta2, 1e-8, o->weight_decay, o->clip};
    const double start = clock_seconds();
    const long long tokens_before = trainer_tokens(trainer), step = (long long)trainer->progress.step + 1;
    Gpt *gpt = &trainer->gpt;
    TrainPass *pass = &trainer->pass;
    *report = (StepReport){.validation = {NAN, NAN, NAN}};

    step_weigh(trainer);
    for (long long batch = 0; batch < o->accumulate; batch++) {
        if (!next_batch(trainer, error)) return false; // inputs, targets, dnll (B,T)
        train_pass_embed(pass, gpt, trainer->inputs);
        train_pass_forward(pass, gpt);                                     // up to the input of the head
        train_pass_backward(pass, gpt, trainer->inputs, trainer->targets); // nll (B,T); adds to gpt->grads
        report->loss += batch_loss(trainer);
        if (!isfinite(report->loss)) break; // while this batch's activations can still show where
    }
    report->gradient_norm = gradient_norm(gpt);
    if (!step_check_finite(trainer, report, step, error)) return false;
    // Clips the gradient, moves the parameters, and clears the gradient for the next step.
    report->learning_rate = rate_of(o, step);
    adamw_step(gpt, &adamw, report->learning_rate, report->gradient_norm, step);

    trainer->progress.step = step;
    trainer->progress.rows = (int64_t)trainer->batches.cursor;
    trainer->progress.batch_crc = trainer->batches.crc;
    report->tokens = trainer_tokens(trainer) - tokens_before;
    report->seconds = clock_seconds() - start;
    trainer->progress.seconds += report->seconds;
    return true;
}
