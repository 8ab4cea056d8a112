// Numbers as people read them.
#ifndef BITTER_NUMBERS_H
#define BITTER_NUMBERS_H

enum { NUMBER_WORDS = 32, INTERVAL_WORDS = 128 };

// What numbers of this size are divided by, and the *name of that: "25k" is read as one word, a capital letter stands
// apart.
double number_unit(const char **name, double size);
// "25k", "3.5 M", "0.02", "1e+12": with three digits or four. Returns `words`, as all of these do.
const char *number_words(char words[NUMBER_WORDS], double value);

// Digits after the point, 2 to 8, that show two digits of a number of this size.
int digits_for(double size);
// As many as half of an interval around `mean` needs, and more if an end would be shown as 0 and is not: two more at
// most if 0 is inside, otherwise up to 8 in all.
int digits_of(double mean, double low, double high);
// The value, or 0 where it would be shown as 0: "-0.00" has no minus.
double unsigned_zero(double value, int digits);
// "-0.15 (-0.17 to -0.13)", or the mean alone if an end is not finite, or "not known".
const char *interval_words(char words[INTERVAL_WORDS], double mean, double low, double high);

#endif
