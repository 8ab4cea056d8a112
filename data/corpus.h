// The data of a run: a training and a validation stream of tokens, and their tokenizer.
#ifndef BITTER_CORPUS_H
#define BITTER_CORPUS_H

#include "base/file/file.h"
#include "data/made/builtin.h"
#include "data/tokenizer.h"

// --- shard.c: llm.c's token shards: 256 int32 (magic 20240520, version 1, token count, zeros), then uint16 tokens,
// little-endian ---

typedef struct {
    char path[PATH_CAPACITY];
    size_t count;
    uint32_t crc;           // CRC-32 of the tokens' bytes
    const uint16_t *tokens; // (count)
    void *memory;           // that holds the tokens; NULL = the shard does not own it
} Shard;

// Read the shard into memory, two bytes a token, and check everything: size against header, magic, version, every token
// below vocab_size. Fails (input) naming the file, what was found, what was expected and the next step; (run) for want
// of memory, and as file_read does.
bool shard_open(Shard *shard, const char *path, int vocab_size, Error *error);

// A shard without a file: the tokens, which must outlive it, with `name` as its path.
bool shard_from_tokens(Shard *shard, const char *name, const uint16_t *tokens, size_t count, Error *error);

void shard_close(Shard *shard); // harmless on {0} and when called again

// Write `count` tokens to `path`; atomic.
bool shard_write(const char *path, const uint16_t *tokens, size_t count, Error *error);

// --- corpus.c ---

typedef struct {
    Shard *shards; // (shard_count), in the order of their names; one stream
    int shard_count;
    uint64_t count; // tokens in all
} Split;

typedef struct {
    char name[PATH_CAPACITY]; // as the user gave it: a directory or builtin:...
    Tokenizer tokenizer;
    Split train, val;      // of a task: its exercises as plain text
    BuiltinCorpus builtin; // all zeros for a directory
    Tokens tokens;         // of both splits, if it is built-in
} Corpus;

// Open a directory (tokenizer.json, *train*.bin, *val*.bin; without a tokenizer.json the shards are llm.c's
// and hold GPT-2's 50257 tokens) or make "builtin:NAME[:key=value,...]" in memory (tokenizer bytes, the last tenth is
// validation). Fails (input) as shard_open does, or when a split has no shard.
bool corpus_open(Corpus *corpus, const char *name, Error *error);

// The same for "builtin:NAME" only; a program that calls just this one needs no files.
bool corpus_open_builtin(Corpus *corpus, const char *name, Error *error);

// Fails (input) when the directory holds shards, because a run written there would replace their tokenizer.json, and as
// fail_open does when the directory cannot be read.
bool corpus_absent(const char *directory, Error *error);
void corpus_close(Corpus *corpus);

// How many of `count` tokens are for training when the share `validation` (0..1), at the end, is for validation:
// floor(count * (1 - validation)), as exact arithmetic gives it for a share typed in decimal.
uint64_t corpus_training_count(uint64_t count, double validation);

// The number of tokens to read: at most `limit`, or all of them when limit is 0.
uint64_t split_limit(const Split *split, long long limit);

// Copy tokens offset .. offset+count-1 of the stream to ids (count); they must exist (assertion).
void split_read(int *ids, const Split *split, uint64_t offset, size_t count);

#endif
