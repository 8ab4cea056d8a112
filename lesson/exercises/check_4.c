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

// The sum over all scores of (constant + by_i i + by_j j) dS.
static double weighted(const double *dS, double constant, double by_i, double by_j) {
    double sum = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) sum += (constant + by_i * i + by_j * j) * dS[i * T + j];
    return sum;
}

static void slope_mistakes(Guess *guess, const double *dS) {
    static const char brackets[] =
        "Brackets are missing: the multiplication comes before the minus, so only one of i and j is multiplied by "
        "dS_ij. Write (i - j) in brackets.";
    double transposed = 0, future = 0, by_row = 0, twice = 0;
    int sum_i = 0, sum_j = 0; // over all scores
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            future -= (i - j) * dS[i * T + j];
            if (j > i) continue;
            transposed -= (i - j) * dS[j * T + i];
            by_row -= (i - j) * dS[i * T + j] / (i + 1);
            twice += twice - (i - j) * dS[i * T + j];
            sum_i += i;
            sum_j += j;
        }
    mistake(guess, GIVES(weighted(dS, 0, 1, -1)),
            "The sign is wrong: S_ij has the term minus m (i - j), so it shrinks when m grows.");
    mistake(guess, GIVES(weighted(dS, -1, 0, 0)),
            "The factor i~-~j is missing: when m grows by 1, the score S_ij falls by the distance i~-~j, not by 1.");
    mistake(guess, GIVES(weighted(dS, 1, 0, 0)),
            "The factor -(i - j) is missing: when m grows by 1, the score S_ij falls by the distance i~-~j. You add up "
            "dS.");
    mistake(guess, GIVES(weighted(dS, -1, -1, 1)),
            "Your distance is one too large: a token's distance to itself, i - i, is 0.");
    mistake(guess, GIVES(weighted(dS, 0, -1, 0)), "You multiply by the position i. The distance is i - j.");
    mistake(guess, GIVES(weighted(dS, 0, 0, -1)), "You multiply by the position j. The distance is i - j.");
    mistake(
        guess, GIVES(transposed),
        "You read dS_ji, which is another score's. Row i has the scores of token i, so it is dS[i * T + j] in C and "
        "dS[i, j] in Python.");
    mistake(guess, GIVES(future),
            "You count tokens of the future, j > i, at which token i does not look. The loop over j must end at i.");
    mistake(guess, GIVES(0),
            "You get 0. Perhaps only the last score is left, whose distance is 0: add up with +=, because all scores "
            "share m.");
    mistake(guess, GIVES(-sum_i + weighted(dS, 0, 0, -1)), brackets); // -i - j * dS
    mistake(guess, GIVES(-sum_i + weighted(dS, 0, 0, 1)), brackets);  // -i + j * dS
    mistake(guess, GIVES(sum_i + weighted(dS, 0, 0, -1)), brackets);  // i - j * dS
    mistake(guess, GIVES(-sum_j + weighted(dS, 0, -1, 0)), brackets); // dS * -i - j
    mistake(guess, GIVES(by_row),
            "You divide by i + 1, the number of scores in a row. But the gradient is the sum over all scores, not an "
            "average.");
    mistake(guess, GIVES(twice),
            "dm stands on both sides: += adds to it already, so write only what this one score adds.");
}

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

static void positive_slope(double *in, int test) {
    in[1] = fabs(in[1]);
}

static void sigma_mistakes(Guess *guess, const double *in) {
    const double dm = in[0], m = in[1];
    mistake(guess, GIVES(dm), "You return dm. The chain rule has a second factor: how much m grows when sigma grows.");
    mistake(guess, GIVES(dm / m),
            "You divide by m. That would be right if sigma were computed from m; but m is computed from sigma.");
    mistake(guess, GIVES(dm * exp(m)),
            "You multiply by exp(m). The derivative of m0 exp(sigma) is m0 exp(sigma), and that is m itself.");
    mistake(guess, GIVES(dm * log(m)),
            "You multiply by log(m). The derivative of m0 exp(sigma) is m0 exp(sigma), and that is m itself.");
    mistake(guess, GIVES(-dm * m),
            "The sign is wrong: m grows when sigma grows. (The minus of ALiBi is in dm already.)");
    mistake(guess, GIVES(m), "You return how much m grows with sigma. The chain rule multiplies it by dm.");
}

int main(void) {
    const Check checks[] = {
        {.name = "slope_gradient()",
         .in = {{"dS[0..2]", T, 1}, {"dS[3..5]", T, 1}, {"dS[6..8]", T, 1}},
         .out = {{"dm", 1}},
         .random = T * T + 1,
         .yours = your_slope,
         .right = right_slope,
         .mistakes = slope_mistakes},
        {.name = "sigma_gradient()",
         .in = {{"dm", 1, 1}, {"m", 1}},
         .out = {{"dsigma", 1}},
         .random = 2,
         .adapt = positive_slope,
         .yours = your_sigma,
         .right = right_sigma,
         .mistakes = sigma_mistakes},
    };
    return check_exercise("4_slope", checks, 2);
}
