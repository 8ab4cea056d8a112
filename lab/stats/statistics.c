#include "lab/stats/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define Z_95 1.959963984540054 // of the standard normal, 95% lie within so many deviations

// Squaring both sides gives a quadratic in p; these are its two roots.
Interval wilson(double right, double count) {
    if (!(count > 0)) return (Interval){0, 1};
    const double share = right / count, z2 = Z_95 * Z_95 / count;
    const double middle = (share + z2 / 2) / (1 + z2);
    const double half = sqrt(share * (1 - share) * z2 + z2 * z2 / 4) / (1 + z2);
    return (Interval){fmax(middle - half, 0), fmin(middle + half, 1)};
}

// I_x(a, b) with y = 1 - x by its continued fraction (DLMF 8.17.22), from the last term to the first. Where
// x <= (a + 1) / (a + b + 2) and one of a, b is 1/2, 12 + 4 sqrt(a) pairs of terms, at most 60, give all digits.
static double beta_fraction(double x, double y, double a, double b) {
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y)) / a;
    double rest = 1;
    for (int m = (int)fmin(12 + 4 * sqrt(a), 60); m > 0; m--) {
        const double odd = -(a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1));
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        rest = 1 + odd / (1 + even / rest);
    }
    return front / rest;
}

// x and y = 1 - x are both given, because a small one has more digits than 1 minus the other.
static double incomplete_beta(double x, double y, double a, double b) {
    if (x <= (a + 1) / (a + b + 2)) return beta_fraction(x, y, a, b);
    return 1 - beta_fraction(y, x, b, a);
}

double t_cdf(double t, double df) {
    assert(df >= 1);
    const double x = df / (df + t * t), y = 1 / (1 + df / (t * t));
    const double tail = incomplete_beta(x, y, df / 2, 0.5) / 2;
    return t > 0 ? 1 - tail : tail;
}

static double t_density(double t, double df) {
    const double at_0 = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * M_PI);
    return at_0 * pow(1 + t * t / df, -(df + 1) / 2);
}

// Below 0 t_cdf is convex, so that Newton's method from above the quantile comes down to it and never passes it.
double t_quantile(double p, double df) {
    if (!(p > 0 && p < 1)) return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    if (p > 0.5) return -t_quantile(1 - p, df);
    if (p == 0.5) return 0;
    double low = -1, t = 0;
    while (t_cdf(low, df) > p) {
        t = low;
        low *= 2;
    }
    for (double next; (next = t - (t_cdf(t, df) - p) / t_density(t, df)) < t;) t = next;
    return t;
}

static double slope_between(const double *x, const double *y, int a, int b) {
    return (y[b] - y[a]) / (x[b] - x[a]);
}

int plateau_end(const double *x, const double *y, int count, double least) {
    const int last = count - 1;
    double highest = least;
    int end = -1;
    for (int begin = 1; begin < last; begin++)
        for (int i = begin + 1; i < last; i++) {
            const double before = slope_between(x, y, begin - 1, begin), on = slope_between(x, y, begin, i);
            const double whole = slope_between(x, y, begin, last), above = (on - whole) * (x[i] - x[begin]);
            if (!(above > highest && before < on && whole < 0)) continue;
            highest = above;
            end = i;
        }
    return end;
}

static int rising(const void *a, const void *b) {
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

void sort_rising(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, rising);
}

double rank_correlation(const double *values, int count) {
    double product = 0, squares = 0, places = 0;
    for (int i = 0; i < count; i++) {
        double rank = 0;
        for (int j = 0; j < count; j++) rank += values[j] < values[i] ? 1 : values[j] == values[i] ? 0.5 : 0;
        const double off = rank - 0.5 * count, place = i - 0.5 * (count - 1);
        product += off * place;
        squares += off * off;
        places += place * place;
    }
    return squares > 0 ? product / sqrt(squares * places) : NAN;
}
