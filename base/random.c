#include "base/random.h"

#include <math.h>

uint64_t random_key(uint64_t seed, const char *purpose) {
    uint64_t hash = 0xCBF29CE484222325u; // FNV-1a
    for (const char *c = purpose; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001B3u;
    return random_bits(hash, seed);
}

double random_normal(uint64_t key, uint64_t counter) {
    double radius = sqrt(-2 * log(1 - random_uniform(key, 2 * counter))); // 1 - u is in (0, 1], so the log is finite
    return radius * cos(6.283185307179586 * random_uniform(key, 2 * counter + 1));
}

double random_next(Random *random) {
    return random_uniform(random->key, random->counter++);
}

int random_below(Random *random, int n) {
    return (int)(random_next(random) * n);
}

uint64_t random_permute(uint64_t index, uint64_t n, uint64_t key) {
    int half = 1;
    while (half < 32 && (UINT64_C(1) << (2 * half)) < n) half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = index >> half, right = index & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (random_bits(key + round, right) & mask);
            left = right;
            right = next;
        }
        index = left << half | right;
    } while (index >= n);
    return index;
}
