// What a position scheme does, measured by calling its hooks: the columns of `bitter properties`.
#ifndef BITTER_SCHEME_PROBE_H
#define BITTER_SCHEME_PROBE_H

#include "model/gpt.h"

// NAN where a measure does not apply. A code is what the scheme adds to an embedding, or what its rotation makes of one
// fixed query. Scores are those of one fixed query with one fixed key at all distances, or of the codes with each
// other.
typedef struct {
    double distinct; // distance between the two most similar codes, divided by the root mean square of all codes
    double absolute; // spread of the scores at equal distance, divided by the spread of all scores
    double trend;    // Spearman's rank correlation of the mean score with the distance: -1 = always falls
    int longest;     // longest input; 0 = any
} SchemeProperties;

#define PROBE_CONTEXT_LEAST 8 // fewer distances say nothing of a trend

// Measure what a model's schemes do in a layer, with their parameters as they are. Fails (input) when the
// model's context is shorter than PROBE_CONTEXT_LEAST, (run) when there is no memory.
bool scheme_probe(SchemeProperties *properties, const Gpt *gpt, int layer, uint64_t seed, Error *error);

// table (T, C): what the scheme adds to the embeddings of a trained window's tokens, or what its rotations make of one
// query in layer 0. Fails (run) when there is no memory.
bool scheme_codes(real *table, const Gpt *gpt, Error *error);

// curves (H, T): what the scheme adds to the scores of the last query of a trained window, by distance, in the first
// layer where it adds anything, *layer. Fails (run) when there is no memory.
bool scheme_bias(double *curves, int *layer, const Gpt *gpt, Error *error);

#endif
