// The methods of extension that are a formula or a list: pi, ntk, dynamic, yarn, llama3 and given.
#include "base/interrupt.h"
#include "base/progress.h"
#include "lab/extend/extend.h"

#include <stdlib.h>

static bool find_by_formula(Stretch *result, Extension *x, Error *error) {
    *result = extension_formula(x, (Method)x->options->method);
    return true;
}

static const Option pi_options[] = {HEADING_ROW("Method pi (divide every frequency by the factor)"), {0}};
const ExtendMethod method_pi = {{pi_options, short_window_options}, find_by_formula};

static const Option ntk_options[] = {
    HEADING_ROW("Method ntk (divide the slowest frequency by the factor, faster ones by less)"), {0}};
const ExtendMethod method_ntk = {{ntk_options, short_window_options}, find_by_formula};

static const Option llama3_options[] = {
    HEADING_ROW("Method llama3 (as yarn, with Meta's ramp and no attention factor)"),
    NUMBER_ROW(
        "high-freq", offsetof(ExtendOptions, formula.high_freq), "4", 0.001, 1e6, "X",
        "keep the frequency of pairs that make more turns than this in the original context (Meta's high_freq_factor)"),
    NUMBER_ROW("low-freq", offsetof(ExtendOptions, formula.low_freq), "1", 0.001, 1e6, "X",
               "divide the frequency of pairs with fewer turns than this by the whole factor (Meta's low_freq_factor)"),
    {0},
};
const ExtendMethod method_llama3 = {{llama3_options, short_window_options}, find_by_formula};

// --- dynamic ---

// The factors follow the window, so the result stays empty.
static bool find_dynamic(Stretch *result, Extension *x, Error *error) {
    x->found.rule.growth = x->options->growth == 0 ? 1 : x->factor;
    return true;
}

static const Option dynamic_options[] = {
    HEADING_ROW("Method dynamic (ntk, with a factor that follows the length of each window)"),
    CHOICE_ROW("growth", offsetof(ExtendOptions, growth), "paper", "paper|factor", "HOW",
               "ntk's factor for a window w times as long as the original context: paper = w; factor = S w - S + 1, as "
               "in Hugging Face"),
    {0},
};
const ExtendMethod method_dynamic = {{dynamic_options}, find_dynamic};

// --- given ---

static bool find_given(Stretch *result, Extension *x, Error *error) {
    if (!extension_listed(result, x, error)) return false;
    if (x->options->attention_factor > 0) result->attention = x->options->attention_factor;
    return true;
}

static const Option given_options[] = {
    HEADING_ROW("Method given (factors that you list with --factors)"),
    NUMBER_ROW("attention-factor", offsetof(ExtendOptions, attention_factor), "0", 0, 1e3, "X",
               "what cosines and sines are multiplied by; 0 = sqrt(1 + ln s / ln L) as in LongRoPE"),
    {0},
};
const ExtendMethod method_given = {{given_options, listed_options, short_window_options}, find_given};

// --- yarn ---

// The grid of --tune: fast betas in steps of about half an octave, slow ones in octaves. They go far below the usual 32
// and 1, because the pairs of a small model make few turns in its short context; the smallest give a ramp that ends at
// the last pair.
static const double fast_choices[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64},
                    slow_choices[] = {0.004, 0.008, 0.015, 0.03, 0.06, 0.125, 0.25, 0.5, 1, 2, 4};
enum {
    FAST = sizeof fast_choices / sizeof *fast_choices,
    SLOW = sizeof slow_choices / sizeof *slow_choices,
    TRIES = (RAMP_PAPER + 1) * FAST * SLOW
};

static FormulaOptions formula_at(int n) {
    return (FormulaOptions){
        .ramp = n / (FAST * SLOW), .beta_fast = fast_choices[n / SLOW % FAST], .beta_slow = slow_choices[n % SLOW]};
}

// Many betas give the same stretch, because the ramp is rounded to whole pairs.
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
        const FormulaOptions formula = formula_at(n);
        Stretch *stretch = &tried[count];
        stretch_formula(stretch, METHOD_YARN, &formula, x->factor, x->original, x->base, x->pairs);
        if (formula.beta_slow >= formula.beta_fast || !is_new(tried, count, stretch, x->pairs)) continue;
        choice_word(RAMP_NAMES, formula.ramp, ramp);
        count++;
        const double now = score_all(x, stretch);
        if (now < loss) {
            loss = now;
            *result = *stretch;
            best = formula;
        }
        progress_show(&line, n + 1, "%s ramp, betas %g and %g  best %.4f", ramp, formula.beta_fast, formula.beta_slow,
                      loss);
    }
    progress_clear(&line);
    if (!stop_check(&stop_at_signal, error)) return false;
    if (!isfinite(loss)) return fail_nonfinite(error, "no choice of betas has a finite loss; is the model trained?");
    x->found.loss = loss;
    x->found.evaluations = count;
    x->found.tokens = x->scorer.tokens;
    choice_word(RAMP_NAMES, best.ramp, ramp);
    printf("betas    %g and %g with the %s ramp: the best of %d on %s\n", best.beta_fast, best.beta_slow, ramp, count,
           x->corpus.name);
    return true;
}

static bool find_yarn(Stretch *result, Extension *x, Error *error) {
    if (x->options->further && x->run.gpt.pos.part[x->part].stretch.original == 0)
        return fail_input(error, "--further: %s is not stretched; leave it out", x->directory);
    if (!x->options->tune) {
        *result = x->options->further ? extension_further(x) : extension_formula(x, METHOD_YARN);
        return true;
    }
    if (!extension_open_text(x, (int)x->options->search.windows, error)) return false;
    Stretch *tried = calloc(TRIES, sizeof *tried);
    const bool ok = tried ? tune(result, tried, x, error) : fail_run(error, "no memory for %d stretches", TRIES);
    free(tried);
    return ok;
}

static const Option yarn_options[] = {
    HEADING_ROW("Method yarn (divide slow frequencies by the factor and keep fast ones)"),
    FLAG_ROW("further", offsetof(ExtendOptions, further),
             "multiply the factors that the run already has, by what the formula gives for its present context (always "
             "with --ramp paper), instead of replacing them"),
    FLAG_ROW("tune", offsetof(ExtendOptions, tune), "choose --ramp, --beta-fast and --beta-slow by their loss on text"),
    {0},
};

const ExtendMethod method_yarn = {{yarn_options, short_window_options, text_options}, find_yarn};
