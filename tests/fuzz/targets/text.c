// Text for `bitter prepare`, with each kind of tokenizer.
#include "cmd/prepare.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

// Prepare the bytes unchanged, or as records if a `field` is given.
static bool prepare(const char *kind, char *path, const uint8_t *bytes, size_t size, const char *field) {
    const bool as_is = !field;
    Texts texts = {.options = {.raw = as_is, .force = as_is}};
    Error error;
    if (field) snprintf(texts.options.field, sizeof texts.options.field, "%s", field);
    snprintf(texts.options.tokenizer, sizeof texts.options.tokenizer, "%s", kind);
    const bool ok = fuzz_taken(texts_read(&texts, &path, 1, &error) && texts_encode(&texts, &error), &error);
    const bool gzipped = size >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B; // inflated, it is other bytes
    if (ok && as_is && !gzipped && texts.unknown.total == 0) fuzz_decode(&texts.tokens, &texts.tokenizer, bytes, size);
    texts_free(&texts);
    return ok;
}

// With byte tokens, and with one of the other tokenizers; only one, chosen by the size, because they take longer.
bool fuzz_text(const uint8_t *bytes, size_t size) {
    static const char some[] = "{\"tokenizer\": \"chars\", \"vocab_size\": 4, \"characters\": \" abc\"}";
    char path[PATH_CAPACITY], known[PATH_CAPACITY];
    const char *const others[] = {"chars", "bpe:300", fuzz_file(known, "known/tokenizer.json", some, strlen(some))};
    fuzz_file(path, "text", bytes, size);
    prepare("bytes", path, bytes, size, "");
    prepare("bytes", path, bytes, size, "a");
    prepare(others[size % 3], path, bytes, size, NULL);
    return prepare("bytes", path, bytes, size, NULL);
}
