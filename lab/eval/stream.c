#include "lab/eval/stream.h"

#include "base/utf8.h"

#include <string.h>
#include <unistd.h>

#define REPLACEMENT "\xEF\xBF\xBD" // U+FFFD

Stream stream_to(FILE *out, const TextList *stops) {
    return (Stream){.out = out, .terminal = isatty(fileno(out)), .stops = stops};
}

// C0 and C1 controls: terminals obey both.
static bool is_command(uint32_t character) {
    return (character < 0x20 && character != '\n' && character != '\t') || (character >= 0x7F && character < 0xA0);
}

static void emit(Stream *stream, const char *bytes, size_t size) {
    for (size_t i = 0; stream->terminal && i < size;) {
        uint32_t character;
        const int length = utf8_decode(&character, bytes + i, size - i);
        if (length == 0)
            fputs(REPLACEMENT, stream->out);
        else if (is_command(character))
            fputc('?', stream->out);
        else
            fwrite(bytes + i, 1, (size_t)length, stream->out);
        i += length > 0 ? (size_t)length : 1;
    }
    if (!stream->terminal && size > 0 && fwrite(bytes, 1, size, stream->out) < size) stream->failed = true;
    fflush(stream->out);
}

// How many bytes at the end may be the beginning of a character.
static size_t unfinished_character(const char *bytes, size_t size) {
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        const unsigned char byte = (unsigned char)bytes[size - back];
        if ((byte & 0xC0) == 0x80) continue;
        const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
        return length > back && byte < 0xF5 ? back : 0;
    }
    return 0;
}

// How many bytes at the end may be the beginning of this text.
static size_t unfinished_stop(const char *bytes, size_t size, const char *stop) {
    size_t most = strlen(stop) - 1;
    if (most > size) most = size;
    while (most > 0 && memcmp(bytes + size - most, stop, most) != 0) most--;
    return most;
}

// Where the first stop text begins; `size` if there is none.
static size_t stop_place(const Stream *stream, const char *bytes, size_t size) {
    for (size_t at = 0; stream->stops && at < size; at++)
        for (int i = 0; i < stream->stops->count; i++) {
            const size_t length = strlen(stream->stops->items[i]);
            if (length <= size - at && memcmp(bytes + at, stream->stops->items[i], length) == 0) return at;
        }
    return size;
}

bool stream_write(Stream *stream, const char *bytes, size_t size) {
    Text *held = &stream->held;
    text_add(held, bytes, size);
    stream->failed |= held->failed;
    const size_t stop = stop_place(stream, held->bytes, held->size);
    const bool stopped = stop < held->size;
    size_t kept = stopped ? 0 : unfinished_character(held->bytes, held->size);
    for (int i = 0; !stopped && stream->stops && i < stream->stops->count; i++) {
        const size_t begun = unfinished_stop(held->bytes, held->size, stream->stops->items[i]);
        if (begun > kept) kept = begun;
    }
    const size_t ready = stop - kept;
    emit(stream, held->bytes, ready);
    if (kept > 0) memmove(held->bytes, held->bytes + ready, kept);
    held->size = kept;
    return stopped;
}

bool stream_within_character(const Stream *stream) {
    return unfinished_character(stream->held.bytes, stream->held.size) > 0;
}

void stream_end(Stream *stream) {
    emit(stream, stream->held.bytes, stream->held.size);
    text_free(&stream->held);
}

bool stream_text(FILE *out, const char *text) {
    Stream stream = stream_to(out, NULL);
    stream_write(&stream, text, strlen(text));
    stream_end(&stream);
    return !stream.failed;
}
