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

static void invent(double *in, int test) {
    static const double weights[][N] = {
        {0.1, 0.2, 0.3, 0.4}, {0.05, 0.5, 0.3, 0.15}, {0.6, 0.1, 0.2, 0.1}, {0.25, 0.4, 0.05, 0.3}};
    memset(in, 0, MOST * sizeof *in);
    memcpy(in, weights[test % 4], sizeof weights[0]);
    invent_numbers(in + N, N, test);
}

// dS_j = P_j (dP_j - what `average` says for j)
static void with(double *dS, const double *in, double (*average)(const double *P, const double *dP, int j)) {
    for (int j = 0; j < N; j++) dS[j] = in[j] * (in[N + j] - average(in, in + N, j));
}

static double true_average(const double *P, const double *dP, int j) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += P[i] * dP[i];
    return sum;
}

static double nothing(const double *P, const double *dP, int j) {
    return 0;
}

static double own_weight(const double *P, const double *dP, int j) {
    return P[j] * dP[j];
}

static double unweighted(const double *P, const double *dP, int j) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += dP[i];
    return sum;
}

static double plain_average(const double *P, const double *dP, int j) {
    return unweighted(P, dP, j) / N;
}

static double divided_average(const double *P, const double *dP, int j) {
    return true_average(P, dP, j) / N;
}

static double others(const double *P, const double *dP, int j) {
    return true_average(P, dP, j) - P[j] * dP[j];
}

static double negative(const double *P, const double *dP, int j) {
    return -true_average(P, dP, j);
}

static double only_last(const double *P, const double *dP, int j) {
    return P[N - 1] * dP[N - 1];
}

static void no_average(double *dS, const double *in) {
    with(dS, in, nothing);
}

static void sigmoid(double *dS, const double *in) {
    with(dS, in, own_weight);
}

static void sum_of_dP(double *dS, const double *in) {
    with(dS, in, unweighted);
}

static void average_of_dP(double *dS, const double *in) {
    with(dS, in, plain_average);
}

static void divided(double *dS, const double *in) {
    with(dS, in, divided_average);
}

static void without_own(double *dS, const double *in) {
    with(dS, in, others);
}

static void added(double *dS, const double *in) {
    with(dS, in, negative);
}

static void last_only(double *dS, const double *in) {
    with(dS, in, only_last);
}

static void no_weight(double *dS, const double *in) {
    for (int j = 0; j < N; j++) dS[j] = in[N + j] - true_average(in, in + N, j);
}

static void no_bracket(double *dS, const double *in) {
    for (int j = 0; j < N; j++) dS[j] = in[j] * in[N + j] - true_average(in, in + N, j);
}

static void turned_round(double *dS, const double *in) {
    for (int j = 0; j < N; j++) dS[j] = in[j] * (true_average(in, in + N, j) - in[N + j]);
}

static void weighted_twice(double *dS, const double *in) {
    for (int j = 0; j < N; j++) dS[j] = in[j] * (in[N + j] - in[j] * true_average(in, in + N, j));
}

static void exchanged(double *dS, const double *in) {
    for (int j = 0; j < N; j++) dS[j] = in[N + j] * (in[j] - true_average(in, in + N, j));
}

static const Mistake mistakes[] = {
    {"The average is missing: you have P_j dP_j. When one weight grows, all others shrink, and their gradients count "
     "too.",
     no_average},
    {"You have P_j (1 - P_j) dP_j: only what S_j does to its own weight. It also makes all other weights shrink; that "
     "is what the average is for.",
     sigmoid},
    {"You subtract the sum of dP. The average is weighted: each dP_i is multiplied by its weight P_i.", sum_of_dP},
    {"You subtract the plain average of dP. It must be weighted: multiply each dP_i by its weight P_i instead of "
     "dividing by n.",
     average_of_dP},
    {"You divide the average by n. The weights P add up to 1 already, so the sum of P_i dP_i is an average as it is.",
     divided},
    {"You leave i = j out of the average. The sum goes over all i.", without_own},
    {"You add the average. It is subtracted: only what is above the average is pushed up.", added},
    {"Only the last term of the average is left. Add up with +=.", last_only},
    {"The factor P_j is missing: a token with a small weight gets a small gradient. It stands before the whole "
     "bracket.",
     no_weight},
    {"P_j must multiply the average, too: it is P_j (dP_j - average), with brackets, and not P_j dP_j - average.",
     no_bracket},
    {"Everything has the wrong sign: it is dP_j minus the average, and you have the average minus dP_j.", turned_round},
    {"P_j multiplies the average twice: once inside the bracket and once before it. Leave it out inside.",
     weighted_twice},
    {"P_j and dP_j are exchanged: P_j stands before the bracket, and inside it the average is subtracted from dP_j.",
     exchanged},
    {0},
};

int main(void) {
    const Check checks[] = {
        {"softmax_backward()", {{"P", N}, {"dP", N}}, {{"dS", N}}, invent, yours, right, mistakes, N, N}};
    return check_exercise("6_softmax.c", checks, 1);
}
