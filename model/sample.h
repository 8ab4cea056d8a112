// From logits to the next token.
#ifndef BITTER_SAMPLE_H
#define BITTER_SAMPLE_H

#include "base/random.h"
#include "model/base/real.h"

// The token with the largest of logits (V).
int likeliest_token(const real *logits, int V);

// Draw from softmax(logits / temperature) among the top_k largest (0 = all; ties with the last of them count too);
// temperature 0 takes the largest. logits (V); scratch (V) is overwritten.
int sample_token(real *scratch, const real *logits, int V, double temperature, int top_k, Random *random);

#endif
