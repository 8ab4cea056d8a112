// Vocabularies of bytes in JSON: each byte is written as a character that can be seen. GPT-2 chose them: a byte that is
// visible in Latin-1 is that character, and the others are U+0100, U+0101, ... in rising order.
#ifndef BITTER_SYMBOLS_H
#define BITTER_SYMBOLS_H

#include "base/file/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { SYMBOLS_END = 256 + 68 }; // all symbols are below this code point

typedef struct {
    uint16_t of_byte[256];        // code points
    int16_t to_byte[SYMBOLS_END]; // -1 = no symbol
    uint8_t in_order[256];        // the bytes in rising order of their symbols; GPT-2's tokens 0 to 255
} Symbols;

void symbols_make(Symbols *symbols);

// Append the symbols of the bytes, as UTF-8.
void symbols_add(Text *text, const Symbols *symbols, const char *bytes, size_t size);

// Append the bytes that the symbols stand for. Returns false when a character is no symbol.
bool symbols_read(Text *bytes, const Symbols *symbols, const char *text, size_t size);

#endif
