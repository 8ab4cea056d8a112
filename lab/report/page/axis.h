// Axes of charts: from numbers to places on a drawing, and the numbers at their ticks.
#ifndef BITTER_AXIS_H
#define BITTER_AXIS_H

#include <stdbool.h>

enum { TICKS_MOST = 12, TICK_WORDS = 32, RANGE_WORDS = 2 * TICK_WORDS + 4 };

typedef struct {
    bool log;
    double low, high; // what is shown
    double from, to;  // where low and high are on the drawing
    double ticks[TICKS_MOST];
    int count;   // of ticks
    double step; // between them on a linear axis; 0 where each tick has its own digits
} ChartAxis;

// An axis that shows low to high, with `room` (a share of the length) left free at both ends. Equal ends get some
// space, and numbers beyond 1e300 are taken for it. Logarithmic only if both are above 0.
void axis_fit(ChartAxis *axis, double low, double high, double room, bool log);

// Where a value is on the drawing; ends beyond the axis are cut off a little outside of it. NAN for NAN, and for 0 and
// less on a logarithmic axis.
double axis_at(const ChartAxis *axis, double value);

// Choose round numbers as ticks, at most `most` of them (2 to TICKS_MOST).
void axis_ticks(ChartAxis *axis, int most);
// Use `values` (count) as ticks, without those that would stand closer than `apart` to the tick before.
void axis_ticks_at(ChartAxis *axis, const double *values, int count, double apart);

// The words at tick i: "25k", "3.5 M", "0.02", "1e+12". Returns `words`.
const char *axis_words(char words[TICK_WORDS], const ChartAxis *axis, int i);

// A number in the same manner, with three digits. Returns `words`.
const char *number_words(char words[TICK_WORDS], double value);
// "1.2 M to 1.3 M", or one number where both have the same words.
const char *range_words(char words[RANGE_WORDS], double least, double most);

// Digits after the point, 2 to 8, that show two digits of a number of this size.
int digits_for(double size);

// As many as half of an interval around `mean` needs, and more if an end would be shown as 0 and is not: two more at
// most if 0 is inside, otherwise up to 8 in all.
int digits_of(double mean, double low, double high);

enum { INTERVAL_WORDS = 128 };
// "-0.15 (-0.17 to -0.13)", or the mean alone if an end is not finite, or "not known". Returns `words`.
const char *interval_words(char words[INTERVAL_WORDS], double mean, double low, double high);

#endif
