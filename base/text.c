#include "base/text.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool text_reserve(Text *text, size_t size) {
    if (text->failed) return false;
    if (size <= text->capacity - text->size) return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity - text->size < size && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *bytes = capacity - text->size < size ? NULL : memory_grow(text->bytes, text->capacity, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void text_add(Text *text, const char *bytes, size_t size) {
    if (size == 0 || !text_reserve(text, size)) return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

void text_print_list(Text *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) {
        text->failed = true;
    } else if (text_reserve(text, (size_t)length + 1)) { // one more for the 0 that vsnprintf writes
        vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
}

void text_print(Text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_print_list(text, format, arguments);
    va_end(arguments);
}

void text_free(Text *text) {
    free(text->bytes);
    *text = (Text){0};
}

void shell_word(Text *command, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
    if (*word && word[strspn(word, plain)] == '\0') {
        text_print(command, "%s", word);
        return;
    }
    text_print(command, "'");
    for (; *word; word++) text_print(command, *word == '\'' ? "'\\''" : "%c", *word);
    text_print(command, "'");
}

const char *shell_quoted(char quoted[QUOTED_CAPACITY], const char *word) {
    Text text = {0};
    shell_word(&text, word);
    snprintf(quoted, QUOTED_CAPACITY, "%.*s", (int)text.size, text.size > 0 ? text.bytes : "");
    text_free(&text);
    return quoted;
}

// The bytes of the control character at the head of a text: one of ASCII's, or in UTF-8 one of U+0080 to U+009F, which
// terminals obey as well. 0 = it is none.
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
