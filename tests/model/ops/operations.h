// What the tests of single operations share.
#ifndef BITTER_TEST_OPERATIONS_H
#define BITTER_TEST_OPERATIONS_H

#include "model/ops/attention.h"
#include "model/ops/ops.h"
#include "tests/support/support.h"

#define EXACT  1e-12 // sums of some dozen terms of size 1
#define DIFFER 1e-8  // what four-point differences of smooth functions reach

static inline double weighted(const real *out, const real *upstream, size_t count) {
    double sum = 0;
    for (size_t n = 0; n < count; n++) sum += out[n] * upstream[n];
    return sum;
}

// `sums` started as `start` and must have been added to: what was added is left in their place.
static inline void take_start(real *sums, const real *start, size_t count) {
    for (size_t n = 0; n < count; n++) sums[n] -= start[n];
}

// The operands and results of a norm over `rows` rows of C channels.
typedef struct {
    real *x, *weight, *bias, *out, *mean, *rstd, *dout;
} Norm;

static inline Norm norm_make(size_t rows, size_t C) {
    return (Norm){random_reals(rows * C, "x", 2),
                  random_reals(C, "weight", 1),
                  random_reals(C, "bias", 1),
                  nan_reals(rows * C),
                  nan_reals(rows),
                  nan_reals(rows),
                  random_reals(rows * C, "dout", 1)};
}

static inline void norm_free(Norm *l) {
    real *const all[] = {l->x, l->weight, l->bias, l->out, l->mean, l->rstd, l->dout};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

#endif
