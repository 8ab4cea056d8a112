#include "cmd/train/train.h"

#include "base/file/text.h"
#include "lab/eval/generate.h"

#include <math.h>
#include <stdio.h>

#define SAMPLE_TOKENS 200

// So many validations without a lower loss are worth a warning, and twice, 4 times ... as many again.
#define STALE_WARNING 5

// A sample that fails prints its error, and training continues.
static void print_sample(const Trainer *trainer, long long step) {
    Generation generation = {.prompt = "",
                             .tokens = SAMPLE_TOKENS,
                             .sampling.temperature = 0.8,
                             .sampling.top_k = 50,
                             .context = trainer->gpt.shape.context,
                             .random = {random_key((uint64_t)trainer->options->seed, "sample"), 0}};
    Error error;
    printf("--- sample at step %lld\n", step);
    if (!generate(stdout, &trainer->gpt, &trainer->corpus->tokenizer, &generation, &error)) printf("%s", error.message);
    printf("\n---\n");
    fflush(stdout);
}

static void print_validation(const Trainer *trainer, const StepReport *report) {
    const Validation *validation = &report->validation;
    printf("step %6lld  train %.4f  val %.4f  perplexity %.3f", (long long)trainer->progress.step, report->loss,
           validation->loss, exp(validation->loss));
    if (!isnan(validation->bits)) printf("  bits per byte %.4f", validation->bits);
    if (!isnan(validation->right)) printf("  right %.1f%%", 100 * validation->right);
    printf("  %.0f tokens/s\n", (double)trainer_tokens(trainer) / trainer->progress.seconds);
    fflush(stdout);
}

bool train_finished(const Trainer *trainer) {
    return trainer->progress.step >= trainer->options->steps || trainer_out_of_patience(trainer);
}

// Warn after 5, 10, 20, 40 ... validations above the best. With --patience, the user knows; after the last step, there
// is nothing to end.
static void warn_of_rise(const Trainer *trainer, double loss) {
    const Best *best = &trainer->best;
    const long long stale = trainer->stale, times = stale / STALE_WARNING;
    const bool due = stale > 0 && stale % STALE_WARNING == 0 && (times & (times - 1)) == 0;
    if (!due || train_finished(trainer) || trainer->options->patience > 0 || !(loss > STALE_RISE * best->loss)) return;
    fprintf(stderr,
            "bitter train: the last %lld validations have found no loss below that of step %lld, which was %.4f; it is "
            "%.4f now. best.safetensors keeps the weights of that step; --patience N would end the training\n",
            stale, (long long)best->step, best->loss, loss);
}

bool train_show_step(void *line, Trainer *trainer, StepReport *report, Error *error) {
    const TrainOptions *o = trainer->options;
    const long long step = (long long)trainer->progress.step;
    if (!isnan(report->validation.loss)) {
        progress_clear(line);
        print_validation(trainer, report);
        warn_of_rise(trainer, report->validation.loss);
    }
    progress_show(line, (double)step, "step %lld/%lld  loss %.4f", step, o->steps, report->loss);
    if (o->sample_every > 0 && step % o->sample_every == 0) {
        progress_clear(line);
        print_sample(trainer, step);
    }
    report->stop = interrupt_came() || trainer_out_of_patience(trainer);
    return true;
}

// One nat is room for noise. A run has learned nothing if its last loss is that far above the loss of guessing and not
// below the first one; a run that starts from --init on another text may begin worse than guessing. A run has unlearned
// if the mean loss of its last part is that far above that of an earlier part.
bool train_check_learning(const Trainer *trainer, const RunPaths *paths, Error *error) {
    const double guessing = log(trainer->corpus->tokenizer.vocab_size);
    char reason[TEXT_CAPACITY] = "";
    LogLosses losses;
    if (!log_losses(&losses, paths->log, error)) return false;
    if (losses.last > guessing + 1 && losses.last >= losses.first)
        snprintf(reason, sizeof reason, "its last training loss is %.4g nats, where guessing has %.4g", losses.last,
                 guessing);
    else if (losses.final > losses.lowest + 1)
        snprintf(reason, sizeof reason,
                 "the mean training loss of its last %lld steps is %.4g nats, and was %.4g up to step %lld",
                 losses.part, losses.final, losses.lowest, losses.lowest_step);
    return !*reason ||
           fail_nonfinite(error,
                          "%s diverged: %s; its best weights, those of step %lld, are %s" RUN_BEST
                          "; start a new run with a smaller --lr or a longer --warmup",
                          trainer->options->out, reason, (long long)trainer->best.step, trainer->options->out);
}

// Returns whether other weights than the last are the best.
static bool print_best(const Trainer *trainer) {
    const Best *best = &trainer->best;
    if (best->step == 0 || best->step == trainer->progress.step) return false;
    printf("best    was step %lld: validation loss %.4f, perplexity %.3f; its weights are %s" RUN_BEST "\n",
           (long long)best->step, best->loss, exp(best->loss), trainer->options->out);
    return true;
}

void train_show_end(const Trainer *trainer) {
    const TrainOptions *o = trainer->options;
    const long long step = (long long)trainer->progress.step;
    char out[QUOTED_CAPACITY], weights[QUOTED_CAPACITY], name[TEXT_CAPACITY + sizeof RUN_BEST];
    shell_quoted(out, o->out);
    if (!train_finished(trainer)) {
        printf("interrupted after step %lld and saved; continue with\n  ", step);
        printf("bitter train --resume --out %s\n", out);
        return;
    }
    if (step < o->steps)
        printf("stopped after step %lld of %lld (--patience %lld): no loss below that of step %lld since then\n", step,
               o->steps, o->patience, (long long)trainer->best.step);
    printf("done    %s  (batches' CRC-32 %08llx)\n", o->out, (unsigned long long)trainer->progress.batch_crc);
    snprintf(name, sizeof name, "%s%s", o->out, print_best(trainer) ? RUN_BEST : "");
    shell_quoted(weights, name);
    printf("next    bitter eval %s%s\n", weights, is_task(&trainer->corpus->builtin) ? " --task" : "");
    if (trainer->corpus->tokenizer.kind != TOKENIZER_NONE) printf("        bitter sample %s\n", weights);
    printf("        bitter report %s\n", out);
}
