#include "lab/report/page/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGEST 1e300

static double place_of(const ChartAxis *axis, double value) {
    return axis->log ? log10(value) : value;
}

void axis_fit(ChartAxis *axis, double low, double high, double room, bool log) {
    *axis = (ChartAxis){.log = log && low > 0};
    low = place_of(axis, fmax(fmin(low, LARGEST), -LARGEST));
    high = place_of(axis, fmax(fmin(high, LARGEST), -LARGEST));
    double space = room * (high - low);
    // Numbers that differ in their last bits only count as equal.
    if (!(high - low > 1e-12 * fmax(fabs(low), fabs(high)))) space = axis->log ? 0.3 : high == 0 ? 1 : 0.1 * fabs(high);
    axis->low = axis->log ? pow(10, fmax(low - space, -305)) : low - space;
    axis->high = axis->log ? pow(10, fmin(high + space, 305)) : high + space;
}

double axis_at(const ChartAxis *axis, double value) {
    const double low = place_of(axis, axis->low), high = place_of(axis, axis->high);
    if (isnan(value) || (axis->log && !(value > 0))) return NAN;
    const double share = (place_of(axis, value) - low) / (high - low);
    return axis->from + fmax(-0.05, fmin(1.05, share)) * (axis->to - axis->from);
}

// 1, 2 or 5 times a power of ten.
static double round_step(double least) {
    const double power = pow(10, floor(log10(least)));
    const double times = least / power;
    return (times <= 1.0001 ? 1 : times <= 2.0001 ? 2 : times <= 5.0001 ? 5 : 10) * power;
}

static int ticks_between(const ChartAxis *axis, double step) {
    return (int)(floor(axis->high / step + 1e-9) - ceil(axis->low / step - 1e-9)) + 1;
}

static void linear_ticks(ChartAxis *axis, int most) {
    double step = round_step((axis->high - axis->low) / most);
    while (ticks_between(axis, step) > most) step = round_step(1.5 * step);
    // A single tick tells no scale.
    while (ticks_between(axis, step) < 2 && most < 5) step = round_step((axis->high - axis->low) / ++most);
    axis->step = step;
    const double first = ceil(axis->low / step - 1e-9);
    for (axis->count = 0; axis->count < most; axis->count++) {
        const double tick = (first + axis->count) * step;
        if (tick > axis->high + 1e-9 * step) return;
        axis->ticks[axis->count] = tick;
    }
}

// 1, 2 and 5 times the powers of ten; where these are too many the powers alone, or every second, third ... of them.
static void log_ticks(ChartAxis *axis, int most) {
    static const double parts[] = {1, 2, 5};
    const int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high));
    axis->step = 0;
    axis->count = most + 1;
    for (int every = 0; axis->count > most; every++) {
        axis->count = 0;
        for (int power = first; power <= last; power++)
            for (int p = 0; p < (every ? 1 : 3) && axis->count <= most; p++) {
                const double tick = parts[p] * pow(10, power);
                if (tick < axis->low * (1 - 1e-9) || tick > axis->high * (1 + 1e-9) || (every && power % every))
                    continue;
                if (axis->count++ < most) axis->ticks[axis->count - 1] = tick;
            }
    }
    if (axis->count < 2) linear_ticks(axis, most);
}

void axis_ticks(ChartAxis *axis, int most) {
    (axis->log ? log_ticks : linear_ticks)(axis, most);
}

void axis_ticks_at(ChartAxis *axis, const double *values, int count, double apart) {
    axis->count = 0;
    axis->step = 0;
    double last = -INFINITY;
    for (int i = 0; i < count && axis->count < TICKS_MOST; i++) {
        const double at = axis_at(axis, values[i]);
        if (!(fabs(at - last) >= apart)) continue;
        axis->ticks[axis->count++] = values[i];
        last = at;
    }
}

// What numbers up to this size are divided by. "25k" is read as one word; a capital letter stands apart.
static double unit_of(const char **name, double largest) {
    const double size = largest * (1 + 1e-9);
    *name = size >= 1e9 ? " G" : size >= 1e6 ? " M" : size >= 1e4 ? "k" : "";
    return size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : size >= 1e4 ? 1e3 : 1;
}

const char *number_words(char words[TICK_WORDS], double value) {
    const char *name;
    const double size = fabs(value), unit = unit_of(&name, size);
    if (!isfinite(value)) return strcpy(words, "-");
    if (size >= 1e10 || (size < 1e-3 && size > 0))
        snprintf(words, TICK_WORDS, "%.3g", value);
    else
        snprintf(words, TICK_WORDS,
                 unit == 1            ? "%.4g%s"
                 : size / unit >= 100 ? "%.0f%s"
                                      : "%.3g%s",
                 value / unit, name);
    return words;
}

const char *range_words(char words[RANGE_WORDS], double least, double most) {
    char low[TICK_WORDS], high[TICK_WORDS];
    number_words(low, least);
    number_words(high, most);
    snprintf(words, RANGE_WORDS, strcmp(low, high) ? "%s to %s" : "%s", low, high);
    return words;
}

const char *axis_words(char words[TICK_WORDS], const ChartAxis *axis, int i) {
    const double value = axis->ticks[i], largest = fmax(fabs(axis->ticks[0]), fabs(axis->ticks[axis->count - 1]));
    const char *name;
    const double unit = unit_of(&name, largest);
    if (!(axis->step > 0)) return number_words(words, value);
    if (fabs(value) < 1e-9 * axis->step) return strcpy(words, "0");
    if (largest >= 1e10 || axis->step < 1e-5)
        snprintf(words, TICK_WORDS, "%.10g", value);
    else
        snprintf(words, TICK_WORDS, "%.*f%s", (int)fmax(0, ceil(-log10(axis->step / unit) - 1e-9)), value / unit, name);
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

// What rounds to 0 has no minus.
static double rounded(double value, int digits) {
    return fabs(value) < 0.5 * pow(10, -digits) ? 0 : value;
}

const char *interval_words(char words[INTERVAL_WORDS], double mean, double low, double high) {
    const int digits = digits_of(mean, low, high);
    const bool bounded = isfinite(low) && isfinite(high);
    if (!isfinite(mean)) return strcpy(words, "not known");
    snprintf(words, INTERVAL_WORDS, bounded ? "%+.*f (%+.*f to %+.*f)" : "%+.*f", digits, rounded(mean, digits), digits,
             rounded(low, digits), digits, rounded(high, digits));
    return words;
}
