// What `bitter train` says of a run before its first step, and what --minutes chooses.
#include "base/interrupt.h"
#include "cmd/shared/arguments.h"
#include "cmd/train.h"
#include "lab/eval/ngram.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#define TIMED_SECONDS    0.5  // to spend on timed steps
#define TIMED_SHARE      20   // at most one step of the run in 20 is timed
#define TIMED_OPERATIONS 1e13 // with --minutes: the model for a training of this size shows how fast the machine is
#define VALIDATIONS      10   // with --minutes
#define HEADS_MOST       24   // with --minutes: 85 million parameters
#define LEAST_TEXT       2e4  // bytes of training text from which on recorded models are comparable

double step_tokens(const TrainOptions *o) {
    return (double)(o->batch * o->accumulate * o->context);
}

// A validation is a third of the work of training on its tokens: it has no backward pass.
static double validation_seconds(const TrainOptions *o, double step, const Corpus *corpus) {
    return (double)split_limit(&corpus->val, o->eval_tokens) / step_tokens(o) * step / 3;
}

// Set sizes that were not given to those of a model with H heads of 32 channels. The learning rate is near those that
// recorded comparisons chose for up to 400 thousand parameters, and that others use for ten million.
static bool set_size(TrainOptions *o, const bool *given, int H, Error *error) {
    static const char *const names[] = {"layers", "heads", "width", "context", "batch", "lr"};
    const int L = H < 2 ? 2 : H < 7 ? 2 * H - 2 : 12, C = 32 * H, T = H < 3 ? 128 : H < 5 ? 256 : 512;
    const double sizes[] = {L, H, C, T, 16};
    char text[TEXT_CAPACITY];
    bool ok = true;
    for (int i = 0; ok && i < 6; i++) {
        // The rate comes last, because it depends on the sizes, whoever chose them.
        const double rate = 2.8 / ((double)o->width * sqrt(12.0 * (double)o->layers));
        snprintf(text, sizeof text, "%.3g", i < 5 ? sizes[i] : rate);
        ok = option_given(train_options, given, names[i]) ||
             option_set(o, option_find(train_options, names[i]), text, "--minutes", error);
    }
    // A large model's rate is below the default of --min-lr, which then keeps the defaults' share of it.
    if (!option_given(train_options, given, "lr") && !option_given(train_options, given, "min-lr"))
        o->min_lr = fmin(1e-4, o->lr / 10);
    return ok;
}

bool choose_size(TrainOptions *options, const bool *given, double operations, const Corpus *corpus, Error *error) {
    double largest = 0; // parameters so far
    Error ignored;
    for (int H = 1; H <= HEADS_MOST; H++) {
        TrainOptions o = *options;
        Mix pos;
        Error *reason = H == 1 ? error : &ignored; // where no size works, the smallest's is reported
        if (!set_size(&o, given, H, reason) || !trainer_check(&pos, &o, corpus->tokenizer.vocab_size, reason)) continue;
        const double parameters = (double)gpt_parameters(&pos.shape), tokens = TOKENS_PER_PARAMETER * parameters;
        const bool fits = tokens * gpt_operations(&pos.shape, &pos, (int)o.context) <= operations &&
                          tokens <= PASSES * (double)corpus->train.count;
        if (largest > 0 && (!fits || parameters <= largest)) continue;
        *options = o;
        mix_print(&pos, options->pos); // with every option of the schemes
        largest = parameters;
    }
    return largest > 0;
}

void choose_steps(TrainOptions *o, const bool *given, double minutes, double seconds, const Corpus *corpus) {
    const double all = 60 * minutes, left = all - VALIDATIONS * validation_seconds(o, seconds, corpus);
    const double most = PASSES * (double)corpus->train.count / step_tokens(o);
    // Where validations on all --eval-tokens leave less, those on a tenth of the run's tokens leave three quarters.
    o->steps = (long long)fmax(1, fmin(fmax(left, 0.75 * all) / seconds, most));
    const long long part = (o->steps + VALIDATIONS - 1) / VALIDATIONS, tokens = part * (long long)step_tokens(o);
    if (!option_given(train_options, given, "warmup")) o->warmup = part;
    if (!option_given(train_options, given, "eval-every")) o->eval_every = part;
    if (!option_given(train_options, given, "eval-tokens") && o->eval_tokens > tokens) o->eval_tokens = tokens;
}

// The learning rate is 0, so that the model cannot diverge. The first step, which waits for memory and threads, counts
// only if it is the only one.
bool time_step(double *seconds, double *speed, const TrainOptions *options, const Corpus *corpus, Error *error) {
    TrainOptions o = *options;
    Trainer trainer;
    bool ok;
    double sum = 0;
    long long n = 0;
    Stop stop = stop_at_signal;
    stop.advice = "no run was begun";
    o.lr = o.min_lr = 0;
    if (!trainer_create(&trainer, &o, corpus, error)) return false;
    do {
        StepReport report;
        ok = train_step(&report, &trainer, error) && stop_check(&stop, error);
        if (n > 0) sum += report.seconds;
        *seconds = n > 0 ? sum / (double)n : report.seconds;
    } while (ok && n++ < o.steps / TIMED_SHARE && sum < TIMED_SECONDS);
    *speed = step_tokens(&o) * gpt_operations(&trainer.gpt.shape, &trainer.gpt.pos, (int)o.context) / *seconds;
    trainer_free(&trainer);
    return ok;
}

// Print the command that trains the same run without measuring anything.
static void print_command(const TrainOptions *options) {
    TrainOptions presets;
    char value[TEXT_CAPACITY], preset[TEXT_CAPACITY], quoted[QUOTED_CAPACITY];
    options_default(&presets, train_options);
    presets.eval_every = -1; // it depends on the steps, so it is always printed
    printf("again   %s train", called_as);
    for (const Option *o = train_options; (o = options_difference(value, preset, o, options, &presets)); o++)
        if (strcmp(o->name, "out") != 0) printf(" --%s %s", o->name, shell_quoted(quoted, value));
    printf("\n");
}

bool train_forecast(TrainOptions *o, const bool *given, double minutes, const Corpus *corpus, Error *error) {
    const bool task = is_task(&corpus->builtin);
    double step, speed;
    if (minutes > 0 && task)
        return fail_input(error, "--minutes chooses a size for a text, but %s is a task; give --steps", corpus->name);
    if (o->resume || o->steps < TIMED_SHARE) return true;
    if ((minutes > 0 && !choose_size(o, given, TIMED_OPERATIONS, corpus, error)) ||
        !time_step(&step, &speed, o, corpus, error))
        return false;
    if (minutes > 0) {
        if (!choose_size(o, given, 60 * minutes * speed, corpus, error) || !time_step(&step, &speed, o, corpus, error))
            return false;
        choose_steps(o, given, minutes, step, corpus);
        const Shape shape = sizes_of(o, corpus->tokenizer.vocab_size);
        const size_t parameters = gpt_parameters(&shape);
        const double tokens = (double)o->steps * step_tokens(o) / (double)parameters;
        printf("size    %zu parameters, %s for %g minutes on this text: each sees %.3g tokens (usual: %d)\n",
               parameters, tokens < ENOUGH_TOKENS * TOKENS_PER_PARAMETER ? "too many" : "chosen", minutes, tokens,
               TOKENS_PER_PARAMETER);
        print_command(o);
    }
    const long long validations = o->eval_every > 0 ? o->steps / o->eval_every : 1;
    const double needed = ((double)o->steps * step + (double)validations * validation_seconds(o, step, corpus)) / 60;
    const int threads = omp_get_max_threads();
    printf("time    about %.*f minutes with %d thread%s", needed < 10, fmax(needed, 0.1), threads,
           threads == 1 ? "" : "s");
    const double all = (double)o->steps * step_tokens(o), passes = all / (double)corpus->train.count;
    if (!task) printf(passes < 10 ? ", passes over the text: %.2g" : ", passes over the text: %.0f", passes);
    printf("; measured just now, and longer if the machine gets busier\n");
    if (!task && passes > PASSES)
        printf(
            "text    small: each of its %.0f training tokens is seen %.0f times. After some %d times, a model may know "
            "a text by heart (overfit); have %.0f thousand tokens or more, or give fewer --steps\n",
            (double)corpus->train.count, passes, PASSES, ceil(all / PASSES / 1000));
    return true;
}

void print_perplexities(const char *label, const Corpus *corpus, long long limit, long long context, double run) {
    static double unigram, bigram; // 0 = not yet counted
    Error ignored;                 // without memory for counts, nothing is printed
    limit = ngram_limit(limit, context);
    if (is_task(&corpus->builtin) || (unigram == 0 && !ngram_losses(&unigram, &bigram, corpus, limit, &ignored)))
        return;
    const double good = exp(fmin(unigram, bigram));
    printf("%s perplexity: unigram %.2f", label, exp(unigram));
    if (!isnan(bigram)) printf(", bigram %.2f", exp(bigram));
    if (!isnan(run))
        printf(", this run %.2f (%s)", run,
               run < good           ? isnan(bigram) ? "better" : "better than both"
               : run < exp(unigram) ? "in between"
                                    : "worse");
    // Of RoPE after 20 bytes for each parameter, runs/baseline/experiment-full/ladder. There is no record to compare
    // with other tokens, generated text, another language or a text of a few pages.
    const bool enough = corpus->train.count >= LEAST_TEXT, prose = exp(unigram) > 18 && exp(unigram) < 28;
    if (corpus->tokenizer.kind == TOKENIZER_BYTES && !is_builtin(corpus->name) && enough && prose)
        printf("; at a guess, a good model: 5.4 to 3.5, as those of 59k to 399k parameters on War and Peace");
    printf("\n");
}
