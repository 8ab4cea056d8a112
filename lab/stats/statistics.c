#include "lab/stats/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
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

// P(-t < T < t), a finite sum over powers of cos(angle) (Abramowitz, Stegun 1964, 26.7.3 and 26.7.4).
static double student_within(double t, int df) {
    const bool odd = df % 2;
    const double angle = atan(t / sqrt(df)), c = cos(angle);
    double sum = 0, term = odd ? c : 1;
    for (int power = odd; power <= df - 2; power += 2) {
        sum += term;
        term *= c * c * (power + 1) / (power + 2);
    }
    return odd ? (angle + sin(angle) * sum) * 2 / M_PI : sin(angle) * sum;
}

double student_t(double tail, int df) {
    assert(df >= 1 && tail > 0 && tail < 0.5);
    double low = 0, high = 1;
    while (1 - student_within(high, df) > 2 * tail) high *= 2;
    for (int halving = 0; halving < 60; halving++) {
        const double middle = low + (high - low) / 2;
        if (1 - student_within(middle, df) > 2 * tail)
            low = middle;
        else
            high = middle;
    }
    return high;
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
