// Characters of texts in UTF-8, and control characters.
#ifndef BITTER_UTF8_H
#define BITTER_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Is the text free of control characters, such as newlines? File names may contain them, but they would break lines of
// tables and of other programs' input.
bool is_plain(const char *text);

// Replace every byte of a control character by a question mark, so that text from a file can be shown on a terminal.
void make_plain(char *text);

// Decode the first code point of `text` (size >= 1 bytes) to *character. Returns the number of bytes that it takes, or
// 0 when they are not UTF-8, as overlong forms, surrogates and code points above U+10FFFF are not.
int utf8_decode(uint32_t *character, const char *text, size_t size);

// Encode the code point; returns the number of bytes, 1 to 4.
int utf8_encode(char *text, uint32_t character);

// Is all of the string UTF-8?
bool is_utf8(const char *string);

#endif
