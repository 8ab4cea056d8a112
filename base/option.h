// One option table drives parsing, ranges, defaults, --help, the commands that bitter prints and config.json. The same
// rows serve the command line, a scheme's own options (`--pos rope:base=10000`) and the keys of built-in data
// (`builtin:tales:bytes=1e6`).
#ifndef BITTER_OPTION_H
#define BITTER_OPTION_H

#include "base/error.h"

#include <stddef.h>

typedef enum {
    OPTION_INTEGER, // long long; "1e6" is accepted, "1.5" is not
    OPTION_NUMBER,  // double
    OPTION_CHOICE,  // int: index into `choices`
    OPTION_TEXT,    // char[TEXT_CAPACITY]
    OPTION_LONG,    // const char *: the value, of any length; NULL = none was given
    OPTION_TEXTS,   // TextList, to which every value is added: the option may be repeated
    OPTION_FLAG,    // bool, no argument on the command line
    OPTION_HEADING, // no field: --help prints its name above the rows that follow; everything else skips it
} OptionType;

#define TEXT_CAPACITY 512

#define TEXT_LIST_MOST 64
typedef struct {
    const char *items[TEXT_LIST_MOST]; // the values, each shorter than TEXT_CAPACITY
    int count;
} TextList;

typedef struct {
    const char *name; // NULL ends a table
    OptionType type;
    size_t offset;           // of the field inside the struct that the table describes
    const char *preset;      // the default, as the user would type it; NULL = empty, false or 0
    double minimum, maximum; // inclusive; for INTEGER and NUMBER
    const char *choices;     // "half|interleaved"; for CHOICE
    const char *value;       // the argument's name in --help: "N", "DIR"
    const char *help;
} Option;

// Rows, one macro for each type. `field` is the offset of the option's field; HEADING_ROW("Model") has none.
#define INTEGER_ROW(name, field, preset, minimum, maximum, help)                                                       \
    { name, OPTION_INTEGER, field, preset, minimum, maximum, NULL, "N", help }
#define NUMBER_ROW(name, field, preset, minimum, maximum, value, help)                                                 \
    { name, OPTION_NUMBER, field, preset, minimum, maximum, NULL, value, help }
#define CHOICE_ROW(name, field, preset, choices, value, help)                                                          \
    { name, OPTION_CHOICE, field, preset, 0, 0, choices, value, help }
#define TEXT_ROW(name, field, preset, value, help)                                                                     \
    { name, OPTION_TEXT, field, preset, 0, 0, NULL, value, help }
#define TEXTS_ROW(name, field, value, help)                                                                            \
    { name, OPTION_TEXTS, field, NULL, 0, 0, NULL, value, help }
#define FLAG_ROW(name, field, help)                                                                                    \
    { name, OPTION_FLAG, field, NULL, 0, 0, NULL, NULL, help }
#define HEADING_ROW(title)                                                                                             \
    { title, OPTION_HEADING, 0, NULL, 0, 0, NULL, NULL, NULL }

// Set every field of `target` to its default.
void options_default(void *target, const Option *table);

// The row with this name, or NULL.
const Option *option_find(const Option *table, const char *name);

// The row whose name is nearest to a mistyped one (nearest_name).
const Option *option_nearest(const Option *table, const char *name);

// The limits of a number: "1 to 64", "0 or more"; empty when there are none.
void option_bounds(const Option *option, char text[TEXT_CAPACITY]);

// What the field accepts, worded to follow "give ": "a whole number from 1 to 64", "half or interleaved", "true or
// false".
void option_range(const Option *option, char text[TEXT_CAPACITY]);

// Parse `text` into the field, or add it to a list; a flag reads "true" or "false". Fails (input) on trailing
// characters, a value out of range or an unknown choice, naming the option as `label` (such as "--width" or
// "rope:base") and the nearest valid choice.
bool option_set(void *target, const Option *option, const char *text, const char *label, Error *error);

// The field's present value as option_set would read it back; of a list, the last one.
void option_print(const void *target, const Option *option, char text[TEXT_CAPACITY]);

// Parse "key=value,key=value" (empty or NULL: nothing to do) into target; errors name `owner` as the owner of the keys.
// A flag may be given without "=true".
bool options_parse_list(void *target, const Option *table, const char *list, const char *owner, Error *error);

// Word i of "half|interleaved" copied into `word`; false when there is no such word.
bool choice_word(const char *choices, int i, char word[TEXT_CAPACITY]);

// The name, of `count`, with the smallest edit distance to `word`, or the first of several. Case is ignored, and a name
// that begins with `word` is the nearest of all. NULL if even the nearest name is too different.
const char *nearest_name(const char *word, const char *const *names, int count);

// For options whose text has a grammar of its own.

// Copy the next word of a list; false at its end. Every word fits, because lists are shorter than TEXT_CAPACITY.
#define LIST_SEPARATORS ", "
bool list_word(char word[TEXT_CAPACITY], const char **list, const char *separators);

// Fail (input) at a character of the text, counted from 0: the message says what is wrong there.
bool typed_fail(Error *error, const char *option, const char *text, int at, const char *format, ...) FORMAT_CHECK(5, 6);

// Read the whole number at *at and move *at behind it; a number above `most` becomes most + 1. Fails (input) when there
// is none; the message says that `what` should be there.
bool typed_number(int *number, const char *option, const char *text, int *at, const char *what, int most, Error *error);

#endif
