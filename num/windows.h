// Attention windows: in which layers a query sees only the last keys.
#ifndef BITTER_WINDOWS_H
#define BITTER_WINDOWS_H

#include "base/error.h"

#define WINDOWS_CAPACITY 64 // layers of a period

typedef struct {
    int period;                 // layers until the windows repeat; 0 = every layer sees all keys
    int keys[WINDOWS_CAPACITY]; // of each layer of a period: how many keys a query sees, its own included; 0 = all
} Windows;

// Parse the text of --window, "64", "64*5,0" or "", for a model of so many layers. Fails (input) with the place in the
// text.
bool windows_parse(Windows *windows, const char *text, int layers, Error *error);

// How many keys a query sees, its own included, as the mean over a text of T tokens. `most` as in Windows.keys.
static inline double keys_seen_of(int T, int most) {
    if (most == 0 || most >= T) return (T + 1) / 2.0;
    return most - most * (most - 1.0) / (2.0 * T);
}

#endif
