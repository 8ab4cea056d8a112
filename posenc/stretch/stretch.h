// RoPE past its trained length: by how much each pair is slowed when the context is stretched. A stretch is a list of
// factors, theta_i' = theta_i / factors[i]; the published methods are formulas for it, posenc/stretch/search.h looks
// for a better one, and gradient descent finds one through the rotations.
#ifndef BITTER_STRETCH_H
#define BITTER_STRETCH_H

#include <stdbool.h>

#define PAIRS_MOST 256 // of a head that is stretched

typedef struct {
    double factors[PAIRS_MOST]; // pair i turns by theta_i / factors[i] a token
    double attention;           // cosines and sines are multiplied by it, so scores by its square
    int unscaled;               // so many tokens at the start turn as they were trained (LongRoPE's n_hat)
    bool bare_start;            // and go without the attention factor (LongRoPE's released code)
} Stretch;

typedef enum {
    METHOD_PI,
    METHOD_NTK,
    METHOD_DYNAMIC,
    METHOD_YARN,
    METHOD_LLAMA3,
    METHOD_LONGROPE,
    METHOD_GRADIENT
} Method;
#define METHOD_NAMES "pi|ntk|dynamic|yarn|llama3|longrope|gradient"

typedef enum { RAMP_CODE, RAMP_EXACT, RAMP_PAPER } Ramp;
#define RAMP_NAMES "code|exact|paper"

// What a model's rotations are stretched by. Windows of up to `original` tokens may have a stretch of their own.
typedef struct {
    int method;    // a Method
    double factor; // s = stretched length / original length
    int original;  // the length that the frequencies were trained at; 0 = nothing is stretched
    double growth; // of METHOD_DYNAMIC, whose factors follow the window; else 0
    int pairs;     // of factors, but for METHOD_DYNAMIC
    bool has_short;
    Stretch long_stretch, short_stretch;
    bool learns; // training passes add up the gradient by the factors
} StretchRule;

// The numbers that formulas have besides s and L, with the defaults of their authors.
typedef struct {
    int ramp;                    // a Ramp, of YaRN
    double beta_fast, beta_slow; // of YaRN: full turns within L above which a pair keeps its speed, below which it is
                                 // slowed by s
    double low_freq, high_freq;  // of Llama 3, the same the other way round
} FormulaOptions;

// The factors of a method that is a formula, for n pairs of theta_i = base^(-i/n), L = `original` and s = `factor`.
//   pi       s                          Chen et al. 2023 (2306.15595)
//   ntk      s^(i/(n-1))                bloc97 2023; the base becomes base s^(d/(d-2))
//   yarn     1/(keep + (1-keep)/s), keep = 1 for fast pairs, 0 for slow ones, a ramp between; attention 0.1 ln s + 1.
//            RAMP_PAPER ramps in full turns within L, RAMP_CODE, the authors' code, in pair numbers between whole
//            ones, RAMP_EXACT without the rounding.           Peng et al. 2023 (2309.00071)
//   llama3   the paper's ramp between low_freq and high_freq  Llama 3.1 2024
void stretch_formula(Stretch *stretch, Method method, const FormulaOptions *options, double factor, int original,
                     double base, int pairs);

// For a model that turns by `before` already and was fine-tuned at `context` tokens: YaRN again, by the paper's ramp
// over the turns that each pair makes within those, on top of what there is.
void stretch_further(Stretch *stretch, const Stretch *before, const FormulaOptions *options, double factor, int context,
                     double base, int pairs);

// ntk for a window of `length` tokens: s = growth length/L - (growth-1), 1 up to the original length. growth = 1 is the
// paper's, growth = factor Hugging Face's.
void stretch_dynamic(Stretch *stretch, double growth, int original, int length, int pairs);

// sqrt(1 + ln s / ln L): LongRoPE's factor for cosines and sines (Ding et al. 2024, 2402.13753).
double longrope_attention(double factor, int original);

// Windows of two lengths have the same stretch when this returns the same number for both.
int stretch_form(const StretchRule *rule, int length);

// NULL, or the stretch that a window of `length` tokens has; `made` is memory for one that has to be worked out.
const Stretch *stretch_of_window(Stretch *made, const StretchRule *rule, int length, int pairs);

#endif
