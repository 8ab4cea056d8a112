#include "model/base/windows.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Fail at a character of the text, counted from 0.
static bool fail_at(Error *error, const char *text, int at, const char *format, ...) FORMAT_CHECK(4, 5);
static bool fail_at(Error *error, const char *text, int at, const char *format, ...) {
    char message[512];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (text[at])
        return fail_input(error, "--window '%.200s', character %d ('%.20s'): %s", text, at + 1, text + at, message);
    return fail_input(error, "--window '%.200s', at its end: %s", text, message);
}

// A whole number at *at, which is moved behind it; larger ones than `most` fail.
static bool parse_number(int *number, const char *text, int *at, const char *what, int most, Error *error) {
    const int start = *at;
    long value = 0;
    if (!isdigit((unsigned char)text[*at])) return fail_at(error, text, *at, "here should be %s", what);
    for (; isdigit((unsigned char)text[*at]); ++*at)
        if (value <= most) value = 10 * value + (text[*at] - '0');
    *number = (int)value;
    return value <= most || fail_at(error, text, start, "a number here is at most %d", most);
}

// "KEYS" or "KEYS*LAYERS"
static bool parse_item(Windows *windows, const char *text, int *at, Error *error) {
    const int start = *at;
    int keys, repeat = 1;
    if (!parse_number(&keys, text, at, "a number of keys, such as 64", 10000000, error)) return false;
    if (text[*at] == '*') {
        const int number = ++*at;
        if (!parse_number(&repeat, text, at, "a number of layers", 1000000, error)) return false;
        if (repeat < 1) return fail_at(error, text, number, "give a number of layers from 1 on");
    }
    if (repeat > WINDOWS_CAPACITY - windows->period)
        return fail_at(error, text, start, "the windows must repeat after at most %d layers", WINDOWS_CAPACITY);
    while (repeat-- > 0) windows->keys[windows->period++] = keys;
    return true;
}

bool windows_parse(Windows *windows, const char *text, int layers, Error *error) {
    int items = 0, longest = 0;
    *windows = (Windows){0};
    for (int at = 0; *text; items++) {
        if (!parse_item(windows, text, &at, error)) return false;
        const int separator = at;
        if (!text[at]) break;
        at += text[at] == ',';
        at += (int)strspn(text + at, " ");
        if (text[at] == '@')
            return fail_at(error, text, at, "windows stand in the order of the layers, without @, as in '64*3,0'");
        if (at == separator) return fail_at(error, text, at, "windows are separated by a comma or a space");
    }
    for (int l = 0; l < windows->period; l++) longest = windows->keys[l] > longest ? windows->keys[l] : longest;
    if (windows->period > 0 && longest == 0)
        return fail_at(error, text, 0,
                       "a window of 0 keys leaves nothing to see; to see all keys give --window '', the default, or 0 "
                       "beside other windows, as in '64*5,0'");
    if (windows->period > 1 && items == 0)
        return fail_at(error, text, (int)strcspn(text, "*"),
                       "no other window stands beside these %d layers; leave out "
                       "*%d",
                       windows->period, windows->period);
    if (windows->period > layers)
        return fail_at(error, text, 0, "these are windows for %d layers, but --layers %d", windows->period, layers);
    return true;
}
