#include "data/shard.h"

#include "base/file/crc.h"
#include "data/source.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "shards are read as they stand in the file, little-endian");

enum {
    HEADER_INTS = 256,
    HEADER_BYTES = 4 * HEADER_INTS,
    MAGIC = 20240520,
    VERSION = 1,
    PART = 1 << 12, // tokens read at a time
};

// The other files that llm.c writes, all beginning with a magic number of the same kind.
static const struct {
    int magic;
    const char *what;
} strangers[] = {
    {20240801, "a shard of Llama-3 tokens (32-bit)"},
    {20240522, "an evaluation set of llm.c (HellaSwag, MMLU)"},
    {20240326, "a model checkpoint of llm.c"},
    {20240327, "a debug state of llm.c"},
    {20240328, "a tokenizer of llm.c"},
};

static bool check_magic(const int32_t *header, const char *path, Error *error) {
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (header[0] == strangers[i].magic)
            return fail_input(error,
                              "%s is %s, magic %d version %d; only uint16 token shards, magic %d version %d, can "
                              "be read: make them with `bitter prepare`",
                              path, strangers[i].what, header[0], header[1], MAGIC, VERSION);
    if (header[0] != MAGIC)
        return fail_input(error,
                          "%s is not a token shard: it begins with %d where the magic number %d was expected; "
                          "make shards with `bitter prepare`",
                          path, header[0], MAGIC);
    if (header[1] != VERSION)
        return fail_input(error,
                          "%s is a token shard of version %d, but only version %d (uint16 tokens) can be read; "
                          "make it again with `bitter prepare`",
                          path, header[1], VERSION);
    return true;
}

// Set *expected to the size of the whole file in bytes according to its header. `bytes` are its first `size` bytes.
static bool read_header(size_t *expected, const void *bytes, size_t size, const char *path, Error *error) {
    int32_t header[3] = {0};
    memcpy(header, bytes, size < sizeof header ? size : sizeof header);
    if (size >= sizeof header && !check_magic(header, path, error)) return false;
    if (size < HEADER_BYTES)
        return fail_input(error,
                          "%s has %zu bytes, fewer than the %d of a shard's header; it is cut short or not a shard: "
                          "make it again with `bitter prepare`",
                          path, size, (int)HEADER_BYTES);
    if (header[2] < 1)
        return fail_input(error,
                          "%s: the header says %d tokens, but at least 1 was expected; make it again with `bitter "
                          "prepare`",
                          path, header[2]);
    *expected = HEADER_BYTES + (size_t)header[2] * sizeof(uint16_t);
    return true;
}

// Set shard->count, and fail unless the file has the `expected` bytes. It has `size`, or, if `more`, more than `size`.
static bool check_size(Shard *shard, size_t size, bool more, size_t expected, Error *error) {
    shard->count = (expected - HEADER_BYTES) / sizeof(uint16_t);
    if (size == expected && !more) return true;
    return fail_input(error,
                      "%s has %s%zu bytes, but its header says %zu tokens, which take %zu; it is %s: copy it again or "
                      "make it with `bitter prepare`",
                      shard->path, more ? "more than " : "", size, shard->count, expected,
                      size < expected ? "cut short" : "too long");
}

static bool fail_changed(const Shard *shard, const char *how, Error *error) {
    return fail_run(error,
                    "%s changed while it was in use: %s; put the file back as it was, and continue or start again",
                    shard->path, how);
}

// `size` bytes at `offset` of the open file.
static bool read_bytes(void *bytes, const Shard *shard, size_t offset, size_t size, Error *error) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(shard->file, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_run(error, "cannot read %s: %s; check the disk", shard->path, strerror(errno));
        if (got == 0) return fail_changed(shard, "it is shorter than when it was opened", error);
        done += (size_t)got;
    }
    return true;
}

static bool read_tokens(uint16_t *tokens, const Shard *shard, size_t offset, size_t count, Error *error) {
    if (!shard->tokens)
        return read_bytes(tokens, shard, HEADER_BYTES + offset * sizeof *tokens, count * sizeof *tokens, error);
    memcpy(tokens, shard->tokens + offset, count * sizeof *tokens);
    return true;
}

// The index of the first token outside the vocabulary; `count` if there is none.
static size_t first_unknown(const uint16_t *tokens, size_t count, int vocab_size) {
    uint16_t largest = 0;
    for (size_t i = 0; i < count; i++) largest = tokens[i] > largest ? tokens[i] : largest;
    if (largest < vocab_size) return count;
    size_t where = 0;
    while (tokens[where] < vocab_size) where++;
    return where;
}

// Read all tokens once: add up their CRC-32, and fail on one outside the vocabulary.
static bool check_tokens(Shard *shard, Error *error) {
    uint16_t part[PART] = {0};
    for (size_t at = 0; at < shard->count; at += PART) {
        const size_t count = shard->count - at < PART ? shard->count - at : PART;
        if (!read_tokens(part, shard, at, count, error)) return false;
        const size_t unknown = first_unknown(part, count, shard->vocab_size);
        if (unknown < count)
            return fail_input(error,
                              "%s: token %zu is %d, but the vocabulary has %d tokens; use the tokenizer.json "
                              "that was made with the shard, or one that states another \"vocab_size\"",
                              shard->path, at + unknown, part[unknown], shard->vocab_size);
        shard->crc = crc_bytes(shard->crc, part, count * sizeof *part);
    }
    return true;
}

static bool open_plain(Shard *shard, Error *error) {
    struct stat status;
    uint8_t header[HEADER_BYTES];
    size_t expected;
    shard->file = file_open(shard->path, error);
    if (shard->file < 0) return false;
    shard->open = true;
    if (fstat(shard->file, &status) != 0)
        return fail_run(error, "cannot read %s: %s; check the disk", shard->path, strerror(errno));
    const size_t size = (size_t)status.st_size, known = size < HEADER_BYTES ? size : HEADER_BYTES;
    return read_bytes(header, shard, 0, known, error) && read_header(&expected, header, known, shard->path, error) &&
           check_size(shard, size, false, expected, error);
}

// Inflate the header first, then no more bytes than the header says.
static bool inflate_all(Shard *shard, const Buffer *packed, Error *error) {
    Buffer buffer;
    size_t expected;
    bool more;
    if (!gzip_inflate(&buffer, &more, packed, HEADER_BYTES, shard->path, error)) return false;
    const bool known = read_header(&expected, buffer.bytes, buffer.size, shard->path, error);
    free(buffer.bytes);
    if (!known || !gzip_inflate(&buffer, &more, packed, expected, shard->path, error)) return false;
    shard->tokens = (uint16_t *)(void *)buffer.bytes;
    if (!check_size(shard, buffer.size, more, expected, error)) return false;
    memmove(shard->tokens, buffer.bytes + HEADER_BYTES, buffer.size - HEADER_BYTES);
    return true;
}

static bool open_packed(Shard *shard, Error *error) {
    Buffer packed;
    if (!file_read(&packed, shard->path, error)) return false;
    const bool ok = inflate_all(shard, &packed, error);
    free(packed.bytes);
    return ok;
}

bool shard_open(Shard *shard, const char *path, int vocab_size, Error *error) {
    *shard = (Shard){.vocab_size = vocab_size};
    if (path_format(shard->path, error, "%s", path) &&
        (path_ends_with(path, ".gz") ? open_packed(shard, error) : open_plain(shard, error)) &&
        check_tokens(shard, error))
        return true;
    shard_close(shard);
    return false;
}

bool shard_from_tokens(Shard *shard, const char *name, const uint16_t *tokens, size_t count, Error *error) {
    *shard = (Shard){.count = count};
    if (!path_format(shard->path, error, "%s", name)) return false;
    if (count == 0 || count > INT32_MAX)
        return fail_input(error, "%s has %zu tokens, but 1 to %d were expected; ask for another size", name, count,
                          INT32_MAX);
    shard->tokens = malloc(count * sizeof *tokens);
    if (!shard->tokens) return fail_run(error, "%s: no memory for %zu tokens", name, count);
    memcpy(shard->tokens, tokens, count * sizeof *tokens);
    shard->crc = crc_bytes(0, tokens, count * sizeof *tokens);
    return true;
}

void shard_close(Shard *shard) {
    if (shard->open) close(shard->file);
    free(shard->tokens);
    *shard = (Shard){0};
}

bool shard_read(int *ids, const Shard *shard, size_t offset, size_t count, Error *error) {
    assert(offset <= shard->count && count <= shard->count - offset);
    if (shard->tokens) {
        for (size_t i = 0; i < count; i++) ids[i] = shard->tokens[offset + i];
        return true;
    }
    uint16_t part[PART] = {0};
    for (size_t size; count > 0; count -= size, offset += size, ids += size) {
        size = count < PART ? count : PART;
        if (!read_tokens(part, shard, offset, size, error)) return false;
        if (first_unknown(part, size, shard->vocab_size) < size)
            return fail_changed(shard, "it holds tokens that the vocabulary does not have", error);
        for (size_t i = 0; i < size; i++) ids[i] = part[i];
    }
    return true;
}

// Deflate `bytes` into the file; `finish` ends the gzip data.
static bool write_deflated(AtomicFile *file, z_stream *stream, const void *bytes, size_t size, bool finish,
                           Error *error) {
    uint8_t packed[1 << 14];
    stream->next_in = (z_const Bytef *)bytes;
    stream->avail_in = (uInt)size;
    do {
        stream->next_out = packed;
        stream->avail_out = sizeof packed;
        deflate(stream, finish ? Z_FINISH : Z_NO_FLUSH);
        if (!atomic_write(file, packed, sizeof packed - stream->avail_out, error)) return false;
    } while (stream->avail_out == 0);
    return true;
}

static bool write_gzip(AtomicFile *file, const int32_t *header, const uint16_t *tokens, size_t count, Error *error) {
    enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, UNKNOWN_SYSTEM = 255 };
    z_stream stream = {0};
    gz_header description = {.os = UNKNOWN_SYSTEM}; // zlib would write the system of this machine
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        atomic_abandon(file);
        return fail_run(error, "%s: no memory to compress it", file->path);
    }
    deflateSetHeader(&stream, &description);
    bool ok = write_deflated(file, &stream, header, HEADER_BYTES, false, error) &&
              write_deflated(file, &stream, tokens, count * sizeof *tokens, true, error);
    deflateEnd(&stream);
    return ok;
}

bool shard_write(const char *path, const uint16_t *tokens, size_t count, Error *error) {
    assert(count > 0 && count <= INT32_MAX);
    const int32_t header[HEADER_INTS] = {MAGIC, VERSION, (int32_t)count};
    AtomicFile file;
    if (!atomic_open(&file, path, error)) return false;
    bool written = path_ends_with(path, ".gz") ? write_gzip(&file, header, tokens, count, error)
                                               : atomic_write(&file, header, sizeof header, error) &&
                                                     atomic_write(&file, tokens, count * sizeof *tokens, error);
    return written && atomic_commit(&file, error);
}
