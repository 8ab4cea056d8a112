// GPT-2's encoder.json and, after a byte 0xFF, vocab.bpe.
#include "data/tokenizer.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_tokenizer_others(const uint8_t *bytes, size_t size) {
    char path[PATH_CAPACITY], merges[PATH_CAPACITY];
    size_t length;
    Tokenizer tokenizer;
    Error error;
    const uint8_t *part = fuzz_part(&length, &bytes, &size);
    fuzz_file(path, "gpt2/encoder.json", part, length);
    fuzz_file(merges, "gpt2/vocab.bpe", bytes, size);
    fuzz_must(path_parent(path, merges, &error), &error);
    if (!fuzz_taken(tokenizer_find(&tokenizer, path, &error), &error)) return false;
    fuzz_encode(&tokenizer);
    tokenizer_free(&tokenizer);
    return true;
}
