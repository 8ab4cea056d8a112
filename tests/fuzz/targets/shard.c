// Shards of tokens.
#include "data/shard.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_shard(const uint8_t *bytes, size_t size) {
    enum { VOCAB = 1000, PART = 4096 };
    char path[PATH_CAPACITY];
    int ids[PART];
    Shard shard;
    Error error;
    fuzz_file(path, "train.bin", bytes, size);
    if (!fuzz_taken(shard_open(&shard, path, VOCAB, &error), &error)) return false;
    for (size_t at = 0, count; at < shard.count; at += count) {
        count = shard.count - at < PART ? shard.count - at : PART;
        fuzz_must(shard_read(ids, &shard, at, count, &error), &error);
        for (size_t i = 0; i < count; i++) assert(ids[i] >= 0 && ids[i] < VOCAB);
    }
    shard_close(&shard);
    return true;
}
