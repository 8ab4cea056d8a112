// Numbers as people read them.
#ifndef BITTER_NUMBERS_H
#define BITTER_NUMBERS_H

enum { NUMBER_WORDS = 32, INTERVAL_WORDS = 128 };

// The unit in which a number of this size is shown: returns its value, and sets *name to its suffix, as in "25k" or
// "3.5 M".
double number_unit(const char **name, double size);
// "25k", "3.5 M", "0.02", "1e+12": with three digits or four. Returns `words`.
const char *number_words(char words[NUMBER_WORDS], double value);

// The number of decimals, 2 to 8, that shows two significant digits of a number of this size.
int digits_for(double size);
// As many decimals as half the width of the interval needs, and more if an end that is not 0 would be shown as 0: at
// most two more if 0 is inside, otherwise up to 8 in all.
int digits_of(double mean, double low, double high);
// The value, or 0 where it would be shown as 0, so that "-0.00" is never shown.
double unsigned_zero(double value, int digits);
// "-0.15 (-0.17 to -0.13)", or the mean alone if an end is not finite, or "not known".
const char *interval_words(char words[INTERVAL_WORDS], double mean, double low, double high);

#endif
