#include "check.h"

#include <math.h>

enum { T = 3 };

// --- dm: in: dS (T, T), and a slope m ---
static void your_slope(double *dm, const double *in) {
    *dm = slope_gradient(in, T);
}

// A loss whose gradient with respect to S is dS.
static double loss(const double *in) {
    double sum = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) sum += in[i * T + j] * (1 - in[T * T] * (i - j));
    return sum;
}

static void right_slope(double *dm, const double *in) {
    *dm = slope(loss, in, T * T);
}

static void invent(double *in, int test) {
    invent_numbers(in, T * T + 1, test);
}

// The sum over all scores of (constant + by_i i + by_j j) dS.
static double weighted(const double *in, double constant, double by_i, double by_j) {
    double sum = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) sum += (constant + by_i * i + by_j * j) * in[i * T + j];
    return sum;
}

static void plus(double *dm, const double *in) {
    *dm = weighted(in, 0, 1, -1);
}

static void no_distance(double *dm, const double *in) {
    *dm = weighted(in, -1, 0, 0);
}

static void no_distance_plus(double *dm, const double *in) {
    *dm = weighted(in, 1, 0, 0);
}

static void from_1(double *dm, const double *in) {
    *dm = weighted(in, -1, -1, 1);
}

static void only_i(double *dm, const double *in) {
    *dm = weighted(in, 0, -1, 0);
}

static void only_j(double *dm, const double *in) {
    *dm = weighted(in, 0, 0, -1);
}

static void transposed(double *dm, const double *in) {
    *dm = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) *dm -= (i - j) * in[j * T + i];
}

static void future(double *dm, const double *in) {
    *dm = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) *dm -= (i - j) * in[i * T + j];
}

static void last_only(double *dm, const double *in) {
    *dm = -0.0 * in[T * T - 1]; // the last score's distance is 0
}

// Without brackets, only one of i and j is multiplied by dS: the sum over all scores of by_i i + by_j j, each times dS
// or not.
static double loose(const double *in, double i_alone, double j_alone, double by_i, double by_j) {
    double sum = weighted(in, 0, by_i, by_j);
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) sum += i_alone * i + j_alone * j;
    return sum;
}

static void loose_minus_i(double *dm, const double *in) {
    *dm = loose(in, -1, 0, 0, -1); // -i - j * dS
}

static void loose_minus_i_plus(double *dm, const double *in) {
    *dm = loose(in, -1, 0, 0, 1); // -i + j * dS
}

static void loose_i(double *dm, const double *in) {
    *dm = loose(in, 1, 0, 0, -1); // i - j * dS
}

static void loose_j(double *dm, const double *in) {
    *dm = loose(in, 0, -1, -1, 0); // dS * -i - j
}

static void divided_by_row(double *dm, const double *in) {
    *dm = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) *dm -= (i - j) * in[i * T + j] / (i + 1);
}

static void added_twice(double *dm, const double *in) {
    *dm = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) *dm += *dm - (i - j) * in[i * T + j];
}

static const char brackets[] =
    "Brackets are missing: the multiplication comes before the minus, so only one of i and j is multiplied by dS_ij. "
    "Write (i - j) in brackets.";

static const Mistake slope_mistakes[] = {
    {"The sign is wrong: S_ij has the term minus m (i - j), so it shrinks when m grows.", plus},
    {"The factor i~-~j is missing: when m grows by 1, the score S_ij falls by the distance i~-~j, not by 1.",
     no_distance},
    {"The factor -(i - j) is missing: when m grows by 1, the score S_ij falls by the distance i~-~j. You add up dS.",
     no_distance_plus},
    {"Your distance is one too large: a token's distance to itself, i - i, is 0.", from_1},
    {"You multiply by the position i. The distance is i - j.", only_i},
    {"You multiply by the position j. The distance is i - j.", only_j},
    {"You read dS[j * T + i], which is another score's. Row i has the scores of token i, so it is dS[i * T + j].",
     transposed},
    {"You count tokens of the future, j > i, at which token i does not look. The loop over j must end at i.", future},
    {"You get 0. Perhaps only the last score is left, whose distance is 0: add up with +=, because all scores share m.",
     last_only},
    {brackets, loose_minus_i},
    {brackets, loose_minus_i_plus},
    {brackets, loose_i},
    {brackets, loose_j},
    {"You divide by i + 1, the number of scores in a row. But the gradient is the sum over all scores, not an average.",
     divided_by_row},
    {"dm stands on both sides: += adds to it already, so write only what this one score adds.", added_twice},
    {0},
};

// --- dsigma: in: dm, m, and 0, by which sigma grows ---
static void your_sigma(double *dsigma, const double *in) {
    *dsigma = sigma_gradient(in[0], in[1]);
}

static double loss_of_sigma(const double *in) {
    return in[0] * in[1] * exp(in[2]);
}

static void right_sigma(double *dsigma, const double *in) {
    *dsigma = slope(loss_of_sigma, in, 2);
}

static void invent_sigma(double *in, int test) {
    invent_numbers(in, 2, test);
    in[1] = fabs(in[1]);
    in[2] = 0;
}

static void unchained(double *dsigma, const double *in) {
    *dsigma = in[0];
}

static void divided(double *dsigma, const double *in) {
    *dsigma = in[0] / in[1];
}

static void of_exponential(double *dsigma, const double *in) {
    *dsigma = in[0] * exp(in[1]);
}

static void of_logarithm(double *dsigma, const double *in) {
    *dsigma = in[0] * log(in[1]);
}

static void minus(double *dsigma, const double *in) {
    *dsigma = -in[0] * in[1];
}

static void only_m(double *dsigma, const double *in) {
    *dsigma = in[1];
}

static const Mistake sigma_mistakes[] = {
    {"You return dm. The chain rule has a second factor: how much m grows when sigma grows.", unchained},
    {"You divide by m. That would be right if sigma were computed from m; but m is computed from sigma.", divided},
    {"You multiply by exp(m). The derivative of m0 exp(sigma) is m0 exp(sigma), and that is m itself.", of_exponential},
    {"You multiply by log(m). The derivative of m0 exp(sigma) is m0 exp(sigma), and that is m itself.", of_logarithm},
    {"The sign is wrong: m grows when sigma grows. (The minus of ALiBi is in dm already.)", minus},
    {"You return how much m grows with sigma. The chain rule multiplies it by dm.", only_m},
    {0},
};

int main(void) {
    const Check checks[] = {
        {"slope_gradient()",
         {{"dS[0..2]", T}, {"dS[3..5]", T}, {"dS[6..8]", T}},
         {{"dm", 1}},
         invent,
         your_slope,
         right_slope,
         slope_mistakes,
         0,
         T * T},
        {"sigma_gradient()",
         {{"dm", 1}, {"m", 1}},
         {{"dsigma", 1}},
         invent_sigma,
         your_sigma,
         right_sigma,
         sigma_mistakes,
         0,
         1},
    };
    return check_exercise("4_slope.c", checks, 2);
}
