// Sums that several threads work on: each sequence (and head) adds to a slab of its own, and the slabs are added up in
// order, so that the same threads, and any number of them, give the same bits.
#ifndef BITTER_SLABS_H
#define BITTER_SLABS_H

#include "model/base/real.h"

// sum (size) += each of slabs (count, size), which are zeroed. Called by every thread of the team, behind a barrier;
// each does its share of the columns.
void slabs_reduce(real *sum, real *slabs, int count, int size);

#endif
