// Which keys a model's attention goes to, by their distance from the query in tokens.
#ifndef BITTER_ATTENDED_H
#define BITTER_ATTENDED_H

#include "model/gpt.h"

// by_distance is a mean over the T - distance queries of each window that have a key at this distance, so the sum of
// by_distance * (T - distance)/T over all distances is 1. The other numbers are means over all queries.
typedef struct {
    int layers, heads, T;
    double *by_distance; // (L, H, T) probability
    double *distance;    // (L, H) tokens back, weighted by probability
    double *entropy;     // (L, H) of a query's probabilities, in nats; exp of it is about how many keys it attends to
    double *first;       // (L, H) probability of the window's first token, which many heads use as an attention sink
} Attended;

// Run the model over ids (windows, T), each window on its own. Distances are numbers of tokens even where tokens stand
// at random coordinates. Fails (input) when the scheme is not defined for T positions, (run) when there is no memory.
bool attended_measure(Attended *attended, const Gpt *gpt, const int *ids, int windows, int T, Error *error);

void attended_free(Attended *attended);

#endif
