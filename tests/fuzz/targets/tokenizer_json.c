// tokenizer.json, in this program's format and in that of Hugging Face's tokenizers.
#include "tests/fuzz/fuzz.h"

#include <jansson.h>

// The written file must be read back as the same tokenizer.
static void check_written(const Tokenizer *tokenizer, const char *path) {
    Tokenizer again;
    Error error;
    fuzz_must(tokenizer_read(&again, path, &error), &error);
    assert(tokenizer_same(tokenizer, &again));
    tokenizer_free(&again);
}

bool fuzz_tokenizer_json(const uint8_t *bytes, size_t size) {
    char path[PATH_CAPACITY];
    Tokenizer tokenizer;
    Error error;
    fuzz_file(path, "tokenizer.json", bytes, size);
    if (!fuzz_taken(tokenizer_read(&tokenizer, path, &error), &error)) return false;
    fuzz_must(tokenizer_write(&tokenizer, path, &error), &error);
    check_written(&tokenizer, path);
    // jansson reads no name with a 0 in it, so one that has the character U+0000 is for other programs alone.
    const bool zero = tokenizer.kind == TOKENIZER_CHARS && tokenizer.texts[0].character == 0;
    if (tokenizer.kind != TOKENIZER_NONE && !zero) {
        json_t *root = tokenizer_to_hf(&tokenizer, &error);
        assert(root && json_dump_file(root, path, 0) == 0);
        json_decref(root);
        check_written(&tokenizer, path);
    }
    fuzz_encode(&tokenizer);
    tokenizer_free(&tokenizer);
    return true;
}
