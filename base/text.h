// A growing byte string: what generators write and tokenizers read.
#ifndef BITTER_TEXT_H
#define BITTER_TEXT_H

#include "base/file.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *bytes; // (size), not terminated; start from {0}
    size_t size, capacity;
    bool failed; // memory ran out: later additions do nothing, so that one check at the end is enough
} Text;

void text_add(Text *text, const char *bytes, size_t size);
void text_print(Text *text, const char *format, ...) FORMAT_CHECK(2, 3); // appends like printf
void text_print_list(Text *text, const char *format, va_list arguments) FORMAT_CHECK(2, 0);
bool text_reserve(Text *text, size_t size); // room for `size` more bytes; false once memory has run out
void text_free(Text *text);

// Append a word of a shell command, in single quotes if a shell would otherwise change it.
void shell_word(Text *command, const char *word);

#define QUOTED_CAPACITY (4 * PATH_CAPACITY + 3)
// The word as shell_word would append it, for messages that show a command. Returns `quoted`; a longer one is cut.
const char *shell_quoted(char quoted[QUOTED_CAPACITY], const char *word);

// Is the text free of control characters, such as newlines? File names may contain them, but they would break lines of
// tables and of other programs' input.
bool is_plain(const char *text);

// Replace every byte of a control character by a question mark: what stands in a file may go to a terminal then.
void make_plain(char *text);

// Decode the first code point of `text` (size >= 1 bytes) to *character. Returns the number of bytes that it takes, or
// 0 when they are not UTF-8; overlong forms, surrogates and code points above U+10FFFF are not.
int utf8_decode(uint32_t *character, const char *text, size_t size);

// Is all of the string UTF-8?
bool is_utf8(const char *string);

#endif
