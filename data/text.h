// A growing byte string: what generators write and tokenizers read.
#ifndef BITTER_TEXT_H
#define BITTER_TEXT_H

#include "data/file.h"

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

// Append a word of a shell's command: in single quotes where a shell would make something else of it.
void shell_word(Text *command, const char *word);

#define QUOTED_CAPACITY (4 * PATH_CAPACITY + 3)
// The word as shell_word would append it, for messages that show a command. Returns `quoted`; a longer one is cut.
const char *shell_quoted(char quoted[QUOTED_CAPACITY], const char *word);

// Is there no control character in it, such as a newline? Names of files may have them, but lines of tables and of
// other programs' input would not end where they should.
bool is_plain(const char *text);

// Replace every byte of a control character by a question mark: what stands in a file may go to a terminal then.
void make_plain(char *text);

// The code point at the head of the text and how many bytes it takes, or 0 if that is not UTF-8. Overlong forms,
// surrogates and what is beyond U+10FFFF are not. size: at least 1.
int utf8_decode(uint32_t *character, const char *text, size_t size);

// Is all of the string UTF-8?
bool is_utf8(const char *string);

#endif
