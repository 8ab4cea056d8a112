#include "train/evaluate.h"
#include "data/batch.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

double window_work(const Gpt *gpt, int tokens) {
    const Shape *shape = &gpt->shape;
    double keys = 0;
    for (int l = 0; l < shape->layers; l++) keys += keys_seen_of(tokens, window_of(shape, l));
    return tokens * (6.0 * shape->width + keys / shape->layers);
}

double perplexity(double nll, uint64_t tokens) {
    return exp(nll / (double)tokens);
}

double bits_per_byte(const Evaluation *evaluation) {
    return evaluation->bytes > 0 ? evaluation->nll / (log(2) * (double)evaluation->bytes) : NAN;
}

const char *length_complaint(char text[256], const Gpt *gpt, int window) {
    const int most = mix_max_length(&gpt->pos);
    const Position *limit = gpt->pos.part;
    char why[WRITTEN_WHY];
    const int finite = mix_finite_length(why, &gpt->pos, window);
    if (finite < window) {
        snprintf(text, 256, "the formula ends at %d tokens (%s)", finite, why);
        return text;
    }
    if (most == 0 || window <= most) return NULL;
    if (most == mix_random_bound(&gpt->pos)) {
        snprintf(text, 256, "the model was trained at random positions below %d", most);
        return text;
    }
    while (position_max_length(limit) != most) limit++;
    snprintf(text, 256, "the scheme %s is not defined past %d positions", limit->scheme->name, most);
    return text;
}

bool length_check(const Gpt *gpt, int window, Error *error) {
    char complaint[256];
    if (!length_complaint(complaint, gpt, window)) return true;
    const bool drawn = mix_random_bound(&gpt->pos) > 0; // --past does not help with random positions
    bool past = false;
    for (int p = 0; p < gpt->pos.parts && !drawn; p++) past |= gpt->pos.part[p].scheme->past != NULL;
    return fail_input(error, "--context %d: %s; choose %sa context up to that", window, complaint,
                      past ? "--past clamp, --past interpolate or " : "");
}

bool finite_check(const real *numbers, int count, Error *error) {
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return fail_nonfinite(error,
                                  "the model computes %g: its weights are finite, but too large; use those of "
                                  "RUN@best or of a run with a smaller --lr",
                                  (double)numbers[i]);
    return true;
}

// Windows that are fed together; each has at least one token.
typedef struct {
    uint64_t start[TOKENS_AT_A_TIME];   // first token
    int first_scored[TOKENS_AT_A_TIME]; // first position whose target is scored
    int count;
} WindowBatch;

// Choose the next windows, at most `most`. The first *done targets have been scored or are not to be scored.
static void plan(WindowBatch *windows, uint64_t *done, const Evaluation *e, uint64_t targets, int most) {
    for (windows->count = 0; windows->count < most && *done < targets; windows->count++) {
        const uint64_t window = (uint64_t)e->window;
        uint64_t fresh = (uint64_t)e->stride;
        if (*done + fresh < window) fresh = window - *done; // the first window cannot begin before the stream
        if (fresh > targets - *done) fresh = targets - *done;
        windows->start[windows->count] = *done + fresh - window;
        windows->first_scored[windows->count] = e->window - (int)fresh;
        *done += fresh;
    }
}

// A model that is given B rows of T tokens at a time, and its losses on their targets.
typedef struct {
    Inference inference;
    int *ids, *targets; // (B,T)
    double *nll;        // (B,T)
} Scorer;

static bool scorer_create(Scorer *s, const Gpt *gpt, int B, int window, int T, Error *error) {
    const size_t rows = (size_t)B * (size_t)T;
    *s = (Scorer){0};
    if (!inference_create(&s->inference, gpt, B, window, T, error)) return false;
    s->ids = malloc(rows * sizeof *s->ids);
    s->targets = malloc(rows * sizeof *s->targets);
    s->nll = malloc(rows * sizeof *s->nll);
    return (s->ids && s->targets && s->nll) || fail_run(error, "no memory for the losses of %d times %d tokens", B, T);
}

static void scorer_free(Scorer *s) {
    inference_free(&s->inference);
    free(s->ids);
    free(s->targets);
    free(s->nll);
}

static uint64_t text_bytes(const Tokenizer *tokenizer, int id) {
    const char *text;
    return tokenizer ? tokenizer_decode(&text, tokenizer, id) : 0;
}

// Add up the losses of the scored ones of n targets in each window, from position `at` on.
static void add_losses(Evaluation *e, const Scorer *scorer, const WindowBatch *windows, int at, int n) {
    for (int b = 0; b < windows->count; b++) {
        for (int t = 0; t < n; t++) {
            if (at + t < windows->first_scored[b]) continue;
            e->nll += scorer->nll[b * n + t];
            e->tokens++;
            e->bytes += text_bytes(e->tokenizer, scorer->targets[b * n + t]);
            if (e->position_nll) {
                e->position_nll[at + t] += scorer->nll[b * n + t];
                e->position_tokens[at + t]++;
            }
        }
    }
}

// Feed the windows and add up the losses of their scored targets. `before` and `after`: the shares of the work done
// before and after these windows.
static bool score(Evaluation *e, Scorer *scorer, const WindowBatch *windows, const Gpt *gpt, const Split *split,
                  double before, double after, Error *error) {
    Inference *inference = &scorer->inference;
    const bool is_long = e->window > TOKENS_AT_A_TIME;
    inference->B = windows->count; // the last batch may be smaller
    inference_restart(inference);
    for (int at = 0; at < e->window; at += inference->chunk) {
        const int n = least(e->window - at, inference->chunk);
        for (int b = 0; b < windows->count; b++) {
            const uint64_t start = windows->start[b] + (uint64_t)at;
            split_read(scorer->ids + (size_t)b * n, split, start, (size_t)n);
            split_read(scorer->targets + (size_t)b * n, split, start + 1, (size_t)n);
        }
        inference_feed(inference, gpt, scorer->ids, n);
        inference_nll(scorer->nll, inference, gpt, scorer->targets, n);
        add_losses(e, scorer, windows, at, n);
        const double share = window_work(gpt, at + n) / window_work(gpt, e->window);
        if (is_long && e->show) e->show(e->context, before + (after - before) * share);
        if (is_long && !stop_check(e->stop, error)) return false;
    }
    return true;
}

bool evaluation_check(const Evaluation *e, const Gpt *gpt, const Split *split, const char *name, Error *error) {
    if (!length_check(gpt, e->window, error)) return false;
    if (e->stride < 1 || e->stride > e->window)
        return fail_input(error, "--stride %d does not fit windows of %d tokens; choose 1 to that", e->stride,
                          e->window);
    const uint64_t tokens = split_limit(split, (long long)e->limit);
    assert(e->from == 0 || e->from + 1 < tokens);
    return tokens > (uint64_t)e->window ||
           fail_input(error,
                      "%s: a window of %d tokens needs %d, but there are %llu; choose a shorter context or more %s",
                      name, e->window, e->window + 1, (unsigned long long)tokens,
                      tokens == e->limit ? "--eval-tokens" : "text");
}

bool evaluate(Evaluation *e, const Gpt *gpt, const Split *split, const char *name, Error *error) {
    if (!evaluation_check(e, gpt, split, name, error)) return false;
    const uint64_t targets = split_limit(split, (long long)e->limit) - 1;
    const int chunk = least(e->window, TOKENS_AT_A_TIME), B = TOKENS_AT_A_TIME / chunk;
    Scorer scorer;
    bool ok = scorer_create(&scorer, gpt, B, e->window, chunk, error);
    e->nll = 0;
    e->tokens = e->bytes = 0;
    double share = 0;
    for (uint64_t done = e->from; ok && done < targets;) {
        WindowBatch windows;
        plan(&windows, &done, e, targets, B);
        const double before = share;
        share = (double)(done - e->from) / (double)(targets - e->from);
        ok = score(e, &scorer, &windows, gpt, split, before, share, error);
        if (ok && e->show) e->show(e->context, share);
        ok = ok && stop_check(e->stop, error);
    }
    scorer_free(&scorer);
    return ok;
}

// --- exercises ---

static bool is_largest(const real *logits, int v, int V) {
    for (int other = 0; other < V; other++)
        if (!(logits[v] >= logits[other]) || (other < v && logits[v] == logits[other])) return false;
    return true;
}

// One exercise of n tokens: logits (n,V), nll, targets, scored (n).
static void mark(Answers *answers, const real *logits, const double *nll, const int *targets, const bool *scored, int n,
                 int V) {
    bool perfect = true, right = true;
    for (int t = 0; t < n; t++) {
        if (!scored[t]) continue;
        right = right && is_largest(logits + (size_t)t * V, targets[t], V);
        answers->tokens++;
        answers->nll += nll[t];
        if (t + 1 < n && scored[t + 1]) continue; // the answer goes on
        answers->questions++;
        answers->right += right;
        perfect = perfect && right;
        right = true;
    }
    answers->exercises++;
    answers->perfect += perfect;
}

bool examine(Answers *answers, const Gpt *gpt, const Examination *e, Error *error) {
    const int V = gpt->shape.vocab, T = task_tokens(&e->task, (int)e->task.max);
    const int most = T < TOKENS_AT_A_TIME ? least(TOKENS_AT_A_TIME / T, e->count) : 1;
    Batches batches;
    const size_t rows = (size_t)most * (size_t)T;
    bool *scored = malloc(rows * sizeof *scored);             // (B,T)
    real *logits = malloc(rows * (size_t)V * sizeof *logits); // (B,T,V)
    Scorer x = {0};
    bool ok = batches_start_task(&batches, &e->task, e->stream, e->end, error) &&
              scorer_create(&x, gpt, most, T, T, error) &&
              ((scored && logits) || fail_run(error, "no memory for the logits of %d times %d tokens", most, T));
    for (int done = 0; ok && done < e->count; done += most) {
        const int B = least(e->count - done, most);                               // the last batch may be smaller
        const int n = batches_next(x.ids, x.targets, scored, &batches, B, error); // exercises never fail
        x.inference.B = B;
        inference_restart(&x.inference);
        inference_feed(&x.inference, gpt, x.ids, n);
        inference_logits(logits, &x.inference, gpt, n);
        inference_nll(x.nll, &x.inference, gpt, x.targets, n);
        for (int b = 0; b < B; b++) {
            const size_t row = (size_t)b * (size_t)n;
            mark(answers, logits + row * (size_t)V, x.nll + row, x.targets + row, scored + row, n, V);
        }
        ok = stop_check(e->stop, error);
    }
    batches_end(&batches);
    scorer_free(&x);
    free(scored);
    free(logits);
    return ok;
}

void answers_add(Answers *sum, const Answers *answers) {
    sum->exercises += answers->exercises;
    sum->perfect += answers->perfect;
    sum->questions += answers->questions;
    sum->right += answers->right;
    sum->tokens += answers->tokens;
    sum->nll += answers->nll;
}
