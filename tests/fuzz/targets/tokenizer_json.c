// tokenizer.json, this program's and that of Hugging Face's tokenizers.
#include "tests/fuzz/fuzz.h"

// What was written must be read back as the same tokenizer.
static void check_written(const Tokenizer *tokenizer, bool (*write)(const Tokenizer *, const char *, Error *)) {
    char path[PATH_CAPACITY];
    Tokenizer again;
    Error error;
    fuzz_must(path_format(path, &error, "%s/again.json", fuzz_directory()) && write(tokenizer, path, &error) &&
                  tokenizer_read(&again, path, &error),
              &error);
    assert(tokenizer_same(tokenizer, &again));
    tokenizer_free(&again);
}

bool fuzz_tokenizer_json(const uint8_t *bytes, size_t size) {
    char path[PATH_CAPACITY];
    Tokenizer tokenizer;
    Error error;
    fuzz_file(path, "tokenizer.json", bytes, size);
    if (!fuzz_taken(tokenizer_read(&tokenizer, path, &error), &error)) return false;
    check_written(&tokenizer, tokenizer_write);
    // jansson reads no name with a 0 in it, so one that has the character U+0000 is for other programs alone.
    const bool zero = tokenizer.kind == TOKENIZER_CHARS && tokenizer.characters[0] == 0;
    if (tokenizer.kind != TOKENIZER_NONE && !zero) check_written(&tokenizer, tokenizer_write_hf);
    fuzz_encode(&tokenizer);
    tokenizer_free(&tokenizer);
    return true;
}
