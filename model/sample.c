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

int sample_token(real *scratch, const real *logits, int V, double temperature, int top_k, Random *random) {
    const int best = likeliest_token(logits, V);
    if (temperature <= 0) return best;
    real least = -INFINITY;
    if (top_k > 0 && top_k < V) {
        memcpy(scratch, logits, (size_t)V * sizeof *logits);
        qsort(scratch, (size_t)V, sizeof *scratch, falling);
        least = scratch[top_k - 1];
    }
    double sum = 0;
    for (int v = 0; v < V; v++) {
        scratch[v] = logits[v] >= least ? (real)exp((logits[v] - logits[best]) / temperature) : 0;
        sum += scratch[v];
    }
    double left = random_next(random) * sum;
    for (int v = 0; v < V; v++) {
        left -= scratch[v];
        if (left < 0) return v;
    }
    return best; // rounding left nothing to draw
}
