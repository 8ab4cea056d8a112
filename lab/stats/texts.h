// How much a difference depends on the text on which it was measured. Seeds cannot say: every seed reads the same text,
// so more seeds make their interval shorter, but they measure one text ever more exactly.
#ifndef BITTER_TEXTS_H
#define BITTER_TEXTS_H

#include "lab/stats/paired.h"

#define BLOCKS_LEAST 8

// 95% interval for the mean gap of one contrast on all text like the measured one, with these runs: gaps (seeds,
// blocks), blocks consecutive and of equal length. The seeds are averaged first and stay fixed. NAN if blocks <
// BLOCKS_LEAST, or if a gap is not finite.
//
// The circular block bootstrap (Politis, Romano 1992) redraws the text in runs of L adjacent blocks, L the cube root of
// `blocks` rounded up (4 of 32), because neighbouring blocks may be alike. Its standard error has a closed form, so
// nothing is drawn: with k = blocks/L runs, se^2 = (mean squared distance of all runs' means from the mean) / (k - 1),
// and the interval is mean -+ t(0.975, k - 1) se. Percentiles would be too short: k is small.
//
// Measured coverage with 32 blocks, by the correlation of neighbouring blocks: 0: 96.5%, 0.3: 94.8%, 0.5: 91%, 0.7:
// 84%. The interval does not cover other seeds, texts of another kind, nor drifts longer than a few blocks.
Interval blocks_interval(const double *gaps, int seeds, int blocks);

// Several texts as a random effect: gaps (texts, seeds) of one contrast, at most SEEDS_MOST texts. The units are the
// texts, each with its mean over the seeds, so the interval (df = texts - 1) is for the mean over all texts like these,
// and contains the noise of single runs. It leaves out what a seed does to every text alike. If a gap is not finite,
// everything is NAN.
//
// With seeds as units instead, each with its mean over the texts, the interval is for these very texts: it holds the
// mean over all such texts as rarely as the texts differ.
Paired texts_summary(const double *gaps, int texts, int seeds);

#endif
