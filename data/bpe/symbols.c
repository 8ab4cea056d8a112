#include "data/bpe/symbols.h"

#include "base/utf8.h"

#include <string.h>

static bool is_visible(int byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
}

void symbols_make(Symbols *symbols) {
    int hidden = 0, visible = 0;
    memset(symbols->to_byte, -1, sizeof symbols->to_byte);
    for (int byte = 0; byte < 256; byte++) visible += is_visible(byte);
    for (int byte = 0, seen = 0; byte < 256; byte++) {
        const int rank = is_visible(byte) ? seen++ : visible + hidden;
        const int character = is_visible(byte) ? byte : 256 + hidden++;
        symbols->of_byte[byte] = (uint16_t)character;
        symbols->to_byte[character] = (int16_t)byte;
        symbols->in_order[rank] = (uint8_t)byte;
    }
}

void symbols_add(Text *text, const Symbols *symbols, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const uint16_t character = symbols->of_byte[(unsigned char)bytes[i]];
        const char two[2] = {(char)(0xC0 | character >> 6), (char)(0x80 | (character & 0x3F))};
        const char one = (char)character;
        if (character < 0x80)
            text_add(text, &one, 1);
        else
            text_add(text, two, 2);
    }
}

bool symbols_read(Text *bytes, const Symbols *symbols, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        uint32_t character;
        const int length = utf8_decode(&character, text + at, size - at);
        if (length == 0 || character >= SYMBOLS_END || symbols->to_byte[character] < 0) return false;
        const char byte = (char)symbols->to_byte[character];
        text_add(bytes, &byte, 1);
        at += (size_t)length;
    }
    return true;
}
