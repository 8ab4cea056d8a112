#include "cmd/statistics.h"

#include <math.h>

#define Z_95 1.959963984540054 // of the standard normal, 95% lie within so many deviations

// Squaring both sides gives a quadratic in p; these are its two roots.
Interval wilson(double right, double count) {
    if (!(count > 0)) return (Interval){0, 1};
    const double share = right / count, z2 = Z_95 * Z_95 / count;
    const double middle = (share + z2 / 2) / (1 + z2);
    const double half = sqrt(share * (1 - share) * z2 + z2 * z2 / 4) / (1 + z2);
    return (Interval){fmax(middle - half, 0), fmin(middle + half, 1)};
}
