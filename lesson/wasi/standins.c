// What replaces, in the lesson's modules, the files and libraries that need an operating system: base/memory.c,
// base/interrupt.c, base/file/file.c, PCRE2 and zlib's CRC-32.
#include "base/file/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "data/bpe/bpe.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

// A browser does not say how much memory there is; an allocation fails where there is not enough.
size_t memory_available(void) {
    return SIZE_MAX;
}

bool fail_too_large(double bytes, const char *what, const char *advice, Error *error) {
    return fail_run(error, "%s need %.3g GiB of memory, more than there is; %s", what, bytes / (1 << 30), advice);
}

void *memory_grow(void *block, size_t size, size_t larger) {
    return realloc(block, larger);
}

void *thread_space(void) {
    static _Alignas(64) unsigned char space[THREAD_SPACE]; // of the only thread
    return space;
}

void thread_space_done(const void *taken) {}

// No signal comes; the page stops between steps.
const Stop stop_at_signal = {NULL, NULL, ""};
bool stop_check(const Stop *stop, Error *error) {
    return true;
}

// There are no files; a formula is typed.
bool file_read(Buffer *buffer, const char *path, Error *error) {
    return fail_input(error, "%s: there are no files here; type the formula", path);
}

bool buffer_drop_mark(Buffer *buffer) {
    return false;
}

// The lesson uses byte tokens only.
Splitter *splitter_create(Error *error) {
    fail_run(error, "text cannot be split into words here");
    return NULL;
}

void splitter_free(Splitter *splitter) {}

bool split(Splitter *splitter, const char *text, size_t size, TakeWord take, void *context, Error *error) {
    return false;
}

// Bit by bit is fast enough: only the batches of training steps need a checksum.
uLong crc32(uLong crc, const Bytef *bytes, uInt size) {
    uint32_t sum = ~(uint32_t)crc;
    for (uInt i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
    }
    return ~sum;
}
