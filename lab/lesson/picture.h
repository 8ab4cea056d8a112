// The numbers in the pictures of the lesson's page that one pair of channels (pair.h) does not give.
#ifndef BITTER_LESSON_PICTURE_H
#define BITTER_LESSON_PICTURE_H

#include "posenc/registry.h"

// The loss of section 2, dy . R(angle) x: its gradient with respect to y = R(angle) x is dy, wherever x points.
double picture_loss(const double x[2], const double dy[2], double angle);

// The slope of that loss by a central difference, when channel `channel` (0 or 1) of x moves by `nudge` both ways.
double picture_slope(const double x[2], const double dy[2], double angle, int channel, double nudge);

// The same when the angle moves.
double picture_angle_slope(const double x[2], const double dy[2], double angle, double nudge);

// lengths (positions): a gradient of length 1 arrives at pair `pair` of a query, or of a key if `keys`, at each
// position; how long it is after the backward pass of rope or xpos, "NAME[:key=value,...]", with 16 channels a head in
// pairs (i, i+8). Fails (input) when the scheme is unknown or does not turn the pair, (run) without memory.
bool picture_lengths(double *lengths, const char *scheme, bool keys, int pair, int positions, Error *error);

// factors (pairs): what the frequencies are divided by, with the defaults of `bitter extend`; all 1 for METHOD_PI with
// factor 1. At least 2 pairs. Returns the factor of cosines and sines. Method: METHOD_PI, METHOD_NTK, METHOD_YARN or
// METHOD_LLAMA3.
double picture_factors(double *factors, Method method, double factor, int original, double base, int pairs);

// q . k with the query at m and the key at n, both turned: q and k (pairs, 2); pair i turns by base^(-i/pairs) /
// factors[i] radians a token.
double picture_score(const double *q, const double *k, const double *factors, double base, int pairs, int m, int n);

// scores (pairs, positions): what pair i adds to q . k when the query stands at 0, 1 ... and the key at 0.
void picture_scores(double *scores, const double *q, const double *k, const double *factors, double base, int pairs,
                    int positions);

#endif
