// A mix with a changed copy of a scheme.
#ifndef BITTER_PLANTED_H
#define BITTER_PLANTED_H

#include "posenc/mix.h"

#include <stdio.h>

// Parse "key=value,..." for a copy of a scheme of the registry; the mix then has the copy in its place.
static inline bool mix_parse_of(Mix *mix, const Scheme *scheme, const char *list, Error *error) {
    char text[TEXT_CAPACITY];
    snprintf(text, sizeof text, "%s%s%s", scheme->name, list ? ":" : "", list ? list : "");
    if (!mix_parse(mix, text, error)) return false;
    mix->part[0].scheme = scheme;
    return true;
}

#endif
