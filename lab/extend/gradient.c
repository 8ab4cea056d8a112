#include "base/interrupt.h"
#include "base/progress.h"
#include "lab/extend/extend.h"
#include "model/train_pass.h"
#include "posenc/rotation/angles.h"
#include "train/result.h"

#include <assert.h>
#include <string.h>

// A training step counts as three reads of its window: one forward, and two for the backward pass, which costs twice as
// much.
#define READS_PER_STEP 3

// The frozen model at the stretched length, and the factors that descent moves.
typedef struct {
    Extension *x;
    Gpt gpt; // with gradients, of which only those of the rotations are used
    TrainPass pass;
    Stretch stretch;
    double m[PAIRS_MOST], v[PAIRS_MOST]; // Adam's
    double most;                         // the largest factor, as in the search
    long long step, steps;
    AtomicFile record;
    ProgressLine line;
} Descent;

static bool descent_create(Descent *d, Extension *x, Error *error) {
    Shape shape = x->run.gpt.shape;
    Mix pos = x->run.gpt.pos;
    shape.context = x->window;
    if (!mix_fit(&pos, &shape, error)) return false;
    pos.part[x->part].stretch =
        (StretchRule){.method = METHOD_GRADIENT, .factor = x->factor, .original = x->original, .learns = true};
    if (!gpt_create(&d->gpt, &shape, &pos, true, error) || !train_pass_create(&d->pass, &d->gpt, 1, x->window, error))
        return false;
    assert(d->gpt.tensors.total == x->run.gpt.tensors.total); // extension_settle refuses tables of positions
    memcpy(d->gpt.params, x->run.gpt.params, d->gpt.tensors.total * sizeof(real));
    return true;
}

// Mean loss of a window, and its gradient with respect to the logarithms of the factors.
static double loss_and_gradient(double *dlog_factors, Descent *d, int window) {
    const int T = d->x->window;
    const int *ids = d->x->scorer.ids + (size_t)window * ((size_t)T + 1);
    TrainPass *pass = &d->pass;
    d->gpt.pos.part[d->x->part].stretch.long_stretch = d->stretch;
    pass->tables.part[d->x->part].prepared = false; // the tables still hold the previous stretch
    for (int t = 0; t < T; t++) pass->dnll[t] = (real)(1.0 / T);
    train_pass_embed(pass, &d->gpt, ids);
    train_pass_forward(pass, &d->gpt);
    train_pass_backward(pass, &d->gpt, ids, ids + 1);
    rotary_dfactors(dlog_factors, &pass->tables.part[d->x->part]);
    double loss = 0;
    for (int t = 0; t < T; t++) loss += pass->nll[t];
    return loss / T;
}

// Adam on log factors, which stay within [1, most] as in the search.
static void move(Descent *d, const double *dlog_factors, double rate, long long step) {
    const double beta1 = 0.9, beta2 = 0.99;
    for (int i = 0; i < d->x->pairs; i++) {
        const double g = dlog_factors[i];
        d->m[i] = beta1 * d->m[i] + (1 - beta1) * g;
        d->v[i] = beta2 * d->v[i] + (1 - beta2) * g * g;
        const double m = d->m[i] / (1 - pow(beta1, (double)step)), v = d->v[i] / (1 - pow(beta2, (double)step)),
                     moved = log(d->stretch.factors[i]) - rate * m / (sqrt(v) + 1e-12);
        d->stretch.factors[i] = exp(fmin(fmax(moved, 0), log(d->most)));
    }
}

static bool descend(Descent *d, long long steps, double rate, Error *error) {
    const int pairs = d->x->pairs;
    memset(d->m, 0, sizeof d->m);
    memset(d->v, 0, sizeof d->v);
    for (long long step = 1; step <= steps; step++) {
        double dlog_factors[PAIRS_MOST];
        const double loss = loss_and_gradient(dlog_factors, d, (int)(d->step % d->x->options->search.windows));
        d->step++;
        if (!isfinite(loss))
            return fail_nonfinite(error, "step %lld: the loss is %g; try a smaller --lr", d->step, loss);
        for (int i = 0; i < pairs; i++)
            if (!isfinite(dlog_factors[i])) // move() would turn NaN into the factor 1
                return fail_nonfinite(error, "step %lld: the gradient of factor %d is %g; try a smaller --lr", d->step,
                                      i, dlog_factors[i]);
        fprintf(d->record.stream, "%lld,%.9g", d->step, loss);
        record_row(&d->record, &d->stretch, pairs);
        // The cosine ends one step later, since a step at a rate of 0 would do nothing.
        move(d, dlog_factors, cosine_schedule(step - 1, steps + 1, 0, rate, 0), step);
        progress_show(&d->line, (double)d->step, "step %lld/%lld  loss %.4f", d->step, d->steps, loss);
        if (!stop_check(&stop_at_signal, error)) return false;
    }
    return true;
}

// Keep the better of two stretches.
static void keep_better(Stretch *best, double *best_loss, Extension *x, const Stretch *stretch) {
    const double loss = score_all(x, stretch);
    x->evaluations++;
    if (!(loss < *best_loss)) return;
    *best_loss = loss;
    *best = *stretch;
}

// Take half of the steps from the best start, choose the number of unscaled tokens, then take the other half.
static bool descend_twice(Stretch *best, Descent *d, const Stretch *starts, int start_count, Error *error) {
    Extension *x = d->x;
    double loss = INFINITY;
    for (int s = 0; s < start_count; s++) keep_better(best, &loss, x, &starts[s]);
    if (!stop_check(&stop_at_signal, error)) return false;
    if (!isfinite(loss)) return fail_nonfinite(error, "no start has a finite loss; is the model trained?");
    d->stretch = *best;
    if (!descend(d, d->steps / 2, x->options->lr, error)) return false;
    for (int i = 0; i < x->space.unscaled_count; i++) {
        Stretch stretch = d->stretch;
        stretch.unscaled = unscaled_choices[i];
        keep_better(best, &loss, x, &stretch);
    }
    d->stretch = *best;
    if (!descend(d, d->steps - d->steps / 2, x->options->lr / 3, error)) return false;
    keep_better(best, &loss, x, &d->stretch);
    if (!stop_check(&stop_at_signal, error)) return false;
    x->loss = loss;
    x->evaluations += d->step;
    x->tokens = x->scorer.tokens + READS_PER_STEP * d->step * x->window;
    return isfinite(loss) || fail_nonfinite(error, "no stretch has a finite loss; is the model trained?");
}

// The steps that the token budget leaves after scoring the starts, each choice of unscaled tokens, and the result.
static long long steps_of(const Extension *x, int start_count) {
    const ExtendOptions *o = x->options;
    const long long windows = o->search.windows,
                    reads = o->tokens > 0 ? o->tokens / x->window : search_budget(&o->search) * windows,
                    scored = (start_count + x->space.unscaled_count + 1) * windows;
    if (o->steps > 0) return o->steps;
    return reads - scored >= 2 * READS_PER_STEP ? (reads - scored) / READS_PER_STEP : 2;
}

bool gradient_find(Stretch *result, Extension *x, Error *error) {
    Stretch starts[STARTS_MOST];
    Descent d = {.x = x, .most = 1 + x->space.step * x->space.most};
    const int start_count = extension_starts(starts, x);
    d.steps = steps_of(x, start_count);
    if (!extension_open_text(x, (int)x->options->search.windows, error) ||
        !record_open(&d.record, x, "descent.csv", "step,loss", error))
        return false;
    interrupt_catch();
    bool ok = descent_create(&d, x, error);
    progress_start(&d.line, "extend", 0, (double)d.steps);
    ok = ok && descend_twice(result, &d, starts, start_count, error);
    progress_clear(&d.line);
    train_pass_free(&d.pass);
    gpt_free(&d.gpt);
    return result_close(&d.record, ok, error);
}
