// What a position scheme does, found out through its hooks alone.
#ifndef BITTER_SCHEME_PROBE_H
#define BITTER_SCHEME_PROBE_H

#include "model/gpt.h"

// NAN where a measure does not apply. A code is what is added to an embedding, or what a rotation makes of one fixed
// query; scores are those of one fixed query with one fixed key, or of the codes with each other.
typedef struct {
    double unique;   // distance of the two most similar codes, by their root mean square
    double linear;   // residual of the best linear map from the codes at p to those at p+5, by the latter's spread
    double distance; // spread of scores within equal distances, by the spread of all
    double norm;     // largest relative change of a vector's length
    double falls;    // Spearman's rank correlation of the mean score with the distance
    int defined;     // longest input; 0 = any
    int axes;        // coordinates that change something
    double twins;    // distance between the unmasked attention outputs of two equal words, by their length
} SchemeProperties;

#define CODE_SHIFT 5 // k, where codes at p+k are compared with codes at p

#define PROBE_CONTEXT_LEAST 8 // for a shift of 5 tokens and a sentence of 5 words

// Measure the scheme of a model, with its parameters as they are, in layer 0. Fails (input) for want of memory, and
// when the model's context is shorter than PROBE_CONTEXT_LEAST.
bool scheme_probe(SchemeProperties *properties, const Gpt *gpt, uint64_t seed, Error *error);

// table (T, C): what the scheme adds to the embeddings of a trained window's tokens, or what its rotations make of one
// query in layer 0. Fails (input) for want of memory.
bool scheme_codes(real *table, const Gpt *gpt, Error *error);

// curves (H, T): what the scheme adds, in layer 0, to the scores of the last query of a trained window, by distance.
// Fails (input) for want of memory.
bool scheme_bias(double *curves, const Gpt *gpt, Error *error);

#endif
