// Comparing numbers and intervals with expected ones.
#ifndef BITTER_INTERVALS_H
#define BITTER_INTERVALS_H

#include "lab/stats/paired.h"
#include "tests/support/support.h"

#include <math.h>

static inline void expect_relative(const char *name, size_t at, double found, double expected, double tolerance) {
    expect_near(name, at, found, expected, tolerance * fabs(expected));
}

static inline void expect_interval(const char *name, Interval found, Interval expected, double tolerance) {
    expect_near(name, 0, found.low, expected.low, tolerance);
    expect_near(name, 1, found.high, expected.high, tolerance);
}

static inline bool holds(Interval interval, double value) {
    return interval.low <= value && value <= interval.high;
}

#endif
