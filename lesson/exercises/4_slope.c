// Exercise 4: the gradient of ALiBi's slope.
//
// What for: In attention, the token at position i looks at the tokens at positions j = 0, 1, ... i. Its score S_ij says
// how much it cares for token j. ALiBi needs no turning: it lowers scores with the distance. With a slope m,
//
//     S_ij = (what query and key say) - m (i - j)          for j <= i
//
// ALiBi fixes m. The scheme alibi-learned trains it, as m = m0 exp(sigma), where sigma may be any number: an
// exponential is never negative, so the slope never points the wrong way.
//
// Formula, first part: How much does S_ij grow when m grows by 1? One m is in all scores, so m's gradient dm is the
// sum, over all scores, of that growth times the score's gradient dS_ij.
//
// Formula, second part: The chain rule again. dsigma is dm times how much m grows with sigma, and the derivative of
// m0 exp(sigma) is an old acquaintance.
//
// Fill in: what one score adds to dm; then dsigma from dm and m.
//
// Hint: For the first, mind the sign. For the second: exp is its own derivative, so you need neither m0 nor sigma.
#include "exercise.h"

// dS: (T, T), row by row: the gradient of S_ij is dS[i * T + j].
double slope_gradient(const double *dS, int T) {
    double dm = 0;
    for (int i = 0; i < T; i++) {
        for (int j = 0; j <= i; j++) {
            dm += FILL_IN;
        }
    }
    return dm;
}

double sigma_gradient(double dm, double m) {
    return FILL_IN;
}
