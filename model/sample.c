#include "model/sample.h"

#include <stdlib.h>

static int falling(const void *a, const void *b) {
    const real x = *(const real *)a, y = *(const real *)b;
    return (x < y) - (x > y);
}

int likeliest_token(const real *logits, int V) {
    int best = 0;
    for (int v = 1; v < V; v++)
        if (logits[v] > logits[best]) best = v;
    return best;
}

// Set the weights (V) of unlikely tokens to 0, as top_p and min_p say; the largest weight is 1. Returns their new sum.
// sorted (V) is overwritten.
static double leave_out(real *weights, real *sorted, int V, double sum, const Sampling *sampling) {
    double least = sampling->min_p, kept = 0, left = 0;
    if (sampling->top_p > 0 && sampling->top_p < 1) {
        int last = 0, count = 0;
        for (int v = 0; v < V; v++)
            if (weights[v] > 0) sorted[count++] = weights[v];
        qsort(sorted, (size_t)count, sizeof *sorted, falling);
        for (kept = sorted[0]; last + 1 < count && kept < sampling->top_p * sum; kept += sorted[last]) last++;
        if (sorted[last] > least) least = sorted[last];
    }
    for (int v = 0; v < V; v++) {
        if (weights[v] < least) weights[v] = 0;
        left += weights[v];
    }
    return left;
}

int sample_token(real *scratch, const real *logits, int V, const Sampling *sampling, Random *random) {
    real *weights = scratch, *sorted = scratch + V; // (V), (V)
    const int best = likeliest_token(logits, V), top_k = sampling->top_k;
    if (sampling->temperature <= 0) return best;
    real least = -INFINITY;
    if (top_k > 0 && top_k < V) {
        memcpy(sorted, logits, (size_t)V * sizeof *logits);
        qsort(sorted, (size_t)V, sizeof *sorted, falling);
        least = sorted[top_k - 1];
    }
    double sum = 0;
    for (int v = 0; v < V; v++) {
        weights[v] = logits[v] >= least ? (real)exp((logits[v] - logits[best]) / sampling->temperature) : 0;
        sum += weights[v];
    }
    if (sampling->min_p > 0 || sampling->top_p > 0) sum = leave_out(weights, sorted, V, sum, sampling);
    double left = random_next(random) * sum;
    for (int v = 0; v < V; v++) {
        left -= weights[v];
        if (left < 0) return v;
    }
    return best; // rounding left nothing to draw
}
