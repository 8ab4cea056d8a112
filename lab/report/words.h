// The sentences of a report about differences between schemes.
#ifndef BITTER_WORDS_H
#define BITTER_WORDS_H

#include "base/file/text.h"
#include "lab/stats/paired.h"

// The difference variant - other in one setting, with everything that a sentence needs.
typedef struct {
    const char *variant, *other, *setting; // names; the setting's is "" when there is only one
    const char *place;                     // "at" a size, "on" a text
    Paired gap;                            // in nats a token; below 0, variant is better
    Interval interval;                     // corrected
    Interval text;                         // 95%, over blocks of the text, with these runs
    Verdict verdict;                       // of this interval
    double resolvable;                     // the smallest true difference that has an 80% chance of being resolved
} Finding;

// Append one sentence about one contrast in all of its settings (count >= 1), which have the same variant and other:
// "rope is better than learned by 0.15 nats a token (0.13 to 0.17)." Differences that are not resolved are not called
// equal.
void words_contrast(Text *text, const Finding *findings, int count);

// Append how a difference changes: "from 25k to 70k -0.28 (-0.37 to -0.18), in favour of learned".
void words_change(Text *text, const Finding *change, const char *from, const char *to);

// Append "by 0.15 nats a token (0.13 to 0.17)", or with its sign "-0.15 (-0.17 to -0.13)". As many digits as make the
// ends of a resolved interval differ from 0.
void words_amount(Text *text, const Finding *finding);
void words_signed(Text *text, double mean, Interval interval);

#endif
