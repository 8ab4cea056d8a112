// Shards of tokens.
#include "data/corpus.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_shard(const uint8_t *bytes, size_t size) {
    enum { VOCAB = 1000 };
    char path[PATH_CAPACITY];
    Shard shard;
    Error error;
    fuzz_file(path, "train.bin", bytes, size);
    if (!fuzz_taken(shard_open(&shard, path, VOCAB, &error), &error)) return false;
    for (size_t i = 0; i < shard.count; i++) assert(shard.tokens[i] < VOCAB);
    shard_close(&shard);
    return true;
}
