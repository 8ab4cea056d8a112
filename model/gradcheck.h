// Every hand-written gradient against central differences. Meant for the double build: in float, differences bottom out
// near 1e-2.
#ifndef BITTER_GRADCHECK_H
#define BITTER_GRADCHECK_H

#include "model/train_pass.h"

typedef struct {
    int B, T; // of the batch; T is also the model's context
    double dropout;
    bool directions; // false: every single number; true: one random direction through each tensor, for larger models
    uint64_t seed;
} GradcheckSettings;

// The result for one tensor. An error is |analytic - numeric| divided by the largest of |analytic|, |numeric|, 1% of
// this tensor's RMS gradient, and 0.1% of the whole model's RMS gradient.
typedef struct {
    char name[64];
    double worst;             // NaN counts as worst of all
    size_t at;                // index of the number with the worst error
    size_t columns;           // of the tensor, if it is a matrix; 0 = a vector
    double analytic, numeric; // gradients at that number
} GradientError;

// Check a scheme from mix_create in a small random model whose loss weighs tokens differently. Fills one entry per
// tensor and a last one, "input embeddings"; the caller frees *errors. Fails (nonfinite) if the loss is not finite.
bool gradcheck(GradientError **errors, int *count, const Mix *pos, const GradcheckSettings *settings, Error *error);

// The larger of two errors; NaN is the largest.
static inline double worse(double a, double b) {
    return isnan(a) || b <= a ? a : b;
}

// The worst of them all; NaN if any is.
double gradcheck_worst(const GradientError *errors, int count);

#endif
