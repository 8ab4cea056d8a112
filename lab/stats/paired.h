// Two schemes compared by paired differences. Runs of the same seed share initial weights and batches, so the
// difference of their losses is free of what the seed does to both: d = (this scheme's loss) - (the reference's), in
// whatever unit the losses have; below 0 is better. The n seeds are the independent units.
//
// What n = 5 can do, with s for the differences' standard deviation: the t interval reaches 1.24 s to either side of
// the mean; a true difference of 1.68 s is found 4 times out of 5, beside nine other comparisons one of 3.16 s; and s
// itself is known only within factors of 0.6 and 2.9. Tests that assume nothing (signs, ranks) cannot reach p = 0.05:
// all five signs alike have p = 2/32. So differences are taken to be roughly normal; 5 cannot show whether they are.
#ifndef BITTER_PAIRED_H
#define BITTER_PAIRED_H

#include "lab/stats/statistics.h"

#include <stdbool.h>

#define SEEDS_MOST 64 // differences in one comparison

typedef struct {
    int n;
    double mean, sd;    // sd with n - 1
    double p;           // two-sided, that the true mean is 0: Student's paired t-test with n - 1 degrees of freedom
    Interval t;         // 95%, mean -+ t_.975 sd / sqrt(n)
    Interval bootstrap; // 95%, see bootstrap_interval
} Paired;

// Of n <= SEEDS_MOST differences. A difference that is not finite makes everything NAN: leaving out the seeds that
// diverged would flatter a scheme. One difference has only a mean. Differences that are all equal have sd 0, both
// intervals are the point, and p is 0, or 1 if they are all 0.
Paired paired_summary(const double *differences, int n);

// The studentised bootstrap (Hall 1988; Efron, Tibshirani 1993, chapter 12): with t* = (mean* - mean) / (sd* / sqrt(n))
// of samples redrawn from the differences, the interval is mean - t* sd / sqrt(n) between the upper and the lower 2.5%
// of t*. It assumes no shape, so where it is longer to one side than the t interval the differences are skewed. Needs
// two finite differences at least.
//
// Up to n = 8 all n^n samples count, each set of values once with its number of orders (126 sets at n = 5): exact, no
// random numbers. Beyond, 10000 are drawn by a fixed key, which moves the ends by about 3% of the half-width. Either
// way the same differences in any order give the same interval.
//
// Why not plain percentiles of mean*: they cannot leave the range of the differences, and of normal differences cover
// the truth 83% of the time at n = 5 instead of 95%. Measured here (t interval in brackets): n = 5 normal 95% (95%),
// exponential 93% (88%); n = 10 normal 95% (95%), exponential 94% (90%). The price is length: at n = 5 the median is
// 1.28 times the t interval's, and one in twenty is 3 times as long. Where more than 2.5% of samples are of equal
// values an end is infinite: always for n = 2 and 3, and nearly so for 4.
Interval bootstrap_interval(const double *differences, int n);

// Half the length of the 95% t interval of n differences with this standard deviation; NAN for n < 2.
double paired_half_width(double sd, int n);

// The probability that the two-sided test finds (p <= 0.05) a true mean of `effect` standard deviations: the noncentral
// t (t_power). With more than one comparison, that it passes the first and strictest step of holm(): 0.05/comparisons.
// NAN for n < 2.
double paired_power(double effect, int n, int comparisons);

// The smallest true difference that paired_power finds with probability 80%, in the unit of sd; NAN for n < 2. The
// textbooks' (t_.975 + t_.8) sd / sqrt(n) is 5% too small at n = 3, 1.2% at 5, 0.1% at 10, and 7% at 5 for one of ten
// comparisons.
double paired_resolvable(double sd, int n, int comparisons);

// Holm's step-down correction (1979) of `count` p-values, so that among all comparisons a false difference is called
// with probability 0.05 at most. adjusted (count) is in the same order: the j-th smallest of m is multiplied by
// m - j + 1, is at least the one before it and at most 1. A NAN, a comparison that could not be made, stays NAN and is
// not counted in m. The two arrays must not overlap.
void holm(double *adjusted, const double *p, int count);

typedef enum { VERDICT_UNRESOLVED, VERDICT_BETTER, VERDICT_WORSE } Verdict;

// Better or worse than the reference if p, adjusted by holm(), is at most 0.05, by the mean difference's sign: a lower
// loss is better. Else, or if p is NAN, not resolved: which is not the same as equal, see paired_resolvable.
Verdict verdict(double mean, double p);
const char *verdict_words(Verdict verdict); // "better", "worse", "not resolved"

// How a gap between two schemes, (learned - designed) say, moves with x, say log10 of the compute.
typedef struct {
    Paired slope;       // of the seeds' lines: change of the gap where x grows by 1
    Paired first, last; // the gaps at the smallest and at the largest x, as they were measured
    Paired bend;        // of the seeds' parabolas, the factor of x^2; NAN with fewer than three different x
    double misfit;      // largest distance of a mean gap from the mean line; 0 with two points
} Trend;

// Least-squares lines through gaps (seeds, points) at x (points), in any order, one for each seed; then t intervals
// over the seeds' slopes. Every seed is at every x, so the mean slope is also that of the line through all gaps, but
// points of one seed are not independent and must not be counted as if they were: the interval knows seeds - 1 degrees
// of freedom, however many points. It says how well the seeds agree on the best line, not that the gap is straight:
// see trend_is_bent, and do not read the line outside its points. NAN where a gap is not finite or all x are equal.
Trend trend_fit(const double *x, const double *gaps, int seeds, int points);

typedef enum { TREND_UNRESOLVED, TREND_CLOSING, TREND_OPENING, TREND_CROSSING } TrendVerdict;

// p is the slope's, adjusted by holm() if several trends are looked at. A slope alone does not say whether a gap gets
// smaller: that takes the gap's sign. With "known" for p <= 0.05, and a known slope,
//   closing       the gap is known at one end at least, and the line moves towards 0 there; where it ends it may have
//                 come to 0, or past it by less than is known
//   opening       the gap is known at one end at least, and the line moves away from 0 there
//   crossing      known at both ends with opposite signs: who was ahead at the smallest x is behind at the largest
//   not resolved  the slope is not known, or the gap is known at neither end, or from end to end it went the other way
// A crossing gap first closes and then opens, so neither of those words would be true of it.
TrendVerdict trend_verdict(const Trend *trend, double p);
const char *trend_words(TrendVerdict verdict);

// Do the seeds agree (p <= 0.05, for each trend alone) that the gap does not move along a straight line? Then the slope
// is that of a mean over parts that differ, and the verdict is of the two ends.
bool trend_is_bent(const Trend *trend);

#endif
