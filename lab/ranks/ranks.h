// One training run, shared by the processes that mpirun has started: rank 0, 1, 2 ... of ranks_count(). `make MPI=1`
// compiles mpi.c; otherwise alone.c has the same functions for the only process there is.
#ifndef BITTER_RANKS_H
#define BITTER_RANKS_H

#include "base/error.h"
#include "model/base/real.h"

#include <stddef.h>

// Was the program built with MPI?
extern const bool ranks_built;

// Call once, before anything is printed. From then on only rank 0 is heard: what the others print goes nowhere. When
// the program ends, ranks wait a moment for each other, so that rank 0 has said all it has to say. Fails (run) for want
// of memory.
bool ranks_start(Error *error);

int ranks_count(void);
int ranks_own(void);    // this process's rank
int ranks_here(void);   // ranks on this machine
bool ranks_first(void); // is this rank 0, which writes all files?

// Every rank calls the functions below, all in the same order. They fail (interrupted) when a signal has come and the
// other ranks do not follow soon, because one of them may have ended. After a failure the ranks are on their own:
// further calls do nothing, and return false.

// Did every rank succeed? If not, *error becomes the error of the first one that failed.
bool ranks_agree(bool ok, Error *error);

// values (count) += those of all other ranks: for each number, 0 plus that of rank 0, plus that of rank 1 and so on, so
// that all ranks have the same bits.
bool ranks_sum(real *values, size_t count, Error *error);
bool ranks_sum_doubles(double *values, int count, Error *error);

// The other ranks get the bytes of rank 0.
bool ranks_share(void *bytes, size_t size, Error *error);

#endif
