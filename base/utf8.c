#include "base/utf8.h"

#include <string.h>

// The number of bytes of the control character at the start of a text: one of ASCII, or one of U+0080 to U+009F in
// UTF-8, which terminals obey as well. 0 = the text does not start with one.
static size_t control_bytes(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] == 0xC2 && bytes[1] >= 0x80 && bytes[1] < 0xA0) return 2;
    return (bytes[0] > 0 && bytes[0] < 0x20) || bytes[0] == 0x7F;
}

bool is_plain(const char *text) {
    while (*text && control_bytes(text) == 0) text++;
    return *text == '\0';
}

void make_plain(char *text) {
    for (; *text; text++)
        for (size_t left = control_bytes(text); left > 0; left--) text[left - 1] = '?';
}

int utf8_decode(uint32_t *character, const char *text, size_t size) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char head = bytes[0];
    if (head < 0x80) {
        *character = head;
        return 1;
    }
    int length = head >= 0xF0 ? 4 : head >= 0xE0 ? 3 : 2;
    if (head < 0xC0 || head >= 0xF8 || (size_t)length > size) return 0;
    *character = head & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) return 0;
        *character = *character << 6 | (bytes[i] & 0x3F);
    }
    bool surrogate = *character >= 0xD800 && *character < 0xE000;
    return *character < least[length] || *character >= 0x110000 || surrogate ? 0 : length;
}

bool is_utf8(const char *string) {
    uint32_t character;
    for (size_t left = strlen(string); left > 0;) {
        const int length = utf8_decode(&character, string, left);
        if (length == 0) return false;
        string += length;
        left -= (size_t)length;
    }
    return true;
}

int utf8_encode(char *text, uint32_t character) {
    const int length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    if (length == 1) {
        text[0] = (char)character;
        return 1;
    }
    for (int i = length - 1; i > 0; i--, character >>= 6) text[i] = (char)(0x80 | (character & 0x3F));
    text[0] = (char)((0xF00 >> length & 0xFF) | character);
    return length;
}
