#include "lab/compare/measure.h"

#include "base/file/crc.h"
#include "lab/stats/statistics.h"
#include "train/evaluate.h"
#include "train/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_TOKENS 4096 // tokens that are scored again with more text before them
#define LENGTHS_MOST   20   // different lengths of exercises

static void row(Text *csv, const char *quantity, double x, double value, uint64_t count) {
    text_print(csv, "%s,%.9g,%.10g,%" PRIu64 "\n", quantity, x, value, count);
}

bool measure_check(long long eval_tokens, long long context, const Corpus *corpus, Error *error) {
    const uint64_t tokens = split_limit(&corpus->val, eval_tokens), longest = 8 * (uint64_t)context;
    return tokens / 2 > longest || fail_input(error,
                                              "%s: half of its %" PRIu64
                                              " validation tokens must hold a window of 8 times the context, %" PRIu64
                                              "; choose a smaller --context, more --eval-tokens or more text",
                                              corpus->name, tokens, longest);
}

// Loss by position, in ranges of half an octave up to the trained length T and of T/2 beyond it, so that no range holds
// positions on both sides of T.
static void write_positions(Text *csv, const char *quantity, const Evaluation *e, int T) {
    double nll = 0, edge = 1;
    uint64_t tokens = 0;
    for (int t = 0; t < e->window; t++) {
        nll += e->position_nll[t];
        tokens += e->position_tokens[t];
        if (t + 1 < (int)edge) continue;
        if (tokens > 0) row(csv, quantity, t + 1, nll / (double)tokens, tokens);
        nll = 0;
        tokens = 0;
        while (t + 1 >= (int)edge) edge = 2 * edge < T ? fmax(edge + 1, edge * sqrt(2)) : edge < T ? T : edge + 0.5 * T;
    }
}

long long curve_step(long long step, long long steps) {
    for (int i = 0; i < CURVE_STEPS; i++) {
        const long long next = llround((double)steps * pow(100, i / (CURVE_STEPS - 1.0) - 1));
        if (next > step) return next;
    }
    return 0;
}

static void write_curve(Text *csv, const char *log, long long steps) {
    double x[CURVE_STEPS], losses[CURVE_STEPS];
    int count = 0;
    LogRow logged;
    for (long long due = curve_step(0, steps); due > 0 && log_next(&logged, &log);) {
        while (due > 0 && (double)due < logged.step) due = curve_step(due, steps); // the log was lost up to here
        if (logged.step != (double)due || isnan(logged.validation)) continue;
        row(csv, "curve", logged.step, logged.validation, 1);
        x[count] = log10(logged.step);
        losses[count++] = logged.validation;
        due = curve_step(due, steps); // each step once, whatever the log repeats
    }
    const int end = plateau_end(x, losses, count, PLATEAU_LEAST);
    if (end >= 0) row(csv, "left", 0, round(pow(10, x[end])), 1);
}

// Evaluate on the validation text, and write the mean loss.
static bool score(Text *csv, const char *quantity, Evaluation *e, const Trainer *trainer, Error *error) {
    if (!evaluate(e, &trainer->gpt, &trainer->corpus->val, trainer->corpus->name, error)) return false;
    row(csv, quantity, e->window, e->nll / (double)e->tokens, e->tokens);
    return true;
}

// One pass over each half in windows of T, and one over the reported half in windows of 2T, 4T and 8T each. The passes
// in windows of T and of 8T also give the losses by position.
static bool measure_lengths(Text *csv, const Trainer *trainer, uint64_t half, uint64_t end, const Stop *stop,
                            Error *error) {
    const int T = trainer->gpt.shape.context, most = T << (MULTIPLES - 1);
    char ignored[256];
    Evaluation choose = {.window = T, .stride = T, .limit = half, .stop = stop};
    bool ok = score(csv, "choose", &choose, trainer, error);
    for (int window = T; ok && window <= most && !length_complaint(ignored, &trainer->gpt, window); window *= 2) {
        Evaluation e = {.window = window, .stride = window, .from = half, .limit = end, .stop = stop};
        if (window == T || window == most) {
            e.position_nll = calloc((size_t)window, sizeof *e.position_nll);
            e.position_tokens = calloc((size_t)window, sizeof *e.position_tokens);
            ok = (e.position_nll && e.position_tokens) ||
                 fail_run(error, "no memory for losses at %d positions", window);
        }
        ok = ok && score(csv, "loss", &e, trainer, error);
        if (ok && e.position_nll) write_positions(csv, window == T ? "position" : "beyond", &e, T);
        free(e.position_nll);
        free(e.position_tokens);
    }
    return ok;
}

// Score the same tokens in windows of T, 2T and 4T, which give each token more text before it.
static bool measure_context(Text *csv, const Trainer *trainer, uint64_t half, uint64_t end, const Stop *stop,
                            Error *error) {
    const int T = trainer->gpt.shape.context;
    char ignored[256];
    const uint64_t last = half + CONTEXT_TOKENS < end ? half + CONTEXT_TOKENS : end;
    for (int window = T; window <= 4 * T && !length_complaint(ignored, &trainer->gpt, window); window *= 2) {
        Evaluation e = {.window = window, .stride = T / 4 > 0 ? T / 4 : 1, .from = half, .limit = last, .stop = stop};
        if (!score(csv, "same", &e, trainer, error)) return false;
    }
    return true;
}

static bool measure_answers(Text *csv, const Trainer *trainer, int exercises, const Stop *stop, Error *error) {
    const BuiltinCorpus *task = &trainer->corpus->builtin;
    int lengths[LENGTHS_MOST];
    const int count = task_lengths(lengths, LENGTHS_MOST, (int)task->min, 2 * (int)task->max);
    for (int i = 0; i < count; i++) {
        const int length = lengths[i];
        char ignored[256];
        if (task_objection(task, length) || length_complaint(ignored, &trainer->gpt, task_tokens(task, length)))
            continue;
        Answers answers = {0};
        Examination examination = {.task = *task,
                                   .stream = task_stream(task, "test"),
                                   .count = exercises,
                                   .end = tokenizer_end(&trainer->corpus->tokenizer),
                                   .stop = stop};
        examination.task.min = examination.task.max = length;
        if (!examine(&answers, &trainer->gpt, &examination, error)) return false;
        row(csv, "right", length, (double)answers.right / (double)answers.questions, answers.questions);
    }
    return true;
}

bool measure(Text *csv, const Trainer *trainer, long long eval_tokens, int exercises, const Stop *stop, Error *error) {
    const uint64_t end = split_limit(&trainer->corpus->val, eval_tokens), half = end / 2;
    text_print(csv, MEASURED_HEADER);
    return is_task(&trainer->corpus->builtin) ? measure_answers(csv, trainer, exercises, stop, error)
                                              : measure_lengths(csv, trainer, half, end, stop, error) &&
                                                    measure_context(csv, trainer, half, end, stop, error);
}

void measure_training(Text *csv, const Trainer *trainer, const char *log) {
    const TensorTable *tensors = &trainer->gpt.tensors;
    write_curve(csv, log, trainer->options->steps);
    row(csv, "parameters", 0, (double)tensor_numbers(tensors, false), 1);
    row(csv, "positions", 0, (double)tensor_numbers(tensors, true), 1);
    row(csv, "tokens", 0, (double)trainer_tokens(trainer), 1);
    row(csv, "seconds", 0, trainer->progress.seconds, 1);
    row(csv, "batches", 0, (double)trainer->progress.batch_crc, 1);
}

bool measured_training(char **measured) {
    char *seal = strstr(*measured, "\n" MEASURED_SEAL), *parameters = strstr(*measured, "\nparameters,"),
         *curve = strstr(*measured, "\ncurve,");
    if (seal) seal[1] = '\0';
    if (parameters) *measured = 1 + (curve ? curve : parameters);
    return parameters;
}

const char *measure_seal(char row[64], const char *rows, size_t size) {
    snprintf(row, 64, MEASURED_SEAL "%" PRIu32 ",1\n", crc_bytes(0, rows, size));
    return row;
}
