// Confidence intervals and Student's t distribution, with which lab/stats/paired.h compares schemes.
#ifndef BITTER_STATISTICS_H
#define BITTER_STATISTICS_H

typedef struct {
    double low, high;
} Interval;

// 95% interval for a probability, given `right` successes in `count` trials (Wilson 1927): all p that lie within z of
// their own standard errors of right/count, |right/count - p| <= z sqrt(p (1 - p) / count). Without trials, 0 to 1.
Interval wilson(double right, double count);

// The t that Student's T (1908) with df >= 1 degrees of freedom exceeds with the probability 0 < tail < 0.5. Its
// relative error is below 1e-8 for tails from 1e-7 on.
double student_t(double tail, int df);

// Returns the index at which a curve of `count` points leaves a plateau: the point farthest above the falling straight
// line from the plateau's first point to the curve's last one (after Satopaa et al. 2011), if it lies more than `least`
// above. A plateau may begin at any point up to which the curve falls more steeply than along the plateau, so the flat
// start of a training is not one. Returns -1 when the curve has had no plateau, or is still on it.
int plateau_end(const double *x, const double *y, int count, double least);

// Sort from the smallest to the largest.
void sort_rising(double *values, int count);

// Spearman's rank correlation of values (count) with 0, 1, 2 ...; equal values share their mean rank. NAN if all are
// equal.
double rank_correlation(const double *values, int count);

#endif
