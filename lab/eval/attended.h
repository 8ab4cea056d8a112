// Which keys a trained model's attention goes to, by how many tokens they lie back.
#ifndef BITTER_ATTENDED_H
#define BITTER_ATTENDED_H

#include "model/gpt.h"

// by_distance is the mean probability of the key so many tokens back, over the T - distance queries of each window that
// have one; so not these add up to 1, but their products with (T - distance)/T. All others are means over all queries.
typedef struct {
    int layers, heads, T;
    double *by_distance; // (L, H, T)
    double *distance;    // (L, H) tokens back, weighted by probability
    double *entropy;     // (L, H) of a query's probabilities, in nats; exp of it is about how many keys it attends to
    double *first;       // (L, H) probability of the window's first token, where heads rest that look for nothing
} Attended;

// Run the model over ids (windows, T), each window a text of its own. A distance counts tokens, also where the scheme
// places them at random coordinates. Fails (input) when the scheme is not defined for T, and for want of memory.
bool attended_measure(Attended *attended, const Gpt *gpt, const int *ids, int windows, int T, Error *error);

// The same numbers (one layer, one head) of attention that gives every key the same: what a curve has to be held
// against, because late queries give each key less and they alone have large distances.
bool attended_uniform(Attended *attended, int T, Error *error);

void attended_free(Attended *attended);

#endif
