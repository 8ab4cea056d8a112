// llm.c's token shards: 256 int32 (magic 20240520, version 1, token count, zeros), then uint16 tokens, little-endian.
#ifndef BITTER_SHARD_H
#define BITTER_SHARD_H

#include "base/error.h"
#include "base/file/file.h"

typedef struct {
    char path[PATH_CAPACITY];
    size_t count;
    uint32_t crc;     // CRC-32 of the tokens' bytes
    int vocab_size;   // every token is below it
    uint16_t *tokens; // (count) in memory, of generated data; NULL when they are in `file`
    int file;         // descriptor, when `open`
    bool open;
} Shard;

// Open the shard and check everything: size against header, magic, version, every token below vocab_size. The file
// stays open and is read each time. Fails (input) naming the file, what was found, what was expected and the next step;
// (run) when too many files are open.
bool shard_open(Shard *shard, const char *path, int vocab_size, Error *error);

// A shard without a file: a copy of the tokens, with `name` as its path.
bool shard_from_tokens(Shard *shard, const char *name, const uint16_t *tokens, size_t count, Error *error);

void shard_close(Shard *shard); // harmless on {0} and when repeated

// Copy tokens offset .. offset+count-1 to ids (count); they must exist (assertion). Several threads may read at
// the same time. Fails (run) when the file has since been cut short, or overwritten with tokens outside the vocabulary,
// and when the disk fails.
bool shard_read(int *ids, const Shard *shard, size_t offset, size_t count, Error *error);

// Write `count` tokens to `path`; atomic.
bool shard_write(const char *path, const uint16_t *tokens, size_t count, Error *error);

#endif
