// Counter-based random numbers: the n-th number of a stream is a pure function of (key, n), so that dropout masks can
// be recomputed in the backward pass, threads need no shared state, and resuming needs only the counter.
#ifndef BITTER_RANDOM_H
#define BITTER_RANDOM_H

#include <stdint.h>

// A key for one purpose ("init", "batches", a tensor's name): different purposes give independent streams of one seed.
uint64_t random_key(uint64_t seed, const char *purpose);

// 64 random bits: two rounds of the SplitMix64 finaliser (Steele, Lea, Flood 2014) over key and counter.
static inline uint64_t random_bits(uint64_t key, uint64_t counter) {
    uint64_t z = key + counter * 0x9E3779B97F4A7C15u;
    for (int round = 0; round < 2; round++) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        z ^= z >> 31;
        z += key;
    }
    return z;
}

// Uniform in [0, 1) with 53 random bits.
static inline double random_uniform(uint64_t key, uint64_t counter) {
    return (double)(random_bits(key, counter) >> 11) * 0x1p-53;
}

// Standard normal (Box-Muller, the cosine branch); uses the bits at 2*counter and 2*counter+1.
double random_normal(uint64_t key, uint64_t counter);

// A stream with a position, for code that draws one number after another.
typedef struct {
    uint64_t key, counter;
} Random;

// Uniform in [0, 1).
double random_next(Random *random);

// Uniform in 0..n-1; n must be positive. The bias, below n/2^53, is far below what any test here can detect.
int random_below(Random *random, int n);

// Entry `index` of a pseudo-random permutation of 0..n-1 chosen by key: a four-round Feistel network on the smallest
// even number of bits that holds n, walked until it lands inside (Black, Rogaway 2002). O(1) memory for any n > 0.
uint64_t random_permute(uint64_t index, uint64_t n, uint64_t key);

#endif
