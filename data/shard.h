// llm.c's token shards: 256 int32 (magic 20240520, version 1, token count, zeros), then uint16 tokens, little-endian;
// `.bin`, or the same bytes gzipped as `.bin.gz`.
#ifndef BITTER_SHARD_H
#define BITTER_SHARD_H

#include "data/error.h"
#include "data/file.h"

typedef struct {
    char path[PATH_CAPACITY];
    const uint16_t *tokens; // (count), inside a mapping of the file, or in memory when it was gzipped or generated
    size_t count;
    uint32_t crc;  // CRC-32 of the tokens' bytes
    void *mapping; // munmap(mapping, mapped) when not NULL, else free(memory)
    size_t mapped;
    uint16_t *memory;
} Shard;

// Map or inflate the shard and check everything: size against header, magic, version, every token below vocab_size.
// Fails (input) naming the file, what was found, what was expected and the next step.
bool shard_open(Shard *shard, const char *path, int vocab_size, Error *error);

// A shard that never was a file: a copy of the tokens, with `name` for its path.
bool shard_from_tokens(Shard *shard, const char *name, const uint16_t *tokens, size_t count, Error *error);

void shard_close(Shard *shard); // harmless on {0} and when repeated

// Write `count` tokens to `path`, gzipped when it ends in ".gz"; atomic. The gzip header carries no time and no name,
// so equal tokens give equal bytes.
bool shard_write(const char *path, const uint16_t *tokens, size_t count, Error *error);

#endif
