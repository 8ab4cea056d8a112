// Mistakes that are easily made in a position scheme, planted on purpose, and the checks that may notice them. Most
// leave every gradient right: which check notices which mistake is found out by running it.
//
// In a build with real = float the checks work, too, but CHECK_GRADIENT proves something in double only.
#ifndef BITTER_MISTAKES_H
#define BITTER_MISTAKES_H

#include "model/gradcheck.h"

typedef struct {
    const char *name;     // "sign"
    const char *sentence; // what is wrong
    const char *title;    // of the scheme that has it: "rope, gradient turned in the wrong direction"
    const Scheme *right;  // the scheme without the mistake, whose options and name it shares
    Scheme wrong;         // the same with the mistake
} Mistake;

enum { MISTAKES = 7 };

// The sign of the backward turn, values turned too, the pairing mixed up between training and use, the exponent i/d
// instead of 2i/d, the bias added before the scale, the rotation after the cache, and a dropped term: sign, values,
// pairing, exponent, bias, cache, dropped.
extern const Mistake *const mistakes[MISTAKES];

// Fails (input) with the nearest name.
const Mistake *mistake_find(const char *name, Error *error);

typedef enum {
    CHECK_GRADIENT, // every gradient against central differences
    CHECK_LENGTH,   // turning keeps the length of queries, keys and values, turning back that of their gradients
    CHECK_SHIFT,    // tokens that all stand s further on give the same outputs of attention
    CHECK_FORMULA,  // outputs of attention, and codes, against the formula of the paper in plain loops
    CHECK_USE,      // logits of the model fed token by token, with a cache, against those of a pass of training
    CHECKS,
} Check;

extern const char *const check_names[CHECKS]; // "gradient", "length", ...
extern const char *const check_tells[CHECKS]; // what each compares, a few words

typedef struct {
    bool applies;     // shift and formula may not: learned positions are no function of distances, and only rope,
                      // alibi and learned have their formulas here
    double error;     // NaN counts as worst of all
    double tolerance; // the check notices something if !(error <= tolerance)
} Verdict;

// Run one check on a scheme, right or wrong, that position_fit has set up. Fails (run) when there is no memory, (input)
// when there is no such model.
bool mistake_check(Verdict *verdict, Check check, const Position *pos, Error *error);

static inline bool verdict_notices(const Verdict *verdict) {
    return verdict->applies && !(verdict->error <= verdict->tolerance);
}

#endif
