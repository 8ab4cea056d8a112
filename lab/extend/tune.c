#include "base/interrupt.h"
#include "base/progress.h"
#include "lab/extend/extend.h"

#include <stdlib.h>

// The grid: about half an octave apart, around the usual 32 and 1, and down to ramps that end at the last pair: a toy
// model makes few turns.
static const double fast_choices[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64},
                    slow_choices[] = {0.004, 0.008, 0.015, 0.03, 0.06, 0.125, 0.25, 0.5, 1, 2, 4};
enum {
    FAST = sizeof fast_choices / sizeof *fast_choices,
    SLOW = sizeof slow_choices / sizeof *slow_choices,
    TRIES = (RAMP_PAPER + 1) * FAST * SLOW
};

static FormulaOptions choice(int n) {
    return (FormulaOptions){
        .ramp = n / (FAST * SLOW), .beta_fast = fast_choices[n / SLOW % FAST], .beta_slow = slow_choices[n % SLOW]};
}

// Rounding to whole pairs makes many betas the same stretch.
static bool is_new(const Stretch *tried, int count, const Stretch *stretch, int pairs) {
    for (int i = 0; i < count; i++)
        if (memcmp(tried[i].factors, stretch->factors, (size_t)pairs * sizeof *stretch->factors) == 0) return false;
    return true;
}

static bool tune(Stretch *result, Stretch *tried, Extension *x, Error *error) {
    char ramp[TEXT_CAPACITY];
    double loss = INFINITY;
    int count = 0;
    FormulaOptions best = {0};
    ProgressLine line;
    interrupt_catch();
    progress_start(&line, "extend", 0, TRIES);
    for (int n = 0; n < TRIES && !interrupt_came(); n++) {
        const FormulaOptions formula = choice(n);
        Stretch *stretch = &tried[count];
        stretch_formula(stretch, METHOD_YARN, &formula, x->factor, x->original, x->base, x->pairs);
        if (formula.beta_slow >= formula.beta_fast || !is_new(tried, count, stretch, x->pairs)) continue;
        choice_word(RAMP_NAMES, formula.ramp, ramp);
        count++;
        const double now = score_all(&x->scorer, stretch);
        if (now < loss) {
            loss = now;
            *result = *stretch;
            best = formula;
        }
        progress_show(&line, n + 1, "%s ramp, betas %g and %g  best %.4f", ramp, formula.beta_fast, formula.beta_slow,
                      loss);
    }
    progress_clear(&line);
    if (interrupt_came()) {
        fail_run(error, "interrupted; nothing was written");
        return interrupt_failed(error);
    }
    if (!isfinite(loss)) return fail_run(error, "no betas have a finite loss; is the model trained?");
    x->found.loss = loss;
    x->found.evaluations = count;
    x->found.tokens = x->scorer.tokens;
    choice_word(RAMP_NAMES, best.ramp, ramp);
    printf("betas    %g and %g with the %s ramp: the best of %d on %s\n", best.beta_fast, best.beta_slow, ramp, count,
           x->corpus.name);
    return true;
}

bool extend_by_tuning(Stretch *result, Extension *x, Error *error) {
    Stretch *tried = calloc(TRIES, sizeof *tried);
    const bool ok = tried ? tune(result, tried, x, error) : fail_run(error, "no memory for %d stretches", TRIES);
    free(tried);
    return ok;
}
