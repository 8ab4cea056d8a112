#include "data/corpus.h"

#include "base/file/crc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "shards are read as they stand in the file, little-endian");

enum {
    HEADER_INTS = 256,
    HEADER_BYTES = 4 * HEADER_INTS,
    MAGIC = 20240520,
    VERSION = 1,
};

// Set the number of tokens from the header of a file of `size` bytes, which may be shorter than a header.
static bool read_header(Shard *shard, const void *header, size_t size, Error *error) {
    int32_t start[3];
    if (size < HEADER_BYTES)
        return fail_input(
            error,
            "%s has %zu bytes, but the header of a shard has %d; it is cut short: copy it again or make it "
            "with `bitter prepare`",
            shard->path, size, HEADER_BYTES);
    memcpy(start, header, sizeof start);
    if (start[0] != MAGIC || start[1] != VERSION)
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
               shard->path, size, start[2], expected,
               size < expected   ? "cut short"
               : size > expected ? "too long"
                                 : "empty");
}

bool shard_open(Shard *shard, const char *path, int vocab_size, Error *error) {
    Buffer file;
    *shard = (Shard){0};
    if (!path_format(shard->path, error, "%s", path) || !file_read(&file, path, error)) return false;
    shard->memory = file.bytes;
    shard->tokens = (const uint16_t *)(file.bytes + HEADER_BYTES);
    bool ok = read_header(shard, file.bytes, file.size, error);
    for (size_t i = 0; ok && i < shard->count; i++)
        if (shard->tokens[i] >= vocab_size)
            ok = fail_input(error,
                            "%s: token %zu is %d, but the vocabulary has %d tokens; use the tokenizer.json that was "
                            "made with the shard, or one that states another \"vocab_size\"",
                            path, i, shard->tokens[i], vocab_size);
    if (ok)
        shard->crc = crc_bytes(0, shard->tokens, shard->count * sizeof *shard->tokens);
    else
        shard_close(shard);
    return ok;
}

bool shard_from_tokens(Shard *shard, const char *name, const uint16_t *tokens, size_t count, Error *error) {
    *shard = (Shard){.count = count, .tokens = tokens};
    if (!path_format(shard->path, error, "%s", name)) return false;
    if (count == 0 || count > INT32_MAX)
        return fail_input(error, "%s has %zu tokens, but 1 to %d were expected; ask for another size", name, count,
                          INT32_MAX);
    shard->crc = crc_bytes(0, tokens, count * sizeof *tokens);
    return true;
}

void shard_close(Shard *shard) {
    free(shard->memory);
    *shard = (Shard){0};
}

bool shard_write(const char *path, const uint16_t *tokens, size_t count, Error *error) {
    assert(count > 0 && count <= INT32_MAX);
    const int32_t header[HEADER_INTS] = {MAGIC, VERSION, (int32_t)count};
    AtomicFile file;
    return atomic_open(&file, path, error) && atomic_write(&file, header, sizeof header, error) &&
           atomic_write(&file, tokens, count * sizeof *tokens, error) && atomic_commit(&file, error);
}
