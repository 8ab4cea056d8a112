#include "posenc/stretch/stretch.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

const FormulaOptions formula_defaults = {
    .ramp = RAMP_CODE, .beta_fast = 32, .beta_slow = 1, .low_freq = 1, .high_freq = 4};

static double clamp01(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// The factor of theta' = keep theta + (1 - keep) theta / s: s where keep is 0, and 1 where it is 1.
static double blended(double keep, double factor) {
    return 1 / (keep + (1 - keep) / factor);
}

// The pair, as a real number, that makes `turns` full turns within L: solved for i from L base^(-i/n) = 2 pi turns.
static double pair_of_turns(double turns, int original, double base, int pairs) {
    return pairs * log(original / (turns * 2 * M_PI)) / log(base);
}

// The authors' code: pairs up to `low` keep their frequency; from `high` on it is divided by s.
static double keep_by_pair(int pair, const FormulaOptions *o, int original, double base, int pairs) {
    double low = pair_of_turns(o->beta_fast, original, base, pairs);
    double high = pair_of_turns(o->beta_slow, original, base, pairs);
    if (o->ramp == RAMP_CODE) {
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, 2 * pairs - 1); // as in that code, which limits a pair's number by the number of channels
    high = fmax(high, low);           // when no pair is fast enough for either
    if (low == high) high += 0.001;
    return 1 - clamp01((pair - low) / (high - low));
}

static double keep_by_turns(double theta, double slow, double fast, int original) {
    const double turns = original * theta / (2 * M_PI);
    return clamp01((turns - slow) / (fast - slow));
}

static double ntk(double factor, int pair, int pairs) {
    return pow(factor, pairs > 1 ? (double)pair / (pairs - 1) : 1);
}

void stretch_formula(Stretch *stretch, Method method, const FormulaOptions *o, double factor, int original, double base,
                     int pairs) {
    assert(pairs <= PAIRS_MOST);
    *stretch = (Stretch){.attention = method == METHOD_YARN ? 0.1 * log(factor) + 1 : 1};
    for (int i = 0; i < pairs; i++) {
        const double theta = pow(base, -(double)i / pairs);
        double *f = &stretch->factors[i];
        switch (method) {
        case METHOD_PI:
            *f = factor;
            break;
        case METHOD_NTK:
            *f = ntk(factor, i, pairs);
            break;
        case METHOD_YARN:
            *f = blended(o->ramp == RAMP_PAPER ? keep_by_turns(theta, o->beta_slow, o->beta_fast, original)
                                               : keep_by_pair(i, o, original, base, pairs),
                         factor);
            break;
        case METHOD_LLAMA3:
            *f = blended(keep_by_turns(theta, o->low_freq, o->high_freq, original), factor);
            break;
        case METHOD_DYNAMIC:
        case METHOD_LONGROPE:
        case METHOD_GRADIENT:
        case METHOD_GIVEN:
            assert(!"a method with a formula of s and L");
        }
    }
}

void stretch_further(Stretch *stretch, const Stretch *before, const FormulaOptions *o, double factor, int context,
                     double base, int pairs) {
    *stretch = *before;
    for (int i = 0; i < pairs; i++) {
        const double theta = pow(base, -(double)i / pairs) / before->factors[i];
        stretch->factors[i] *= blended(keep_by_turns(theta, o->beta_slow, o->beta_fast, context), factor);
    }
}

void stretch_dynamic(Stretch *stretch, double growth, int original, int length, int pairs) {
    const double factor = length > original ? growth * length / original - (growth - 1) : 1;
    *stretch = (Stretch){.attention = 1};
    for (int i = 0; i < pairs; i++) stretch->factors[i] = ntk(factor, i, pairs);
}

double longrope_attention(double factor, int original) {
    return factor > 1 ? sqrt(1 + log(factor) / log(original)) : 1;
}

const Stretch *stretch_of_window(Stretch *made, const StretchRule *rule, int length, int pairs) {
    if (rule->original == 0) return NULL;
    if (rule->method == METHOD_DYNAMIC) {
        stretch_dynamic(made, rule->growth, rule->original, length, pairs);
        return made;
    }
    return rule->has_short && length <= rule->original ? &rule->short_stretch : &rule->long_stretch;
}
