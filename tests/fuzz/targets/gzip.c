// Gzipped text.
#include "data/source.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

bool fuzz_gzip(const uint8_t *bytes, size_t size) {
    char path[PATH_CAPACITY];
    Buffer text;
    Error error;
    const bool taken = fuzz_taken(source_read(&text, fuzz_file(path, "text.gz", bytes, size), &error), &error);
    if (!taken) return false;
    assert(text.bytes[text.size] == 0);
    free(text.bytes);
    return true;
}
