#include "base/file/text.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool array_room(void *array, size_t *capacity, size_t count, size_t more, size_t size) {
    void *items;
    if (more <= *capacity - count) return true;
    const size_t twice = *capacity ? 2 * *capacity : 4, room = more > twice - count ? count + more : twice;
    memcpy(&items, array, sizeof items);
    items = room < more || room > SIZE_MAX / size ? NULL : memory_grow(items, *capacity * size, room * size);
    if (!items) return false;
    memcpy(array, &items, sizeof items);
    *capacity = room;
    return true;
}

bool text_reserve(Text *text, size_t size) {
    text->failed = text->failed || !array_room(&text->bytes, &text->capacity, text->size, size, 1);
    return !text->failed;
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
        text->failed = vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again) != length;
        if (!text->failed) text->size += (size_t)length;
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

char called_as[QUOTED_CAPACITY] = "bitter";

void print_commands(FILE *out, const char *text) {
    const char *rest = text;
    for (const char *at; (at = strstr(rest, "bitter ")); rest = at + strlen("bitter ")) {
        const bool begins = at == text || at[-1] == '`' || (at > text + 1 && at[-1] == ' ' && strchr(" |", at[-2]));
        fprintf(out, "%.*s%s ", (int)(at - rest), rest, begins ? called_as : "bitter");
    }
    fputs(rest, out);
}
