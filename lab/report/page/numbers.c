#include "lab/report/page/numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

double number_unit(const char **name, double largest) {
    const double size = largest * (1 + 1e-9);
    *name = size >= 1e9 ? " G" : size >= 1e6 ? " M" : size >= 1e4 ? "k" : "";
    return size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : size >= 1e4 ? 1e3 : 1;
}

const char *number_words(char words[NUMBER_WORDS], double value) {
    const char *name;
    const double size = fabs(value), unit = number_unit(&name, size);
    if (!isfinite(value)) return strcpy(words, "-");
    if (size >= 1e10 || (size < 1e-3 && size > 0))
        snprintf(words, NUMBER_WORDS, "%.3g", value);
    else
        snprintf(words, NUMBER_WORDS,
                 unit == 1            ? "%.4g%s"
                 : size / unit >= 100 ? "%.0f%s"
                                      : "%.3g%s",
                 value / unit, name);
    return words;
}

int digits_for(double size) {
    const double digits = 1 + ceil(-log10(fabs(size) / 0.95));
    return !(digits > 2) ? 2 : digits > 8 ? 8 : (int)digits;
}

int digits_of(double mean, double low, double high) {
    const double half = 0.5 * (high - low);
    int digits = isfinite(half) && half > 0 ? digits_for(half) : mean == 0 ? 4 : digits_for(mean);
    const int most = low * high > 0 ? 8 : digits + 2;
    if (isfinite(half) && low != 0 && high != 0)
        while (digits < most && !(fmin(fabs(low), fabs(high)) >= 0.5 * pow(10, -digits))) digits++;
    return digits;
}

double unsigned_zero(double value, int digits) {
    return fabs(value) < 0.5 * pow(10, -digits) ? 0 : value;
}

const char *interval_words(char words[INTERVAL_WORDS], double mean, double low, double high) {
    const int digits = digits_of(mean, low, high);
    const bool bounded = isfinite(low) && isfinite(high);
    if (!isfinite(mean)) return strcpy(words, "not known");
    snprintf(words, INTERVAL_WORDS, bounded ? "%+.*f (%+.*f to %+.*f)" : "%+.*f", digits, unsigned_zero(mean, digits),
             digits, unsigned_zero(low, digits), digits, unsigned_zero(high, digits));
    return words;
}
