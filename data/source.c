#include "data/source.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
    if (!is_gzip(buffer)) return true;
    free(buffer->bytes);
    *buffer = (Buffer){0};
    if (standard) return fail_input(error, "standard input is gzip data; pipe it through zcat first");
    return fail_input(error, "%s is gzip data; rename it so that its name ends in .gz", path);
}
