// A growing byte string, which generators write and tokenizers read.
#ifndef BITTER_TEXT_H
#define BITTER_TEXT_H

#include "base/error.h"
#include "base/path.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
    char *bytes; // (size), not terminated; start from {0}
    size_t size, capacity;
    bool failed; // memory ran out; later additions do nothing, so one check at the end is enough
} Text;

void text_add(Text *text, const char *bytes, size_t size);
void text_print(Text *text, const char *format, ...) FORMAT_CHECK(2, 3); // appends like printf
void text_print_list(Text *text, const char *format, va_list arguments) FORMAT_CHECK(2, 0);
bool text_reserve(Text *text, size_t size); // room for `size` more bytes; false once memory has run out
void text_free(Text *text);

// Make room for `more` items of `size` bytes after the `count` of a growing array. `array` is the address of the
// pointer to it, which starts as NULL with *capacity 0. Returns false, with the array as it was, when memory is short.
bool array_room(void *array, size_t *capacity, size_t count, size_t more, size_t size);

// Append a word of a shell command, in single quotes if a shell would otherwise change it.
void shell_word(Text *command, const char *word);

#define QUOTED_CAPACITY (4 * PATH_CAPACITY + 3)
// The word as shell_word would append it, for messages that show a command. Returns `quoted`; a long word is cut.
const char *shell_quoted(char quoted[QUOTED_CAPACITY], const char *word);

// How the user called the program, quoted for a shell: printed commands begin with it instead of "bitter".
// print_commands prints text with this name in place of each "bitter " at its beginning or after a backtick, two spaces
// or a pipe.
extern char called_as[QUOTED_CAPACITY];
void print_commands(FILE *out, const char *text);

// Text files that the build embeds in the program (scripts/embed.awk).
typedef struct {
    const char *name;         // without a directory; NULL ends a table
    const char *const *lines; // without newlines; ends with NULL
} EmbeddedFile;

#endif
