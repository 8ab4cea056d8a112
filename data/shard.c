#include "data/shard.h"

#include "base/file/crc.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "shards are read as they stand in the file, little-endian");

enum {
    HEADER_INTS = 256,
    HEADER_BYTES = 4 * HEADER_INTS,
    MAGIC = 20240520,
    VERSION = 1,
    PART = 1 << 12, // tokens read at a time
};

// Set the number of tokens from the header of a file of `size` bytes, of which as many are given as it has.
static bool read_header(Shard *shard, const void *header, size_t size, Error *error) {
    int32_t start[3] = {0};
    memcpy(start, header, size < sizeof start ? size : sizeof start);
    if (size >= sizeof start && (start[0] != MAGIC || start[1] != VERSION))
        return fail_input(
            error,
            "%s is not a shard of uint16 tokens, as `bitter prepare` and llm.c's GPT-2 scripts make them: it "
            "begins with %d and version %d, and not with %d and version %d",
            shard->path, start[0], start[1], MAGIC, VERSION);
    const size_t count = start[2] > 0 ? (size_t)start[2] : 0, expected = HEADER_BYTES + count * sizeof(uint16_t);
    shard->count = count;
    return (count > 0 && size == expected) ||
           fail_input(
               error,
               "%s has %zu bytes, but its header says %d tokens, which take %zu; it is %s: copy it again or make "
               "it with `bitter prepare`",
               shard->path, size, start[2], expected, size < expected ? "cut short" : "too long");
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
    return read_bytes(tokens, shard, HEADER_BYTES + offset * sizeof *tokens, count * sizeof *tokens, error);
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

static bool open_file(Shard *shard, Error *error) {
    struct stat status;
    uint8_t header[HEADER_BYTES];
    shard->file = file_open(shard->path, error);
    if (shard->file < 0) return false;
    shard->open = true;
    if (fstat(shard->file, &status) != 0)
        return fail_run(error, "cannot read %s: %s; check the disk", shard->path, strerror(errno));
    const size_t size = (size_t)status.st_size;
    return read_bytes(header, shard, 0, size < HEADER_BYTES ? size : HEADER_BYTES, error) &&
           read_header(shard, header, size, error);
}

bool shard_open(Shard *shard, const char *path, int vocab_size, Error *error) {
    *shard = (Shard){.vocab_size = vocab_size};
    if (path_format(shard->path, error, "%s", path) && open_file(shard, error) && check_tokens(shard, error))
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

bool shard_write(const char *path, const uint16_t *tokens, size_t count, Error *error) {
    assert(count > 0 && count <= INT32_MAX);
    const int32_t header[HEADER_INTS] = {MAGIC, VERSION, (int32_t)count};
    AtomicFile file;
    return atomic_open(&file, path, error) && atomic_write(&file, header, sizeof header, error) &&
           atomic_write(&file, tokens, count * sizeof *tokens, error) && atomic_commit(&file, error);
}
