#include "data/shard.h"

#include "data/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "shards are used as they lie in the file: little-endian");

enum {
    HEADER_INTS = 256,
    HEADER_BYTES = 4 * HEADER_INTS,
    MAGIC = 20240520,
    VERSION = 1,
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

// Check the header against the size of the whole file, both in memory.
static bool check_header(size_t *count, const void *bytes, size_t size, const char *path, Error *error) {
    int32_t header[3] = {0};
    memcpy(header, bytes, size < sizeof header ? size : sizeof header);
    if (size >= sizeof header && !check_magic(header, path, error)) return false;
    if (size < HEADER_BYTES)
        return fail_input(error,
                          "%s has %zu bytes, less than the %d of a shard's header; it is cut short or no shard: "
                          "make it again with `bitter prepare`",
                          path, size, (int)HEADER_BYTES);
    if (header[2] < 1)
        return fail_input(error,
                          "%s: the header says %d tokens, but at least 1 was expected; make it again with `bitter "
                          "prepare`",
                          path, header[2]);
    *count = (size_t)header[2];
    size_t expected = HEADER_BYTES + *count * sizeof(uint16_t);
    if (size == expected) return true;
    return fail_input(error,
                      "%s has %zu bytes, but its header says %zu tokens, which take %zu; it is %s: copy it again or "
                      "make it with `bitter prepare`",
                      path, size, *count, expected, size < expected ? "cut short" : "too long");
}

static bool check_tokens(const uint16_t *tokens, size_t count, int vocab_size, const char *path, Error *error) {
    uint16_t largest = 0;
    for (size_t i = 0; i < count; i++) largest = tokens[i] > largest ? tokens[i] : largest;
    if (largest < vocab_size) return true;
    size_t where = 0;
    while (tokens[where] < vocab_size) where++;
    return fail_input(error,
                      "%s: token %zu is %d, but the vocabulary has %d; use the tokenizer.json that was made with "
                      "the shard",
                      path, where, tokens[where], vocab_size);
}

static uint32_t crc_of(const uint16_t *tokens, size_t count) {
    assert(count <= INT32_MAX);
    return (uint32_t)crc32(0, (const Bytef *)tokens, (uInt)(count * sizeof *tokens));
}

// Map the file into shard->mapping.
static bool shard_map(Shard *shard, Error *error) {
    int fd = open(shard->path, O_RDONLY);
    if (fd < 0) return fail_input(error, "cannot open %s: %s", shard->path, strerror(errno));
    struct stat status;
    bool ok = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (!ok) fail_input(error, "%s is not a regular file; a token shard was expected", shard->path);
    if (ok && status.st_size > 0) { // an empty file cannot be mapped
        void *mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        ok = mapping != MAP_FAILED;
        if (ok)
            shard->mapping = mapping;
        else
            fail_run(error, "cannot map %s into memory: %s", shard->path, strerror(errno));
    }
    shard->mapped = ok ? (size_t)status.st_size : 0;
    close(fd);
    return ok;
}

// Inflate the file into shard->memory.
static bool shard_inflate(size_t *size, Shard *shard, Error *error) {
    Buffer buffer;
    if (!source_read(&buffer, shard->path, error)) return false;
    shard->memory = (uint16_t *)(void *)buffer.bytes;
    *size = buffer.size;
    return true;
}

static bool shard_load(Shard *shard, int vocab_size, Error *error) {
    size_t size = 0;
    if (path_ends_with(shard->path, ".gz")) {
        if (!shard_inflate(&size, shard, error)) return false;
    } else {
        if (!shard_map(shard, error)) return false;
        size = shard->mapped;
    }
    const uint16_t *start = shard->mapping ? shard->mapping : shard->memory;
    if (!check_header(&shard->count, start ? (const void *)start : "", size, shard->path, error)) return false;
    assert(start); // else the size was 0
    shard->tokens = start + HEADER_BYTES / sizeof *start;
    if (!check_tokens(shard->tokens, shard->count, vocab_size, shard->path, error)) return false;
    shard->crc = crc_of(shard->tokens, shard->count);
    return true;
}

bool shard_open(Shard *shard, const char *path, int vocab_size, Error *error) {
    *shard = (Shard){0};
    if (path_format(shard->path, error, "%s", path) && shard_load(shard, vocab_size, error)) return true;
    shard_close(shard);
    return false;
}

bool shard_from_tokens(Shard *shard, const char *name, const uint16_t *tokens, size_t count, Error *error) {
    *shard = (Shard){.count = count};
    if (!path_format(shard->path, error, "%s", name)) return false;
    if (count == 0 || count > INT32_MAX)
        return fail_input(error, "%s has %zu tokens, but 1 to %d were expected; ask for another size", name, count,
                          INT32_MAX);
    shard->memory = malloc(count * sizeof *tokens);
    if (!shard->memory) return fail_run(error, "%s: no memory for %zu tokens", name, count);
    memcpy(shard->memory, tokens, count * sizeof *tokens);
    shard->tokens = shard->memory;
    shard->crc = crc_of(tokens, count);
    return true;
}

void shard_close(Shard *shard) {
    if (shard->mapping) munmap(shard->mapping, shard->mapped);
    free(shard->memory);
    *shard = (Shard){0};
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
    gz_header description = {.os = UNKNOWN_SYSTEM}; // zlib's default names the machine's system
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
