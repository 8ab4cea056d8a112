// How threads share the work. A whole pass runs inside one parallel region; every thread of the team calls every op,
// and each does its own share: a consecutive run of rows (tokens), or of columns (output channels) where a sum runs
// over all rows. A thread may read its own rows at once; before it reads another thread's rows there must be a barrier.
// Outside of a parallel region the team is one thread, and its share is everything.
#ifndef BITTER_TEAM_H
#define BITTER_TEAM_H

#include "num/real.h"

#include <omp.h>
#include <stddef.h>

#define THREADS_MOST 1024 // in a team

typedef struct {
    int begin, end;
} Share;

// The calling thread's share of 0..n-1: the same for the same n, so that ops over the same rows need no barrier between
// them. Cuts fall on multiples of `grain`.
static inline Share share_of(int n, int grain) {
    const long long blocks = ((long long)n + grain - 1) / grain, threads = omp_get_num_threads(),
                    thread = omp_get_thread_num();
    const long long begin = blocks * thread / threads * grain, end = blocks * (thread + 1) / threads * grain;
    return (Share){begin < n ? (int)begin : n, end < n ? (int)end : n};
}

// Rows in groups: matrix kernels work on several at a time.
#define ROWS_SHARED 4
static inline Share share_rows(int rows) {
    return share_of(rows, ROWS_SHARED);
}

// Columns of a matrix, or numbers of a tensor, in whole cache lines.
static inline Share share_columns(int columns) {
    return share_of(columns, 16);
}

// Wait until all threads of the team have come this far.
static inline void team_barrier(void) {
#pragma omp barrier
}

// A slab is the partial sum of one sequence, or of one head of it. No two threads add to the same slab, and slabs are
// added up in order, so that any number of threads gives the same bits. sum (size) += each of slabs (count, size),
// which are zeroed. Needs a barrier before it. By columns.
static inline void slabs_reduce(real *sum, real *slabs, int count, int size) {
    const Share own = share_columns(size);
    for (int s = 0; s < count; s++) {
        real *slab = slabs + (size_t)s * (size_t)size;
        for (int n = own.begin; n < own.end; n++) {
            sum[n] += slab[n];
            slab[n] = 0;
        }
    }
}

#endif
