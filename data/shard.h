// llm.c's token shards: 256 int32 (magic 20240520, version 1, token count, zeros), then uint16 tokens, little-endian.
#ifndef BITTER_SHARD_H
#define BITTER_SHARD_H

#include "base/error.h"
#include "base/file/file.h"

typedef struct {
    char path[PATH_CAPACITY];
    size_t count;
    uint32_t crc;           // CRC-32 of the tokens' bytes
    const uint16_t *tokens; // (count)
    void *memory;           // that they are in; NULL = it is another's
} Shard;

// Read the shard, whose tokens take two bytes of memory each, and check everything: size against header, magic,
// version, every token below vocab_size. Fails (input) naming the file, what was found, what was expected and the next
// step; (run) for want of memory, and as file_read does.
bool shard_open(Shard *shard, const char *path, int vocab_size, Error *error);

// A shard without a file: the tokens, which must outlive it, with `name` as its path.
bool shard_from_tokens(Shard *shard, const char *name, const uint16_t *tokens, size_t count, Error *error);

void shard_close(Shard *shard); // harmless on {0} and when repeated

// Write `count` tokens to `path`; atomic.
bool shard_write(const char *path, const uint16_t *tokens, size_t count, Error *error);

#endif
