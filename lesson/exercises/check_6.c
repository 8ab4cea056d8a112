#include "check.h"

#include <math.h>
#include <string.h>

enum { N = 4 };

// in: P (N), dP (N), and zeros (N), by which the scores grow
static void yours(double *dS, const double *in) {
    softmax_backward(dS, in + N, in, N);
}

// A loss whose gradient with respect to the weights is dP. The logarithms of weights are scores that give them.
static double loss(const double *in) {
    double sum = 0, result = 0;
    for (int i = 0; i < N; i++) sum += in[i] * exp(in[2 * N + i]);
    for (int i = 0; i < N; i++) result += in[N + i] * in[i] * exp(in[2 * N + i]) / sum;
    return result;
}

static void right(double *dS, const double *in) {
    for (int j = 0; j < N; j++) dS[j] = slope(loss, in, 2 * N + j);
}

static void choose_weights(double *in, int test) {
    static const double weights[][N] = {
        {0.1, 0.2, 0.3, 0.4}, {0.05, 0.5, 0.3, 0.15}, {0.6, 0.1, 0.2, 0.1}, {0.25, 0.4, 0.05, 0.3}};
    memcpy(in, weights[test % 4], sizeof weights[0]);
}

// What mistakes give for dS_j.
static void mistakes(Guess *guess, const double *in) {
    const double P = in[guess->at], dP = in[N + guess->at];
    double average = 0, sum = 0;
    for (int i = 0; i < N; i++) {
        average += in[i] * in[N + i];
        sum += in[N + i];
    }
    mistake(guess, GIVES(P * dP),
            "The average is missing: you have P_j dP_j. When one weight grows, all others shrink, and their gradients "
            "count too.");
    mistake(guess, GIVES(P * (1 - P) * dP),
            "You have P_j (1 - P_j) dP_j: only what S_j does to its own weight. It also makes all other weights "
            "shrink; that is what the average is for.");
    mistake(guess, GIVES(P * (dP - sum)),
            "You subtract the sum of dP. The average is weighted: each dP_i is multiplied by its weight P_i.");
    mistake(guess, GIVES(P * (dP - sum / N)),
            "You subtract the plain average of dP. It must be weighted: multiply each dP_i by its weight P_i instead "
            "of dividing by n.");
    mistake(guess, GIVES(P * (dP - average / N)),
            "You divide the average by n. The weights P add up to 1 already, so the sum of P_i dP_i is an average as "
            "it is.");
    mistake(guess, GIVES(P * (dP - average + P * dP)), "You leave i = j out of the average. The sum goes over all i.");
    mistake(guess, GIVES(P * (dP + average)),
            "You add the average. It is subtracted: only what is above the average is pushed up.");
    mistake(guess, GIVES(P * (dP - in[N - 1] * in[2 * N - 1])),
            "Only the last term of the average is left. Add up with +=.");
    mistake(guess, GIVES(dP - average),
            "The factor P_j is missing: a token with a small weight gets a small gradient. P_j stands before the whole "
            "bracket.");
    mistake(guess, GIVES(P * dP - average),
            "P_j must multiply the average, too: it is P_j (dP_j - average), with brackets, and not P_j dP_j - "
            "average.");
    mistake(guess, GIVES(P * (average - dP)),
            "Everything has the wrong sign: it is dP_j minus the average, and you have the average minus dP_j.");
    mistake(guess, GIVES(P * (dP - P * average)),
            "P_j multiplies the average twice: once inside the bracket and once before it. Leave it out inside.");
    mistake(guess, GIVES(dP * (P - average)),
            "P_j and dP_j are exchanged: P_j stands before the bracket, and inside it the average is subtracted from "
            "dP_j.");
}

int main(void) {
    const Check check = {.name = "softmax_backward()",
                         .in = {{"P", N}, {"dP", N, 1}},
                         .out = {{"dS", N}},
                         .random = 2 * N,
                         .adapt = choose_weights,
                         .yours = yours,
                         .right = right,
                         .mistakes = mistakes,
                         .each = true};
    return check_exercise("6_softmax", &check, 1);
}
