// RoPE past its trained length: the factor by which each pair's frequency is divided when the context is stretched,
// theta_i' = theta_i / factors[i]. Published methods have formulas for these factors; lab/extend/longrope.c searches
// for better ones, and lab/extend/gradient.c finds them by gradient descent.
#ifndef BITTER_STRETCH_H
#define BITTER_STRETCH_H

#include <stdbool.h>

#define PAIRS_MOST 256 // of a head that is stretched

#define ATTENTION_LEAST 1e-3
#define ATTENTION_MOST  1e3

typedef struct {
    double factors[PAIRS_MOST]; // pair i turns by theta_i / factors[i] per token
    double attention;           // cosines and sines are multiplied by it, so scores by its square; from
                                // ATTENTION_LEAST to ATTENTION_MOST
    int unscaled; // the number of tokens at the start whose frequencies are not divided (LongRoPE's n_hat)
} Stretch;

typedef enum {
    METHOD_PI,
    METHOD_NTK,
    METHOD_DYNAMIC,
    METHOD_YARN,
    METHOD_LLAMA3,
    METHOD_LONGROPE,
    METHOD_GRADIENT,
    METHOD_GIVEN // factors that the user lists
} Method;
#define FORMULA_NAMES "pi|ntk|dynamic|yarn|llama3"
#define METHOD_NAMES  FORMULA_NAMES "|longrope|gradient|given"

typedef enum { RAMP_CODE, RAMP_EXACT, RAMP_PAPER } Ramp;
#define RAMP_NAMES "code|exact|paper"

// The stretch of a model's rotations, which depends on the length of the window. Windows of up to `original` tokens may
// have a stretch of their own.
typedef struct {
    int method;    // a Method
    double factor; // s = stretched length / original length
    int original;  // the length that the frequencies were trained at; 0 = nothing is stretched
    double growth; // for METHOD_DYNAMIC, whose factors follow the window (stretch_dynamic); else 0
    int pairs;     // how many factors there are; not for METHOD_DYNAMIC
    bool has_short;
    Stretch long_stretch, short_stretch;
    bool learns; // training passes add up the gradient with respect to the factors
} StretchRule;

// The numbers that formulas have besides s and L.
typedef struct {
    int ramp;                    // a Ramp, of YaRN
    double beta_fast, beta_slow; // of YaRN: a pair that makes more full turns within L than beta_fast keeps its
                                 // frequency; with fewer than beta_slow, it is divided by s
    double low_freq, high_freq;  // of Llama 3: the same as beta_slow and beta_fast
} FormulaOptions;
extern const FormulaOptions formula_defaults; // those of the formulas' authors

// The factors of a method that is a formula, for n pairs of theta_i = base^(-i/n), L = `original` and s = `factor`.
//   pi       s                          Chen et al. 2023 (2306.15595)
//   ntk      s^(i/(n-1))                bloc97 2023; the base becomes base s^(d/(d-2))
//   yarn     1/(keep + (1-keep)/s), keep = 1 for fast pairs, 0 for slow ones, a ramp between; attention 0.1 ln s + 1.
//            The ramp is linear in full turns within L (RAMP_PAPER), or in the pair's number, between whole numbers
//            (RAMP_CODE, the authors' code) or without rounding (RAMP_EXACT).  Peng et al. 2023 (2309.00071)
//   llama3   the paper's ramp between low_freq and high_freq  Llama 3.1 2024
void stretch_formula(Stretch *stretch, Method method, const FormulaOptions *options, double factor, int original,
                     double base, int pairs);

// For a model that is stretched by `before` already and was fine-tuned at `context` tokens: YaRN on top of `before`, by
// the paper's ramp over the turns that each pair now makes within `context`. The attention factor stays that of
// `before`.
void stretch_further(Stretch *stretch, const Stretch *before, const FormulaOptions *options, double factor, int context,
                     double base, int pairs);

// ntk for a window of `length` tokens: s = growth length/L - (growth-1), but 1 up to the original length. With growth =
// 1 this is the paper's formula, with growth = factor Hugging Face's.
void stretch_dynamic(Stretch *stretch, double growth, int original, int length, int pairs);

// sqrt(1 + ln s / ln L): LongRoPE's factor for cosines and sines (Ding et al. 2024, 2402.13753).
double longrope_attention(double factor, int original);

// The stretch of a window of `length` tokens, or NULL if nothing is stretched. A stretch that depends on the length is
// computed into *made.
const Stretch *stretch_of_window(Stretch *made, const StretchRule *rule, int length, int pairs);

#endif
