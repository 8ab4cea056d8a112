#include "num/tensor.h"

#include "base/option.h"

#include <string.h>

#define OPTION    "--window"
#define KEYS_MOST 10000000

// "KEYS" or "KEYS*LAYERS"
static bool parse_item(Windows *windows, const char *text, int *at, Error *error) {
    const int start = *at;
    int keys, repeat = 1;
    if (!typed_number(&keys, OPTION, text, at, "a number of keys, such as 64", KEYS_MOST, error)) return false;
    if (keys > KEYS_MOST) return typed_fail(error, OPTION, text, start, "a number here is at most %d", KEYS_MOST);
    if (text[*at] == '*') {
        const int number = ++*at;
        if (!typed_number(&repeat, OPTION, text, at, "a number of layers", WINDOWS_CAPACITY, error)) return false;
        if (repeat < 1) return typed_fail(error, OPTION, text, number, "give a number of layers from 1 on");
    }
    if (repeat > WINDOWS_CAPACITY - windows->period)
        return typed_fail(error, OPTION, text, start, "the windows must repeat after at most %d layers",
                          WINDOWS_CAPACITY);
    while (repeat-- > 0) windows->keys[windows->period++] = keys;
    return true;
}

bool windows_parse(Windows *windows, const char *text, int layers, Error *error) {
    int longest = 0;
    *windows = (Windows){0};
    for (int at = 0; *text;) {
        if (!parse_item(windows, text, &at, error)) return false;
        const int separator = at;
        if (!text[at]) break;
        at += text[at] == ',';
        at += (int)strspn(text + at, " ");
        if (at == separator) return typed_fail(error, OPTION, text, at, "windows are separated by a comma or a space");
    }
    for (int l = 0; l < windows->period; l++) longest = windows->keys[l] > longest ? windows->keys[l] : longest;
    if (windows->period > 0 && longest == 0)
        return typed_fail(
            error, OPTION, text, 0,
            "a window of 0 keys leaves nothing to see; to see all keys give --window '', the default, or 0 "
            "beside other windows, as in '64*5,0'");
    if (windows->period > layers)
        return typed_fail(error, OPTION, text, 0, "these are windows for %d layers, but --layers %d", windows->period,
                          layers);
    return true;
}
