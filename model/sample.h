// From logits to the next token.
#ifndef BITTER_SAMPLE_H
#define BITTER_SAMPLE_H

#include "base/random.h"
#include "num/real.h"

// The token with the largest of logits (V).
int likeliest_token(const real *logits, int V);

// Which tokens are drawn, and how often. Probabilities are those of softmax(logits / temperature).
typedef struct {
    double temperature; // 0 = always the largest logit
    int top_k;    // only the k most likely ones; 0 = all. Those tied with the last are kept too, here and in top_p
    double top_p; // of these, only the fewest most likely ones whose probabilities add up to this; 0 or 1 = all
    double min_p; // of these, only those with at least this times the probability of the most likely one
} Sampling;

// Draw a token. logits (V); scratch (2V) is overwritten.
int sample_token(real *scratch, const real *logits, int V, const Sampling *sampling, Random *random);

#endif
