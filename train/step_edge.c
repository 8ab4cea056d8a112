// The weight of a step's targets, and numbers that are not finite.
#include "train/step.h"

#include <stdio.h>

// In text all targets are scored. Those of a task are counted by making the step's batches once in advance, from a copy
// of the cursor. The copy shares the memory of the current exercise with the original. That is safe because this memory
// has room for the longest exercise and so is never moved.
void step_weigh(Trainer *trainer) {
    const int count = (int)trainer->options->accumulate, B = trainer->pass.B;
    const bool task = is_task(&trainer->corpus->builtin);
    if (task && count == 1) return; // next_batch counts the targets of a single batch
    Batches ahead = trainer->batches;
    double scored = task ? 0 : (double)count * B * ahead.T;
    for (int i = 0; task && i < count; i++) {
        Error none; // exercises never fail
        const int T = batches_next(trainer->inputs, trainer->targets, trainer->scored, &ahead, B, &none);
        for (int r = 0; r < B * T; r++) scored += trainer->scored[r];
    }
    trainer->weight = 1 / scored;
}

bool step_check_finite(const Trainer *trainer, const StepReport *report, long long step, Error *error) {
    char where[80];
    if (isfinite(report->loss) && isfinite(report->gradient_norm)) return true;
    char why[WRITTEN_WHY];
    const int span = mix_span(&trainer->gpt.pos);
    if (mix_finite_length(why, &trainer->gpt.pos, span) < span)
        return fail_nonfinite(error, "step %lld: %s; a bound such as `> 0` protects a parameter, or a smaller --lr",
                              step, why);
    const char *tensor = tensors_nonfinite(trainer->gpt.grads, &trainer->gpt.tensors);
    if (!train_pass_nonfinite(where, &trainer->pass, &trainer->gpt.shape))
        snprintf(where, sizeof where, "the gradient of %s", tensor ? tensor : "all");
    return fail_nonfinite(
        error,
        "step %lld: the loss is %g and the gradient's norm is %g (first in %s); start a new run with a "
        "smaller --lr, a longer --warmup or a smaller --clip",
        step, report->loss, fabs(report->gradient_norm), where);
}
