// Sentences about differences between schemes, made of numbers.
#ifndef BITTER_WORDS_H
#define BITTER_WORDS_H

#include "base/file/text.h"
#include "lab/stats/paired.h"

// The difference arm - other in one setting, with everything that a sentence needs.
typedef struct {
    const char *arm, *other, *setting; // names; the setting's is "" when there is only one
    const char *place;                 // "at" a size, "on" a text
    Paired gap;                        // in nats a token; below 0, arm is better
    Interval interval;                 // corrected
    Interval text;                     // 95%, over blocks of the text, with these runs
    Verdict verdict;                   // of this interval
    double resolvable;                 // the smallest true difference that has an 80% chance of being resolved
} Finding;

// Append one sentence about one contrast in all of its settings (count >= 1), which have the same arm and other:
// "rope is better than learned by 0.15 nats a token (0.13 to 0.17)." Differences that are not resolved are not called
// equal.
void words_contrast(Text *text, const Finding *findings, int count);

// How many characters the words of two settings share at their ends, so that a list says them once: "5 and 20 tokens a
// parameter".
int words_shared_end(const char *setting, const char *other);

// Append "by 0.15 nats a token (0.13 to 0.17)", or with its sign "-0.15 (-0.17 to -0.13)". As many digits as make the
// ends of a resolved interval differ from 0.
void words_amount(Text *text, const Finding *finding);
void words_signed(Text *text, double mean, Interval interval);

#endif
