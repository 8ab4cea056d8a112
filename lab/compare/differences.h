// The differences between schemes, each with one verdict, which every table, plot and sentence shows.
#ifndef BITTER_DIFFERENCES_H
#define BITTER_DIFFERENCES_H

#include "lab/compare/measure.h"
#include "lab/compare/outcome.h"

// The loss of one scheme minus that of another, in windows of the trained length: below 0, `variant` is better.
typedef struct {
    int variant, other;
    int setting;           // over texts: the setting of the first text
    int texts;             // 1, or the number of texts that it is over, as a random effect
    const Contrast *named; // NULL: nobody has named it, it is there because all pairs are
    bool primary;          // named before any run was done
    double comparisons;    // the size of its family, for which the interval, p and resolvable are corrected
    Paired gap;        // not corrected; units are seeds (with --unpaired runs of either variant), over texts the texts
    Interval interval; // simultaneous, see paired_interval
    double p;          // corrected, see paired_adjusted
    Verdict verdict;   // of this interval
    double resolvable; // the smallest true difference that the interval finds in 80% of cases
    Interval text;     // 95%, for other text of the kind, with these runs (blocks_interval); NAN over texts
} Difference;

// Primary contrasts in all settings, and over the texts if there are several, are one family. All pairs of variants in
// one setting are another, in which all other differences are exploratory.
typedef struct {
    Difference *items; // named ones first: each in all settings, then over the texts; then the other pairs by setting
    int count;
} Differences;

// All of them, from the complete seeds. A scheme that diverged has NAN, and counts in the family. Fails (run) when
// there is no memory.
bool outcome_differences(Differences *differences, const Outcome *outcome, Error *error);
void differences_free(Differences *differences);

// The difference variant - other in one setting, not over texts, whichever way round it was named; false if there is
// none.
bool differences_find(Difference *difference, const Differences *differences, int setting, int variant, int other);

// The most that the probability can be of calling at least one difference that is not there, in a family of this size,
// if seeds were added each time because none was resolved: peeking_error of the plan's looks and the present one. 0.05
// with no looks before. Unpaired seeds, which have more degrees of freedom, are counted as if they were paired.
double outcome_peeking(const Outcome *outcome, double comparisons);

#endif
