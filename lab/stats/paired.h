// Two schemes compared by paired differences. Runs of the same seed share initial weights and batches, so the
// difference of their losses, the first scheme's minus the second's, is free of what the seed does to both. Below 0 the
// first one is better. The n seeds are the independent units.
//
// What n = 5 can do, with s for the standard deviation of the differences, alone and as one of m comparisons that are
// corrected together:
//                                            m = 1     5     10    28    56
//   the interval reaches to either side by  1.24 s  2.06  2.50  3.31  3.97 s
//   found 4 times out of 5: a difference of 1.68 s  2.63  3.16  4.12  4.91 s
// s itself is known only within factors of 0.6 and 2.9. So name few comparisons before the runs, or take more seeds: 10
// seeds find 1.72 s as one of 28. Tests that assume nothing (signs, ranks) cannot reach p = 0.05: five equal signs have
// p = 2/32. So differences are assumed to be roughly normal, which five of them cannot show.
//
// In simulated studies with 8 schemes, 5 seeds and no real difference (tests/lab/stats/test_families.c), all corrected
// intervals of a family of losses hold the truth at once in 95.0% of studies for 5 contrasts and 95.8% for all 28
// pairs. Where runs learn a task or do not by chance, 1.1% and 4.6% call a difference. Only shapes of noise that are
// unlike break the level: if one scheme always answers half of the questions and another all or none, 22% of studies
// call a difference among 5 contrasts, and no correction mends that. Look at the seeds.
#ifndef BITTER_PAIRED_H
#define BITTER_PAIRED_H

#include "lab/stats/statistics.h"

#include <stdbool.h>

#define SEEDS_MOST 64 // differences in one comparison

// Paired differences of one contrast, or the difference of two independent variants (unpaired_summary).
typedef struct {
    int n;           // differences; without pairs: runs of the smaller variant
    double mean, sd; // sd with n - 1; without pairs: of the difference of one run of each variant
    double se;       // standard error of the mean: sd / sqrt(n) for pairs
    double df;       // degrees of freedom of se: n - 1 for pairs
    double p;        // two-sided, that the true mean is 0, by Student's t with df degrees of freedom; not corrected
    Interval t;      // 95%, mean -+ t_.975 se; not corrected for other comparisons (see paired_interval)
} Paired;

// Of n <= SEEDS_MOST differences. If one is not finite, everything is NAN: leaving out the seeds that diverged would
// flatter a scheme. One difference has only a mean. Equal differences have sd 0, the point as interval, and p 0, or 1
// if they are all 0.
Paired paired_summary(const double *differences, int n);

// The difference mean(a) - mean(b) of variants a (na) and b (nb) that share no seeds, by Welch's test (1947): the
// variances may differ, and df, between min(na, nb) - 1 and na + nb - 2, is Welch's and Satterthwaite's. If a value is
// not finite, everything is NAN. A variant of one run leaves only the mean. If neither variant has any spread, p is 0,
// or 1 if the means are equal. The 95% interval holds the truth in 94.6 to 95.6% of studies with 5 runs against 5,
// whatever the variances, and in 94.2% with 4 noisy runs against 12.
Paired unpaired_summary(const double *a, int na, const double *b, int nb);

// --- one verdict for one number: the corrected interval decides ---

// Bonferroni's simultaneous interval of one of m = `comparisons` >= 1 comparisons: mean -+ t(1 - 0.025/m, df) se. All m
// intervals of a family hold their true means with a probability of at least 95%, however the comparisons depend on
// each other. NAN where p is.
Interval paired_interval(const Paired *paired, double comparisons);

// min(1, comparisons * p): at most 0.05 exactly where paired_interval leaves out 0. NAN where p is.
double paired_adjusted(const Paired *paired, double comparisons);

typedef enum { VERDICT_UNRESOLVED, VERDICT_BETTER, VERDICT_WORSE } Verdict;

// By paired_interval alone: better if all of the interval is below 0, worse if all of it is above. Else, or if it is
// NAN, not resolved, which is not the same as equal (see resolvable).
Verdict paired_verdict(const Paired *paired, double comparisons);

const char *verdict_words(Verdict verdict); // "better", "worse", "not resolved"

// The smallest true difference whose corrected interval (paired_interval) leaves out 0 with a probability of 80%, in
// the unit of the standard error se with df degrees of freedom, paired or not. NAN if se or df is. The textbooks'
// (t_.975 + t_.8) se is 5% too small at df = 2, 1.2% at 4, 0.1% at 9, and 7% at 4 for one of ten comparisons.
double resolvable(double se, double df, double comparisons);

// --- how much a difference depends on the text on which it was measured. Seeds cannot say: every seed reads the same
// text, so more seeds make their interval shorter, but they measure one text ever more exactly ---

#define BLOCKS_LEAST 8

// 95% interval for the mean gap of one contrast on all text like the measured one, with these runs: gaps (blocks,
// seeds), blocks consecutive and of equal length. The seeds are averaged first and stay fixed. NAN if blocks <
// BLOCKS_LEAST, or if a gap is not finite.
//
// The circular block bootstrap (Politis, Romano 1992) redraws the text in runs of L adjacent blocks, L the cube root of
// `blocks` rounded up (4 of 32), because neighbouring blocks may be alike. Its standard error has a closed form, so
// nothing is drawn: with k = blocks/L runs, se^2 = (mean squared distance of all runs' means from the mean) / (k - 1),
// and the interval is mean -+ t(0.975, k - 1) se. Percentiles would be too short: k is small.
//
// Measured coverage with 32 blocks, by the correlation of neighbouring blocks: 0: 96.5%, 0.3: 94.8%, 0.5: 91%, 0.7:
// 84%. The interval does not cover other seeds, texts of another kind, nor drifts longer than a few blocks.
Interval blocks_interval(const double *gaps, int blocks, int seeds);

// Several texts as a random effect: gaps (texts, seeds) of one contrast, at most SEEDS_MOST texts. The units are the
// texts, each with its mean over the seeds, so the interval (df = texts - 1) is for the mean over all texts like these,
// and contains the noise of single runs. It leaves out what a seed does to every text alike. If a gap is not finite,
// everything is NAN.
//
// With seeds as units instead, each with its mean over the texts, the interval is for these very texts: it holds the
// mean over all such texts as rarely as the texts differ.
Paired texts_summary(const double *gaps, int texts, int seeds);

#endif
