#include "base/interrupt.h"
#include "base/progress.h"
#include "lab/extend/extend.h"
#include "train/result.h"
#include "model/train_pass.h"
#include "posenc/rotation/rotate.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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
    FILE *csv;
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
    if (d->gpt.tensors.total != x->run.gpt.tensors.total)
        return fail_input(error,
                          "%s: the descent works on windows of %d tokens, but there is a table of positions that has "
                          "%d rows; use another --method",
                          x->directory, x->window, x->run.gpt.shape.context);
    memcpy(d->gpt.params, x->run.gpt.params, d->gpt.tensors.total * sizeof(real));
    return true;
}

// Mean loss of a window, and its gradient with respect to the logarithms of the factors.
static double loss_and_gradient(double *dlog_factors, Descent *d, int window) {
    const int T = d->x->window;
    const int *ids = d->x->scorer.ids + (size_t)window * ((size_t)T + 1);
    TrainPass *pass = &d->pass;
    d->gpt.pos.part[d->x->part].stretch.long_stretch = d->stretch;
    pass->tables.part[d->x->part].prepared = false; // the tables are those of the step before
    for (int t = 0; t < T; t++) pass->dnll[t] = (real)(1.0 / T);
    train_pass_embed(pass, &d->gpt, ids);
    train_pass_forward(pass, &d->gpt);
    train_pass_backward(pass, &d->gpt, ids, ids + 1);
    rotary_dfactors(dlog_factors, &pass->tables.part[d->x->part]);
    double loss = 0;
    for (int t = 0; t < T; t++) loss += pass->nll[t];
    return loss / T;
}

// Replace n values, at most PAIRS_MOST, by those for which sum weights (new - old)^2 is least and none is below the one
// before: neighbours that fall become their mean, as often as there are any (Ayer et al. 1955, isotonic regression).
// Weights are above 0.
static void nearest_rising(double *values, const double *weights, int n) {
    double mean[PAIRS_MOST], weight[PAIRS_MOST];
    int size[PAIRS_MOST], count = 0; // of groups of neighbours with the same value
    for (int i = 0; i < n; i++) {
        mean[count] = values[i];
        weight[count] = weights[i];
        size[count++] = 1;
        for (; count > 1 && mean[count - 2] > mean[count - 1]; count--) {
            const double both = weight[count - 2] + weight[count - 1];
            mean[count - 2] = (weight[count - 2] * mean[count - 2] + weight[count - 1] * mean[count - 1]) / both;
            weight[count - 2] = both;
            size[count - 2] += size[count - 1];
        }
    }
    for (int group = 0, i = 0; group < count; group++)
        for (const int end = i + size[group]; i < end; i++) values[i] = mean[group];
}

// Adam on log factors, which stay within [1, most] as in the search. Of all steps dx, Adam's makes m dx + sqrt(v) dx^2
// / (2 rate), summed over the pairs, the least. With LongRoPE's rule, the step does so among those that end at rising
// factors: these are the nearest to Adam's, with weights sqrt(v). Without weights, pairs that hardly matter would take
// along those that do, because Adam moves all of them equally fast.
static void move(Descent *d, const double *dlog_factors, double rate, long long step) {
    const double beta1 = 0.9, beta2 = 0.99;
    const int pairs = d->x->pairs;
    double log_factors[PAIRS_MOST], weights[PAIRS_MOST];
    for (int i = 0; i < pairs; i++) {
        const double g = dlog_factors[i];
        d->m[i] = beta1 * d->m[i] + (1 - beta1) * g;
        d->v[i] = beta2 * d->v[i] + (1 - beta2) * g * g;
        const double m = d->m[i] / (1 - pow(beta1, (double)step)), v = d->v[i] / (1 - pow(beta2, (double)step));
        weights[i] = sqrt(v) + 1e-12;
        log_factors[i] = log(d->stretch.factors[i]) - rate * m / weights[i];
    }
    if (d->x->options->rising) nearest_rising(log_factors, weights, pairs);
    for (int i = 0; i < pairs; i++) d->stretch.factors[i] = exp(fmin(fmax(log_factors[i], 0), log(d->most)));
}

static bool interrupted(const Descent *d, Error *error) {
    return fail_interrupted(error, "interrupted; only %s/descent.csv was written", d->x->options->out);
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
            if (!isfinite(dlog_factors[i])) // move() would take NaN for the factor 1
                return fail_nonfinite(error, "step %lld: the gradient of factor %d is %g; try a smaller --lr", d->step,
                                      i, dlog_factors[i]);
        fprintf(d->csv, "%lld,%.9g,%d", d->step, loss, d->stretch.unscaled);
        for (int i = 0; i < pairs; i++) fprintf(d->csv, ",%.6g", d->stretch.factors[i]);
        if (fputc('\n', d->csv) == EOF || fflush(d->csv) != 0)
            return fail_run(error, "cannot write %s/descent.csv: %s; make room and start again", d->x->options->out,
                            strerror(errno));
        // The cosine ends one step later, since a step at a rate of 0 would do nothing.
        move(d, dlog_factors, cosine_schedule(step - 1, steps + 1, 0, rate, 0), step);
        progress_show(&d->line, (double)d->step, "step %lld/%lld  loss %.4f", d->step, d->steps, loss);
        if (interrupt_came()) return interrupted(d, error);
    }
    return true;
}

// Keep the better of two stretches.
static void keep_better(Stretch *best, double *best_loss, Extension *x, const Stretch *stretch) {
    const double loss = score_all(x, stretch);
    x->found.evaluations++;
    if (!(loss < *best_loss)) return;
    *best_loss = loss;
    *best = *stretch;
}

// Take half of the steps from the best start, choose the number of unscaled tokens, then take the other half.
static bool descend_twice(Stretch *best, Descent *d, const Stretch *starts, int start_count, Error *error) {
    Extension *x = d->x;
    double loss = INFINITY;
    for (int s = 0; s < start_count; s++) {
        Stretch start = starts[s];
        for (int i = 1; x->options->rising && i < x->pairs; i++)
            start.factors[i] = fmax(start.factors[i], start.factors[i - 1]);
        keep_better(best, &loss, x, &start);
    }
    if (interrupt_came()) return interrupted(d, error);
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
    if (interrupt_came()) return interrupted(d, error);
    x->found.loss = loss;
    x->found.evaluations += d->step;
    x->found.tokens = x->scorer.tokens + READS_PER_STEP * d->step * x->window;
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

// Begin descent.csv.
static bool open_csv(Descent *d, const char *path, Error *error) {
    AtomicFile file;
    if (!result_open(&file, "--out", path, "step,loss,unscaled", error)) return false;
    for (int i = 0; i < d->x->pairs; i++) fprintf(file.stream, ",factor_%d", i);
    fputc('\n', file.stream);
    if (!atomic_commit(&file, error)) return false;
    d->csv = file_append(path);
    return d->csv || fail_run(error, "cannot append to %s: %s", path, strerror(errno));
}

bool gradient_find(Stretch *result, Extension *x, Error *error) {
    char path[PATH_CAPACITY];
    Stretch starts[STARTS_MOST];
    Descent d = {.x = x, .most = 1 + x->space.step * x->space.most};
    const int start_count = extension_starts(starts, x, error);
    if (start_count == 0) return false;
    for (int i = 0; i < x->pairs && x->options->factors.count; i++)
        if (starts->factors[i] < 1 || starts->factors[i] > d.most * (1 + 1e-9))
            return fail_input(error, "--factors: descent keeps to factors from 1 to %g; give others than %g", d.most,
                              starts->factors[i]);
    d.steps = steps_of(x, start_count);
    if (!extension_open_text(x, (int)x->options->search.windows, error) ||
        !path_format(path, error, "%s/descent.csv", x->options->out) || !open_csv(&d, path, error))
        return false;
    interrupt_catch();
    bool ok = descent_create(&d, x, error);
    progress_start(&d.line, "extend", 0, (double)d.steps);
    ok = ok && descend_twice(result, &d, starts, start_count, error);
    progress_clear(&d.line);
    if (fclose(d.csv) != 0 && ok) ok = fail_run(error, "cannot write %s: is the disk full?", path);
    train_pass_free(&d.pass);
    gpt_free(&d.gpt);
    if (ok || error->kind == ERROR_INTERRUPTED) return ok;
    unlink(path);
    return false;
}
