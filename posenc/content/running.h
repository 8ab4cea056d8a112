// Sums over the tokens between a key and a query: a number of each token, such as fox's log f or cable's penalty, added
// up from the token behind the key to the query's own.
#ifndef BITTER_RUNNING_H
#define BITTER_RUNNING_H

#include "posenc/scheme.h"

// sum_t = that of the numbers of the tokens 0 .. t of a block. These sums grow with the text while the differences that
// matter stay small, so each is held in two numbers: what a real can hold, and the rest.
typedef struct {
    real *sum, *rest; // (columns)
} Running;

// How many reals of scratch memory the sums of a block with so many columns need.
static inline size_t running_scratch(int columns) {
    return 2 * (size_t)columns;
}

// The sums of `numbers`, one for each column, `stride` apart; they lie in `scratch`, where running_of finds them again.
Running running_forward(const ScoreBlock *block, const real *numbers, int stride, real *scratch);
static inline Running running_of(const ScoreBlock *block, real *scratch) {
    return (Running){scratch, scratch + block->columns};
}

// number_{j+1} + ... + number_i
static inline real running_between(Running running, int i, int j) {
    return (running.sum[i] - running.sum[j]) + (running.rest[i] - running.rest[j]);
}

// From the gradients of the sums, dsum (columns), add to those of the numbers, `stride` apart.
void running_backward(real *dnumbers, const real *dsum, const ScoreBlock *block, int stride);

#endif
