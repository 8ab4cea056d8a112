#include "exchange/rotations.h"

#include "posenc/rotation/rotate.h"

#include <stdio.h>
#include <string.h>

#define STANDS_STILL 1e9 // the factor of a pair that does not turn

const FormulaOptions formula_defaults = {
    .ramp = RAMP_CODE, .beta_fast = 32, .beta_slow = 1, .low_freq = 1, .high_freq = 4};

static bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

// Are these the factors of a formula, with its defaults?
static bool is_formula(const Stretch *stretch, Method method, const Rotations *r) {
    Stretch expected;
    stretch_formula(&expected, method, &formula_defaults, r->factor, r->original, r->base, r->pairs);
    for (int i = 0; i < r->pairs; i++)
        if (!close_to(stretch->factors[i], expected.factors[i])) return false;
    return method == METHOD_YARN || stretch->attention == 1; // only yarn's description has an attention factor
}

// The kind of a stretch that is the same in all windows. ntk is another base, and no stretch.
static void find_kind(Rotations *r, const Stretch *stretch) {
    r->kind = ROPE_FACTORS;
    if (is_formula(stretch, METHOD_PI, r)) {
        r->kind = ROPE_LINEAR;
    } else if (is_formula(stretch, METHOD_NTK, r)) {
        r->kind = ROPE_PLAIN;
        r->base *= pow(r->factor, r->pairs / (r->pairs - 1.0));
    } else if (is_formula(stretch, METHOD_YARN, r)) {
        r->kind = ROPE_YARN;
    } else if (is_formula(stretch, METHOD_LLAMA3, r)) {
        r->kind = ROPE_LLAMA3;
    }
}

static bool dynamic(Rotations *r, const StretchRule *rule, const char *name, Error *error) {
    r->kind = ROPE_DYNAMIC;
    r->context = r->original;
    r->factor = rule->growth;
    return (r->moving == r->pairs && r->pairs > 1) ||
           fail_input(error,
                      "%s: where only some pairs of channels turn, no other program stretches the rotations by the "
                      "dynamic method; use another method of `bitter extend`",
                      name);
}

// The only part that rotates, or NULL.
static const Position *rotary_part(const Gpt *gpt) {
    const int p = mix_stretchable(&gpt->pos);
    return p < 0 ? NULL : &gpt->pos.part[p];
}

bool rotates_in(const Gpt *gpt, int layer) {
    const Position *pos = rotary_part(gpt);
    const int own = pos ? position_layer(pos, layer) : -1;
    return own >= 0 && !rotary_skips(pos, own);
}

bool rotations_of(Rotations *r, const Gpt *gpt, const char *name, Error *error) {
    const Position *pos = rotary_part(gpt);
    *r = (Rotations){
        .base = 10000, .context = gpt->shape.context, .factor = 1, .attention = 1, .formula = formula_defaults};
    if (!pos) return true;
    const StretchRule *rule = &pos->stretch;
    const Stretch *at_long = &rule->long_stretch, *at_short = rule->has_short ? &rule->short_stretch : at_long;
    r->base = rotary_of(pos)->base;
    r->pairs = rotary_pairs(pos);
    for (int i = 0; i < r->pairs; i++) r->moving += pos->scheme->theta(pos, 0, 0, i) > 0;
    r->kind = r->moving < r->pairs ? ROPE_PROPORTIONAL : ROPE_PLAIN;
    r->original = rule->original;
    if (rule->original == 0) return true;
    r->factor = rule->factor;
    if (rule->method == METHOD_DYNAMIC) return dynamic(r, rule, name, error);
    r->attention = at_long->attention;
    if (at_long->unscaled > 0 || at_short->unscaled > 0)
        return fail_input(error,
                          "%s: its first %d tokens turn as before (LongRoPE's n_hat), and no other program has this; "
                          "extend the run by another method, or by --method given with these factors",
                          name, at_long->unscaled > 0 ? at_long->unscaled : at_short->unscaled);
    if (at_short->attention != at_long->attention)
        return fail_input(error,
                          "%s: its attention factor differs between short and long windows, which no other program "
                          "has; extend the run with --attention all",
                          name);
    if (!rule->has_short && r->moving == r->pairs)
        find_kind(r, at_long);
    else
        r->kind = ROPE_FACTORS;
    for (int i = 0; i < r->pairs; i++) {
        const bool moves = pos->scheme->theta(pos, 0, 0, i) > 0;
        r->for_long[i] = moves ? at_long->factors[i] : STANDS_STILL;
        r->for_short[i] = moves ? at_short->factors[i] : STANDS_STILL;
    }
    return true;
}

double fraction_of(int part, int whole) {
    double x = (double)part / whole;
    while ((int)(x * whole) < part) x = nextafter(x, 2);
    return x;
}

void rotations_to_options(TrainOptions *options, const Rotations *r, int head_pairs) {
    static const Method methods[] = {
        [ROPE_PROPORTIONAL] = METHOD_PI, [ROPE_LINEAR] = METHOD_PI,     [ROPE_DYNAMIC] = METHOD_DYNAMIC,
        [ROPE_YARN] = METHOD_YARN,       [ROPE_LLAMA3] = METHOD_LLAMA3, [ROPE_FACTORS] = METHOD_GIVEN};
    StretchRule *rule = &options->stretch.rule;
    int moving = r->moving; // a stretched prope is described by factors alone
    while (r->kind == ROPE_FACTORS && moving > 1 && r->for_long[moving - 1] == STANDS_STILL &&
           r->for_short[moving - 1] == STANDS_STILL)
        moving--;
    options->context = r->context;
    if (r->pairs < head_pairs)
        snprintf(options->pos, TEXT_CAPACITY, "partial:fraction=%.17g,base=%.17g", fraction_of(r->pairs, head_pairs),
                 r->base);
    else if (moving < r->pairs)
        snprintf(options->pos, TEXT_CAPACITY, "prope:p=%.17g,base=%.17g", fraction_of(moving, r->pairs), r->base);
    else
        snprintf(options->pos, TEXT_CAPACITY, "rope:base=%.17g", r->base);
    if (r->kind == ROPE_PLAIN || (r->kind == ROPE_PROPORTIONAL && r->factor == 1)) return;
    *rule = (StretchRule){.method = methods[r->kind], .factor = r->factor, .original = r->original};
    if (r->kind == ROPE_DYNAMIC) {
        rule->growth = r->factor;
        return;
    }
    rule->pairs = r->pairs;
    if (r->kind == ROPE_FACTORS) {
        memcpy(rule->long_stretch.factors, r->for_long, sizeof r->for_long);
        memcpy(rule->short_stretch.factors, r->for_short, sizeof r->for_short);
        rule->has_short = memcmp(r->for_long, r->for_short, (size_t)r->pairs * sizeof *r->for_long) != 0;
        rule->short_stretch.attention = r->attention;
    } else {
        stretch_formula(&rule->long_stretch, methods[r->kind], &r->formula, r->factor, r->original, r->base, r->pairs);
    }
    rule->long_stretch.attention = r->attention;
}
