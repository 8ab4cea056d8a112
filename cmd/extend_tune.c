#include "cmd/extend.h"
#include "cmd/interrupt.h"
#include "cmd/progress.h"

#include <stdlib.h>

// The grid: about half an octave apart, up to the original paper's default for the fast end, and down to ramps that end
// at the last pair for the slow one.
static const double fast_choices[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32},
                    slow_choices[] = {0.004, 0.008, 0.015, 0.03, 0.06, 0.125, 0.25, 0.5, 1, 2, 4};
enum { FAST = sizeof fast_choices / sizeof *fast_choices, SLOW = sizeof slow_choices / sizeof *slow_choices };

// Rounding to whole pairs makes many betas the same stretch.
static bool is_new(const Stretch *tried, int count, const Stretch *stretch, int pairs) {
    for (int i = 0; i < count; i++)
        if (memcmp(tried[i].factors, stretch->factors, (size_t)pairs * sizeof *stretch->factors) == 0) return false;
    return true;
}

bool extend_by_tuning(Stretch *result, Extension *x, Error *error) {
    double loss = INFINITY, fast = NAN, slow = NAN;
    Stretch *tried = calloc((size_t)FAST * SLOW, sizeof *tried);
    if (!tried) return fail_run(error, "no memory");
    int count = 0;
    ProgressLine line;
    interrupt_catch();
    progress_start(&line, "extend", 0, FAST * SLOW);
    for (int n = 0; n < FAST * SLOW && !interrupt_came(); n++) {
        FormulaOptions formula = x->options->formula;
        Stretch *stretch = &tried[count];
        formula.beta_fast = fast_choices[n / SLOW];
        formula.beta_slow = slow_choices[n % SLOW];
        scaling_formula(stretch, METHOD_YARN, &formula, x->factor, x->original, x->base, x->pairs);
        progress_show(&line, n, "betas %g and %g  best %.4f", formula.beta_fast, formula.beta_slow, loss);
        if (formula.beta_slow >= formula.beta_fast || !is_new(tried, count, stretch, x->pairs)) continue;
        count++;
        const double now = stretch_score_all(&x->scorer, stretch);
        if (!(now < loss)) continue;
        loss = now;
        *result = *stretch;
        fast = formula.beta_fast;
        slow = formula.beta_slow;
    }
    progress_clear(&line);
    free(tried);
    if (interrupt_came()) {
        fail_run(error, "interrupted; nothing was written");
        return interrupt_failed(error);
    }
    if (!isfinite(loss)) return fail_run(error, "no betas have a finite loss; is the model trained?");
    x->scaling.loss = loss;
    x->scaling.evaluations = count;
    x->scaling.tokens = x->scorer.tokens;
    printf("betas    %g and %g: the best of %d pairs on %s\n", fast, slow, count, x->corpus.name);
    return true;
}
