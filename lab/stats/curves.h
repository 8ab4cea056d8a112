// Which formula a curve over distance follows, such as the learned bias of one head: each family of formulas is fitted
// to the even distances and judged by the odd ones.
#ifndef BITTER_CURVES_H
#define BITTER_CURVES_H

#include "base/error.h"

// By their number of parameters.
typedef enum {
    FAMILY_CONSTANT,    // a
    FAMILY_LINEAR,      // a + r d: ALiBi
    FAMILY_LOG,         // a + r log(1 + p d): KERPLE, logarithmic
    FAMILY_POWER,       // a + r d^p: KERPLE, power
    FAMILY_EXPONENTIAL, // a + r exp(-d/p)
    FAMILY_FOURIER,     // a + r cos(2 pi p d) + s sin(2 pi p d)
    FAMILIES
} CurveFamily;

typedef struct {
    double offset;     // a
    double weights[2]; // r and s, of any sign; 0 where the family has none
    double shape;      // p; NAN where the family has none
    double error;      // root mean square error at odd distances / the standard deviation of the whole curve
} CurveFit;

typedef struct {
    CurveFit fits[FAMILIES];
    CurveFamily best; // FAMILY_CONSTANT: none of the others is better than no formula at all
} CurveFits;

#define CURVE_LEAST 16 // distances, for 8 to fit and 8 to judge

// Fit all families to curve (n), n >= CURVE_LEAST, at distances 0 .. n-1. Weights and offset are exact least squares; p
// is searched on a grid and then refined: log 1/n to 100, power 0.05 to 2, exponential 1/2 to n, Fourier 1/n to 1/4
// (even distances cannot tell faster waves from slower ones). The best family has the smallest error once each
// parameter costs a factor m^(1/2m) with m = n/2 errors (Schwarz 1978), 2% at n = 256. A curve that is flat or not
// finite has errors NAN and a constant as best. Fails (run) for want of memory.
bool curves_fit(CurveFits *fits, const double *curve, int n, Error *error);

// The fitted formula at a distance.
double curve_value(CurveFamily family, const CurveFit *fit, double distance);

// "exponential", and "a + r exp(-d/p)"
const char *family_name(CurveFamily family);
const char *family_formula(CurveFamily family);

#endif
