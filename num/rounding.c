#include "num/rounding.h"

#include <float.h>
#include <math.h>

// x rounded to `bits` significant bits, but no finer than 2^finest. rint() rounds ties to even.
static double to_bits(double x, int bits, int finest) {
    int exponent; // |x| is below 2^exponent, but not below half of it
    frexp(x, &exponent);
    const double unit = ldexp(1, exponent - bits > finest ? exponent - bits : finest);
    return rint(x / unit) * unit;
}

static double clamped(double x, double most) {
    return x > most ? most : x < -most ? -most : x; // NaN stays
}

double rounded(double x, NumberFormat format, double largest) {
    if (format == FORMAT_FLOAT || isnan(x)) return x;
    if (format == FORMAT_FP8) return to_bits(clamped(x, 448), 4, -9);
    if (format == FORMAT_INT8) return largest > 0 ? rint(clamped(x / largest, 1) * 127) / 127 * largest : 0;
    const double y = isinf(x) ? x : to_bits(x, 8, -133);
    return fabs(y) > (double)FLT_MAX ? copysign(INFINITY, y) : y;
}

void round_all(real *x, size_t count, NumberFormat format) {
    double largest = 0;
    if (format == FORMAT_FLOAT) return;
    for (size_t i = 0; i < count; i++)
        if (isfinite(x[i])) largest = fmax(largest, fabs((double)x[i]));
    for (size_t i = 0; i < count; i++) x[i] = (real)rounded((double)x[i], format, largest);
}
