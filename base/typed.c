#include "base/typed.h"

#include <ctype.h>
#include <stdio.h>

bool typed_fail_list(Error *error, const char *option, const char *text, int at, const char *format, va_list list) {
    char message[sizeof error->message];
    vsnprintf(message, sizeof message, format, list);
    if (text[at])
        return fail_input(error, "%s '%s', character %d ('%.20s'): %s", option, text, at + 1, text + at, message);
    return fail_input(error, "%s '%s', at its end: %s", option, text, message);
}

bool typed_fail(Error *error, const char *option, const char *text, int at, const char *format, ...) {
    va_list list;
    va_start(list, format);
    typed_fail_list(error, option, text, at, format, list);
    va_end(list);
    return false;
}

bool typed_number(int *number, const char *option, const char *text, int *at, const char *what, int most,
                  Error *error) {
    long value = 0;
    if (!isdigit((unsigned char)text[*at])) return typed_fail(error, option, text, *at, "here should be %s", what);
    for (; isdigit((unsigned char)text[*at]); ++*at)
        if (value <= most) value = 10 * value + (text[*at] - '0');
    *number = value <= most ? (int)value : most + 1;
    return true;
}
