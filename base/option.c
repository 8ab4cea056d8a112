#include "base/option.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *field(void *target, const Option *option) {
    return (char *)target + option->offset;
}

static bool is_numeric(const Option *option) {
    return option->type == OPTION_INTEGER || option->type == OPTION_NUMBER;
}

static int lower(char c) {
    return tolower((unsigned char)c);
}

enum { LONGEST_NAME = 48, INFINITE_DISTANCE = LONGEST_NAME + 1 };

// The number of edits (insert, remove, replace, swap neighbours) between two words no longer than LONGEST_NAME.
static int edit_distance(const char *from, const char *to) {
    int m = (int)strlen(from), n = (int)strlen(to);
    int steps[LONGEST_NAME + 1][LONGEST_NAME + 1];
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                steps[i][j] = i + j;
                continue;
            }
            int least = steps[i - 1][j - 1] + (lower(from[i - 1]) != lower(to[j - 1]));
            if (steps[i - 1][j] + 1 < least) least = steps[i - 1][j] + 1;
            if (steps[i][j - 1] + 1 < least) least = steps[i][j - 1] + 1;
            bool swapped =
                i > 1 && j > 1 && lower(from[i - 1]) == lower(to[j - 2]) && lower(from[i - 2]) == lower(to[j - 1]);
            if (swapped && steps[i - 2][j - 2] + 1 < least) least = steps[i - 2][j - 2] + 1;
            steps[i][j] = least;
        }
    }
    return steps[m][n];
}

// Is `name` nearer to `word` than the best so far? Then its distance becomes *best; start from INFINITE_DISTANCE.
static bool is_nearer(int *best, const char *word, const char *name) {
    size_t length = strlen(word), longer = length > strlen(name) ? length : strlen(name);
    if (longer > LONGEST_NAME) return false;
    int distance = length > 0 && strncmp(word, name, length) == 0 ? 0 : edit_distance(word, name);
    if (distance >= *best || (size_t)distance > longer / 2) return false;
    *best = distance;
    return true;
}

const char *nearest_name(const char *word, const char *const *names, int count) {
    const char *nearest = NULL;
    int best = INFINITE_DISTANCE;
    for (int i = 0; i < count; i++)
        if (is_nearer(&best, word, names[i])) nearest = names[i];
    return nearest;
}

const Option *option_find(const Option *table, const char *name) {
    for (const Option *option = table; option->name; option++)
        if (option->type != OPTION_HEADING && strcmp(option->name, name) == 0) return option;
    return NULL;
}

const Option *option_nearest(const Option *table, const char *name) {
    const Option *nearest = NULL;
    int best = INFINITE_DISTANCE;
    for (const Option *option = table; option->name; option++)
        if (option->type != OPTION_HEADING && is_nearer(&best, name, option->name)) nearest = option;
    return nearest;
}

bool choice_word(const char *choices, int i, char word[TEXT_CAPACITY]) {
    if (i < 0) return false;
    for (; i > 0; i--) {
        choices = strchr(choices, '|');
        if (!choices) return false;
        choices++;
    }
    size_t length = strcspn(choices, "|");
    assert(length < TEXT_CAPACITY);
    memcpy(word, choices, length);
    word[length] = 0;
    return true;
}

// The shortest text that strtod reads back as the same value.
static void print_number(char *text, size_t capacity, double value) {
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(text, capacity, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, capacity, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

void option_bounds(const Option *option, char text[TEXT_CAPACITY]) {
    char least[32], most[32];
    print_number(least, sizeof least, option->minimum);
    print_number(most, sizeof most, option->maximum);
    bool from = is_numeric(option) && option->minimum > -0x1p62, to = is_numeric(option) && option->maximum < 0x1p62;
    text[0] = 0;
    if (from && to) snprintf(text, TEXT_CAPACITY, "%s to %s", least, most);
    if (from && !to) snprintf(text, TEXT_CAPACITY, "%s or more", least);
    if (!from && to) snprintf(text, TEXT_CAPACITY, "%s or less", most);
}

void option_range(const Option *option, char text[TEXT_CAPACITY]) {
    char bounds[TEXT_CAPACITY], word[TEXT_CAPACITY], next[TEXT_CAPACITY];
    text[0] = 0;
    if (is_numeric(option)) {
        option_bounds(option, bounds);
        snprintf(text, TEXT_CAPACITY, "%s%s%.400s", option->type == OPTION_INTEGER ? "a whole number" : "a number",
                 strstr(bounds, " to ") ? " from "
                 : bounds[0]            ? ", "
                                        : "",
                 bounds);
    }
    size_t length = 0;
    for (int i = 0; option->type == OPTION_CHOICE && length < TEXT_CAPACITY && choice_word(option->choices, i, word);
         i++)
        length += (size_t)snprintf(text + length, TEXT_CAPACITY - length, "%s%s",
                                   i == 0                                      ? ""
                                   : choice_word(option->choices, i + 1, next) ? ", "
                                                                               : " or ",
                                   word);
    if (option->type == OPTION_TEXT || option->type == OPTION_TEXTS)
        snprintf(text, TEXT_CAPACITY, "text of less than %d bytes", TEXT_CAPACITY);
    if (option->type == OPTION_FLAG) snprintf(text, TEXT_CAPACITY, "true or false");
}

// A decimal number and nothing else: strtod alone would take "inf", "nan", "0x1p3" and leading spaces.
static bool parse_number(double *value, const char *text) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == 0 && text[strspn(text, "+-.0123456789eE")] == 0;
}

// A whole number, read exactly; "1e6" is one too. `rough` is infinite for a number that a long long cannot hold.
static bool parse_integer(long long *value, double *rough, const char *text) {
    if (!parse_number(rough, text) || *rough != floor(*rough)) return false;
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    bool plain = *end == 0, fits = plain ? errno != ERANGE : fabs(*rough) < 0x1p63;
    if (!fits)
        *rough = *rough < 0 ? -INFINITY : INFINITY;
    else if (!plain)
        *value = (long long)*rough;
    return true;
}

static bool set_number(void *target, const Option *option, const char *text, const char *label, Error *error) {
    double number;
    long long integer = 0;
    bool whole = option->type == OPTION_INTEGER;
    bool parsed = whole ? parse_integer(&integer, &number, text) : parse_number(&number, text);
    if (!parsed || !(isfinite(number) && number >= option->minimum && number <= option->maximum)) {
        char range[TEXT_CAPACITY];
        option_range(option, range);
        return fail_input(error, "%s: give %s, not '%s'", label, range, text);
    }
    if (whole)
        *(long long *)field(target, option) = integer;
    else
        *(double *)field(target, option) = number;
    return true;
}

static bool set_choice(void *target, const Option *option, const char *text, const char *label, Error *error) {
    char word[TEXT_CAPACITY], range[TEXT_CAPACITY], nearest[TEXT_CAPACITY] = "";
    int best = INFINITE_DISTANCE;
    for (int i = 0; choice_word(option->choices, i, word); i++) {
        if (strcmp(word, text) == 0) {
            *(int *)field(target, option) = i;
            return true;
        }
        if (is_nearer(&best, text, word)) memcpy(nearest, word, sizeof nearest);
    }
    option_range(option, range);
    return fail_input(error, "%s: give %s, not '%s'%s%s%s", label, range, text, *nearest ? "; did you mean '" : "",
                      nearest, *nearest ? "'?" : "");
}

static bool set_text(char field[TEXT_CAPACITY], const char *text, const char *label, Error *error) {
    size_t length = strlen(text);
    if (length >= TEXT_CAPACITY)
        return fail_input(error, "%s: '%.40s...' is too long; give text of less than %d bytes", label, text,
                          TEXT_CAPACITY);
    memcpy(field, text, length + 1);
    return true;
}

static bool add_text(TextList *list, const char *text, const char *label, Error *error) {
    if (list->count == TEXT_LIST_MOST) return fail_input(error, "%s: give it at most %d times", label, TEXT_LIST_MOST);
    char fits[TEXT_CAPACITY];
    if (!set_text(fits, text, label, error)) return false;
    list->items[list->count++] = text;
    return true;
}

static bool set_flag(void *target, const Option *option, const char *text, const char *label, Error *error) {
    bool on = strcmp(text, "true") == 0;
    if (!on && strcmp(text, "false") != 0) return fail_input(error, "%s: give true or false, not '%s'", label, text);
    *(bool *)field(target, option) = on;
    return true;
}

bool option_set(void *target, const Option *option, const char *text, const char *label, Error *error) {
    assert(option->type != OPTION_HEADING);
    if (option->type == OPTION_CHOICE) return set_choice(target, option, text, label, error);
    if (option->type == OPTION_TEXT) return set_text(field(target, option), text, label, error);
    if (option->type == OPTION_TEXTS) return add_text(field(target, option), text, label, error);
    if (option->type == OPTION_LONG) return (*(const char **)field(target, option) = text), true;
    if (option->type == OPTION_FLAG) return set_flag(target, option, text, label, error);
    return set_number(target, option, text, label, error);
}

void options_default(void *target, const Option *table) {
    static const size_t sizes[] = {
        [OPTION_INTEGER] = sizeof(long long), [OPTION_NUMBER] = sizeof(double),
        [OPTION_CHOICE] = sizeof(int),        [OPTION_TEXT] = TEXT_CAPACITY,
        [OPTION_LONG] = sizeof(char *),       [OPTION_FLAG] = sizeof(bool),
        [OPTION_TEXTS] = sizeof(TextList),    [OPTION_HEADING] = 0,
    };
    for (const Option *option = table; option->name; option++) {
        memset(field(target, option), 0, sizes[option->type]);
        Error error;
        bool valid = !option->preset || option_set(target, option, option->preset, option->name, &error);
        assert(valid);
        (void)valid;
    }
}

void option_print(const void *target, const Option *option, char text[TEXT_CAPACITY]) {
    const void *value = (const char *)target + option->offset;
    text[0] = 0;
    if (option->type == OPTION_INTEGER) snprintf(text, TEXT_CAPACITY, "%lld", *(const long long *)value);
    if (option->type == OPTION_NUMBER) print_number(text, TEXT_CAPACITY, *(const double *)value);
    if (option->type == OPTION_CHOICE && !choice_word(option->choices, *(const int *)value, text)) assert(false);
    if (option->type == OPTION_TEXT) snprintf(text, TEXT_CAPACITY, "%s", (const char *)value);
    const TextList *list = value;
    if (option->type == OPTION_TEXTS && list->count > 0)
        snprintf(text, TEXT_CAPACITY, "%s", list->items[list->count - 1]);
    if (option->type == OPTION_FLAG) snprintf(text, TEXT_CAPACITY, "%s", *(const bool *)value ? "true" : "false");
}

static bool fail_unknown_key(const Option *table, const char *key, const char *owner, Error *error) {
    if (!table->name) return fail_input(error, "%s takes no options, but '%s' was given; leave it out", owner, key);
    char names[TEXT_CAPACITY] = "";
    size_t length = 0;
    for (const Option *option = table; option->name && length < TEXT_CAPACITY; option++) {
        if (option->type == OPTION_HEADING) continue;
        length += (size_t)snprintf(names + length, TEXT_CAPACITY - length, "%s%s", length ? ", " : "", option->name);
    }
    const Option *nearest = option_nearest(table, key);
    return fail_input(error, "%s has no option '%s'%s%s%s has %s", owner, key, nearest ? "; did you mean '" : "",
                      nearest ? nearest->name : "", nearest ? "'? It" : "; it", names);
}

// One "key=value", or the bare name of a flag; `seen` has a bit for each option of the list.
static bool set_pair(void *target, uint64_t *seen, const Option *table, char *pair, const char *owner, Error *error) {
    char *value = strchr(pair, '=');
    if (value) *value++ = 0;
    const Option *option = option_find(table, pair);
    if (!option) return fail_unknown_key(table, pair, owner, error);
    assert(option - table < 64);
    const uint64_t bit = (uint64_t)1 << (option - table);
    if (*seen & bit) return fail_input(error, "%s: %s is given twice; leave one of them out", owner, pair);
    *seen |= bit;
    if (!value && option->type != OPTION_FLAG)
        return fail_input(error, "%s:%s needs a value; write %s=%s", owner, pair, pair,
                          option->value ? option->value : "VALUE");
    char label[2 * TEXT_CAPACITY];
    snprintf(label, sizeof label, "%.500s:%.500s", owner, pair);
    return option_set(target, option, value ? value : "true", label, error);
}

bool options_parse_list(void *target, const Option *table, const char *list, const char *owner, Error *error) {
    uint64_t seen = 0;
    if (!list || !*list) return true;
    for (;;) {
        char pair[TEXT_CAPACITY];
        size_t length = strcspn(list, ",");
        if (length >= sizeof pair) return fail_input(error, "%s: the option '%.40s...' is too long", owner, list);
        memcpy(pair, list, length);
        pair[length] = 0;
        if (!set_pair(target, &seen, table, pair, owner, error)) return false;
        if (list[length] == 0) return true;
        list += length + 1;
    }
}

// --- options whose text has a grammar of its own ---

bool list_word(char word[TEXT_CAPACITY], const char **list, const char *separators) {
    *list += strspn(*list, separators);
    const size_t length = strcspn(*list, separators);
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return length > 0;
}

bool typed_fail(Error *error, const char *option, const char *text, int at, const char *format, ...) {
    char message[sizeof error->message];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (text[at])
        return fail_input(error, "%s '%s', character %d ('%.20s'): %s", option, text, at + 1, text + at, message);
    return fail_input(error, "%s '%s', at its end: %s", option, text, message);
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
