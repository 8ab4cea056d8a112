// Mistakes that are easily made in a position scheme, planted on purpose. Most of them leave every gradient right:
// checks.h has the checks; running them shows which of them notices a mistake.
#ifndef BITTER_MISTAKES_H
#define BITTER_MISTAKES_H

#include "posenc/bias/bias.h"
#include "posenc/rotation/rotate.h"

// A copy of a scheme, with a copy of its family. Must not be moved: the scheme points at its family.
typedef struct {
    Scheme scheme;
    Family family;
    Angles angles; // the scheme's recipe may point at one of these, too
    Curve curve;
} Planted;

typedef struct {
    const char *name;     // "sign"
    const char *sentence; // what is wrong: "The gradient is turned forward, by the angle, instead of back."
    const Scheme *right;  // the scheme in which it is planted
    Family family;        // the hooks that are wrong; all others are NULL
    double (*theta)(const Position *pos, int set, int head, int pair);     // wrong frequencies, or NULL
    double (*curve)(const Position *pos, int set, int head, int distance); // wrong bias, or NULL
} Mistake;

// sign, values, pairing, exponent, bias, cache, dropped; and a row without a name.
extern const Mistake mistakes[];

// Returns NULL and fails (input) when there is none of that name.
const Mistake *mistake_find(const char *name, Error *error);

// wrong->scheme = the scheme with the mistake in it, under the right one's name and with its options. To use it,
// put it in the place of part[0].scheme of a parsed mix.
void mistake_plant(Planted *wrong, const Mistake *mistake);

#endif
