// Simulated studies: how often something happens in many studies, and how much that frequency varies by chance.
#ifndef BITTER_STUDIES_H
#define BITTER_STUDIES_H

#include "tests/lab/stats/intervals.h"

#include <math.h>
#include <stdint.h>

enum { STUDIES = 2500 };

// Four standard errors of the share of all studies in which something happens with probability p: 1.7% at p = 5%.
static inline double share_error(double p) {
    return 4 * sqrt(p * (1 - p) / STUDIES);
}

// Can the probability be 5% or less?
static inline bool keeps_level(double share) {
    return share <= 0.05 + share_error(0.05);
}

// Without an allowance for chance, because it is small beside the width: 95% has a standard error of 0.4%.
static inline bool covers(double share) {
    return share >= 0.93 && share <= 0.97;
}

static inline void expect_level(const char *name, double share) {
    if (!keeps_level(share)) fail_msg("%s: %.4f of studies call a difference that is not there", name, share);
}

static inline void expect_coverage(const char *name, double share) {
    if (!covers(share)) fail_msg("%s: %.4f of studies hold the truth, expected 0.93 to 0.97", name, share);
}

// Random number `index` < 4096 of a study.
static inline double normal_of(uint64_t key, int study, int index) {
    return random_normal(key, (uint64_t)study * 4096 + (uint64_t)index);
}

static inline double uniform_of(uint64_t key, int study, int index) {
    return random_uniform(key, (uint64_t)study * 4096 + (uint64_t)index);
}

#endif
