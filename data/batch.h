// Training batches: rows are windows drawn from a seeded permutation of the training stream.
#ifndef BITTER_BATCH_H
#define BITTER_BATCH_H

#include "data/corpus.h"

// An epoch shifts the stream by a random 0..T-1 tokens, cuts it into windows of T and visits them in a random order.
// All of it is a function of (seed, cursor), so that the same seed, data and context give the same batches whatever
// else differs, and resuming needs only the two counters below.
typedef struct {
    const Split *split;
    int T;
    uint64_t key;
    uint64_t cursor; // rows handed out so far
    uint32_t crc;    // CRC-32 of every input id handed out so far: two runs with the same value saw the same text
} Batches;

// Fails (input) when the stream, called `name` in the message, has fewer than T + 1 tokens.
bool batches_start(Batches *batches, const Split *split, const char *name, int T, uint64_t seed, Error *error);

// The next B rows: inputs (B,T), and targets (B,T) which are the inputs shifted by one.
void batches_next(int *inputs, int *targets, Batches *batches, int B);

#endif
