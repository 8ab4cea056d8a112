// Exercise 6: softmax, backwards.
//
// What it is for: Attention turns scores into weights: positive numbers that add up to 1, one for each token that is
// looked at. The function that does this is softmax,
//
//     P_i = exp(S_i) / (exp(S_0) + exp(S_1) + ... + exp(S_{n-1})).
//
// Gradients travel backwards, so every gradient of a score has come through this function.
//
// Formula: When S_j grows, its own weight P_j grows, and all others shrink, because the weights still add up to 1:
//
//     P_j grows by P_j (1 - P_j);          every other P_i grows by -P_i P_j.
//
// For one j, multiply each growth by the gradient dP of its weight, and add up. P_j is a factor of every term:
//
//     dS_j = P_j dP_j - P_j (P_0 dP_0 + P_1 dP_1 + ... + P_{n-1} dP_{n-1})
//
// In words: the bracket is the average of dP, weighted by P. dS_j is P_j times how far dP_j lies above the average.
//
// Fill in: one term of the average; then dS_j.
//
// Hint: If all dP are equal, so that moving weight around changes nothing, every dS_j must be 0.
#include "exercise.h"

#include <math.h>

// dS, dP and P: (n).
void softmax_backward(double *dS, const double *dP, const double *P, int n) {
    double average = 0;
    for (int i = 0; i < n; i++) {
        average += FILL_IN;
    }
    for (int j = 0; j < n; j++) {
        dS[j] = FILL_IN;
    }
}
