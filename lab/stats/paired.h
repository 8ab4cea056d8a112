// Two schemes compared by paired differences. Runs of the same seed share initial weights and batches; the difference
// of their losses, the first scheme's minus the second's, is one number for each seed. Below 0 the first one is better.
// The n seeds are the independent units.
//
// The estimate is the median of these differences over all seeds: as many seeds lie above it as below. A seed that
// happens to leave the plateau late has a loss far above the others. Most samples of five have no such seed, so they
// cannot tell where the mean is: Student's t intervals cover it in 76% of cases instead of 95%. The median has an
// interval that assumes nothing about the distribution of the noise (Thompson 1936): of n sorted differences, [x_k,
// x_n+1-k] misses the median only if fewer than k seeds fall on one side of it, which is twice as likely as fewer than
// k heads in n coin tosses. Between two such intervals, the wanted level is interpolated (Hettmansperger, Sheather
// 1986). This assumes that the density of the noise is about even there: where almost half of the seeds end in a
// cluster far from the others, 95% intervals cover the median in 88% of cases with n = 6, in 91% with n = 12.
//
// n seeds reach a level of 1 - 0.05/m in this way if 2^(1-n) <= 0.05/m: 6 seeds suffice for m = 1 comparison, 8 for 6,
// 11 for 28. With fewer, the interval is Student's t around the mean, widened to at least [x_1, x_n], which alone
// covers the median with a probability of 93.75% for n = 5. Its coverage does depend on the distribution: `make
// coverage` prints it, and docs/intervals.md has the table.
//
// The true difference, about, that is found 4 times out of 5 in m comparisons, in standard deviations s of normal
// noise:
//            m = 1     6     28
//   n = 5    1.81 s  2.77  4.14 s
//   n = 12   1.05 s  1.38  1.60 s
//   n = 20   0.80 s  1.02  1.21 s
#ifndef BITTER_PAIRED_H
#define BITTER_PAIRED_H

#include "lab/stats/statistics.h"

#include <stdbool.h>

#define SEEDS_MOST 64 // differences in one comparison

// Paired differences of one contrast.
typedef struct {
    int n;
    double sorted[SEEDS_MOST]; // (n) the differences, rising
    double estimate;           // their median, which the intervals are to cover
    double mean, sd;           // sd with n - 1
    Interval alone;            // 95%, not corrected for other comparisons (see paired_interval)
} Paired;

// Summarise n <= SEEDS_MOST differences. If one is not finite, every result is NAN: leaving out the seeds that diverged
// would flatter a scheme. One difference has no sd and no interval. Equal differences have sd 0 and a point as
// interval.
Paired paired_summary(const double *differences, int n);

// --- one verdict for one number: the corrected interval decides ---

// Interval of one of m = `comparisons` >= 1 comparisons, with a level of 1 - 0.05/m (Bonferroni): with probability 95%,
// all m intervals of a family cover their true values, however the comparisons depend on each other. NAN without sd.
Interval paired_interval(const Paired *paired, double comparisons);

// Are there enough seeds for an interval between sorted differences, which assumes no more than the interpolation
// above?
bool paired_exact(const Paired *paired, double comparisons);

// The smallest number of seeds for which paired_exact is true.
int paired_enough(double comparisons);

// The first two are resolved, and the last two have no interval.
typedef enum {
    VERDICT_BETTER,
    VERDICT_WORSE,
    VERDICT_UNRESOLVED,
    VERDICT_ONE_SEED,
    VERDICT_DIVERGED,
    VERDICTS
} Verdict;

// Is one of the two better?
static inline bool verdict_resolved(Verdict verdict) {
    return verdict == VERDICT_BETTER || verdict == VERDICT_WORSE;
}

// By paired_interval alone: better if all of the interval is below 0, worse if all of it is above. Else not resolved,
// which is not the same as equal (see resolvable).
Verdict paired_verdict(const Paired *paired, double comparisons);

const char *verdict_words(Verdict verdict); // "better", "worse", "not resolved", or why there is no verdict

// The smallest true difference whose corrected interval (paired_interval) leaves out 0 with a probability of 80%, if
// the noise is normal with the standard deviation paired->sd. Uses n and sd. NAN if sd is.
double resolvable(const Paired *paired, double comparisons);

// Several texts as a random effect: gaps (texts, seeds) of one contrast, at most SEEDS_MOST texts. The units are the
// texts, each with its median over the seeds, so the interval is for the median over all texts like these. If a gap is
// not finite, everything is NAN. With seeds as units instead, the interval would be for these very texts.
Paired texts_summary(const double *gaps, int texts, int seeds);

#endif
