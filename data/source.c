#include "data/source.h"

#include "base/file/text.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 }; // the largest window; 16 says gzip rather than zlib

static bool is_gzip(const Buffer *buffer) {
    return buffer->size >= 2 && buffer->bytes[0] == 0x1F && buffer->bytes[1] == 0x8B;
}

// Double the capacity, but at most to `most` bytes, one more and a final 0.
static bool grow(Buffer *buffer, size_t *capacity, size_t most) {
    size_t more = *capacity ? 2 * *capacity : 1 << 16;
    if (most < SIZE_MAX - 2 && more > most + 2) more = most + 2;
    uint8_t *larger = memory_grow(buffer->bytes, *capacity, more);
    if (!larger) return false;
    buffer->bytes = larger;
    *capacity = more;
    return true;
}

// One call of inflate, with as much of input and output as its 32-bit counters hold; advances both.
static int inflate_some(z_stream *stream, Buffer *output, size_t capacity, const Buffer *input, size_t *used) {
    size_t room = capacity - 1 - output->size, left = input->size - *used;
    uInt room_now = room < 1 << 30 ? (uInt)room : 1 << 30, left_now = left < 1 << 30 ? (uInt)left : 1 << 30;
    stream->next_in = input->bytes + *used;
    stream->avail_in = left_now;
    stream->next_out = output->bytes + output->size;
    stream->avail_out = room_now;
    int status = inflate(stream, Z_NO_FLUSH);
    *used += left_now - stream->avail_in;
    output->size += room_now - stream->avail_out;
    return status;
}

// A gzip file is a sequence of members; tapes and some tools pad it with zeros.
static bool only_padding(const Buffer *input, size_t used) {
    while (used < input->size && input->bytes[used] == 0) used++;
    return used == input->size;
}

// Inflate members until the input ends, or there are more than `most` bytes.
static bool inflate_members(z_stream *stream, Buffer *output, const Buffer *input, size_t most, const char *name,
                            Error *error) {
    size_t capacity = 0, used = 0;
    while (output->size <= most) {
        if (output->size + 1 >= capacity && !grow(output, &capacity, most))
            return fail_run(error, "%s: no memory for more than %zu inflated bytes", name, output->size);
        int status = inflate_some(stream, output, capacity, input, &used);
        if (status == Z_STREAM_END) {
            if (only_padding(input, used)) break;
            inflateReset(stream);
        } else if (status == Z_MEM_ERROR) {
            return fail_run(error, "%s: no memory to inflate it", name);
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            return fail_input(error, "%s is damaged after %zu inflated bytes (%s); get it again", name, output->size,
                              stream->msg ? stream->msg : "not gzip data");
        } else if (used == input->size && stream->avail_out > 0) {
            return fail_input(error,
                              "%s is cut short: it ends in the middle of its gzip data, after %zu inflated bytes; "
                              "get it again",
                              name, output->size);
        }
    }
    return true;
}

bool gzip_inflate(Buffer *output, bool *more, const Buffer *packed, size_t most, const char *name, Error *error) {
    *output = (Buffer){0};
    if (!is_gzip(packed))
        return fail_input(error, "%s is not gzip data, although its name ends in .gz; rename it if it is plain text",
                          name);
    z_stream stream = {0};
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK) return fail_run(error, "%s: no memory to inflate it", name);
    bool ok = inflate_members(&stream, output, packed, most, name, error);
    inflateEnd(&stream);
    if (!ok) {
        free(output->bytes);
        *output = (Buffer){0};
        return false;
    }
    *more = output->size > most;
    if (*more) output->size = most;
    output->bytes[output->size] = 0;
    return true;
}

// Unlike a shard or a checkpoint, a text may be a named pipe, such as a shell's <(command).
static bool text_read(Buffer *buffer, const char *path, Error *error) {
    *buffer = (Buffer){0};
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) return file_read(buffer, path, error); // knows its size
    FILE *stream = fopen(path, "rb");
    if (!stream) return fail_open(path, errno, "check the name", error);
    const bool ok = stream_read(buffer, stream, path, error);
    fclose(stream);
    return ok;
}

bool source_read(Buffer *buffer, const char *path, Error *error) {
    bool standard = strcmp(path, "-") == 0;
    if (!(standard ? stream_read(buffer, stdin, "standard input", error) : text_read(buffer, path, error)))
        return false;
    if (path_ends_with(path, ".gz")) {
        Buffer packed = *buffer;
        bool more, ok = gzip_inflate(buffer, &more, &packed, SIZE_MAX, path, error);
        free(packed.bytes);
        return ok;
    }
    return true;
}

// Files of other programs that are often taken for text: how they begin, and what writes their text to standard output.
static const struct {
    size_t at;
    const char *begins, *what, *command, *end;
} strangers[] = {
    {0, "PK\3\4", "a zip archive", "unzip -p", ""},
    {0, "\3757zXZ", "xz data", "xz -dc", ""},
    {4, "1AY&SY", "bzip2 data", "bzip2 -dc", ""},
    {0, "\x28\xB5\x2F\xFD", "zstd data", "zstd -dc", ""},
    {0, "%PDF-", "a PDF file", "pdftotext", " -"},
    {257, "ustar", "a tar archive", "tar -xOf", ""},
    {0, "\x1F\x8B", "gzip data (its name does not end in .gz)", "zcat", ""},
    {0, "\xFF\xFE", "UTF-16", "iconv -f UTF-16 -t UTF-8", ""},
    {0, "\xFE\xFF", "UTF-16", "iconv -f UTF-16 -t UTF-8", ""},
    // Known by their zeros alone: everywhere, or in one half of each pair of bytes.
    {0, "", "a binary file", "strings", ""},
    {0, "", "UTF-16 without a byte order mark", "iconv -f UTF-16LE -t UTF-8", ""},
    {0, "", "UTF-16 without a byte order mark", "iconv -f UTF-16BE -t UTF-8", ""},
};
enum {
    BINARY = sizeof strangers / sizeof *strangers - 3,
    TEXT_BYTES = 1000
}; // more than one zero in so many is no text

bool source_check(const Buffer *buffer, const char *path, Error *error) {
    char quoted[QUOTED_CAPACITY];
    size_t zeros[2] = {0}, kind = 0; // zeros at even and at odd places
    for (size_t i = 0; i < buffer->size; i++) zeros[i % 2] += buffer->bytes[i] == 0;
    for (; kind < BINARY; kind++) {
        const size_t at = strangers[kind].at, size = strlen(strangers[kind].begins);
        if (at + size <= buffer->size && memcmp(buffer->bytes + at, strangers[kind].begins, size) == 0) break;
    }
    if (kind == BINARY && (zeros[0] + zeros[1]) * TEXT_BYTES <= buffer->size) return true;
    if (kind == BINARY && (zeros[0] == 0 || zeros[1] == 0)) kind += zeros[0] ? 2 : 1;
    return fail_input(error,
                      "%s is %s, not text; this takes the text out of it: %s %s%s | bitter prepare --out DIR -; "
                      "--force takes it as it is",
                      strcmp(path, "-") == 0 ? "standard input" : path, strangers[kind].what, strangers[kind].command,
                      shell_quoted(quoted, path), strangers[kind].end);
}
