#include "train/answers.h"

#include "data/batch.h"
#include "train/evaluate.h"

#include <stdlib.h>

typedef struct {
    Inference inference;
    Batches batches;
    int *inputs, *targets; // (B,T)
    bool *scored;          // (B,T)
    real *logits;          // (B,T,V)
    double *nll;           // (B,T)
} Examiner;

static bool examiner_create(Examiner *x, const Gpt *gpt, const Examination *e, Error *error) {
    *x = (Examiner){0};
    const int T = task_tokens(&e->task, (int)e->task.max), side_by_side = TOKENS_AT_A_TIME / T;
    const int B = side_by_side < 1 ? 1 : side_by_side < e->count ? side_by_side : e->count;
    if (!batches_start_task(&x->batches, &e->task, e->stream, e->end, error) ||
        !inference_create(&x->inference, gpt, B, T, T, error))
        return false;
    const size_t rows = (size_t)B * (size_t)T;
    x->inputs = malloc(rows * sizeof *x->inputs);
    x->targets = malloc(rows * sizeof *x->targets);
    x->scored = malloc(rows * sizeof *x->scored);
    x->logits = malloc(rows * (size_t)gpt->shape.vocab * sizeof *x->logits);
    x->nll = malloc(rows * sizeof *x->nll);
    return (x->inputs && x->targets && x->scored && x->logits && x->nll) ||
           fail_run(error, "no memory for the answers to %d exercises of %d tokens", B, T);
}

static void examiner_free(Examiner *x) {
    batches_end(&x->batches);
    inference_free(&x->inference);
    free(x->inputs);
    free(x->targets);
    free(x->scored);
    free(x->logits);
    free(x->nll);
}

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
    const int V = gpt->shape.vocab;
    Examiner x;
    bool ok = examiner_create(&x, gpt, e, error);
    const int most = x.inference.B;
    for (int done = 0; ok && done < e->count; done += most) {
        const int B = e->count - done < most ? e->count - done : most;
        const int n = batches_next(x.inputs, x.targets, x.scored, &x.batches, B, error);
        if (n == 0) {
            ok = false;
            break;
        }
        x.inference.B = B; // the last batch may be smaller
        inference_restart(&x.inference);
        inference_feed(&x.inference, gpt, x.inputs, n);
        inference_logits(x.logits, &x.inference, gpt, n);
        inference_nll(x.nll, &x.inference, gpt, x.targets, n);
        for (int b = 0; b < B; b++) {
            const size_t row = (size_t)b * (size_t)n;
            mark(answers, x.logits + row * (size_t)V, x.nll + row, x.targets + row, x.scored + row, n, V);
        }
        ok = stop_check(e->stop, error);
    }
    examiner_free(&x);
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
