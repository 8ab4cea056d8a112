// The file of `eval --state`. Its first line has checksums of the weights and the text, so that an input is what
// follows it; the checksums of the records are made good.
#include "base/file/crc.h"
#include "base/file/file.h"
#include "lab/eval/saved_pass.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 8, EVERY = 2, LINE_MOST = 256 };

static void seal_records(uint8_t *at, size_t size, const Gpt *gpt) {
    const size_t token = sizeof(double) + inference_token_size(gpt) * sizeof(real);
    struct {
        int32_t tokens;
        uint32_t crc;
    } head;
    while (size >= sizeof head) {
        memcpy(&head, at, sizeof head);
        if (head.tokens < 1 || head.tokens > EVERY || (size_t)head.tokens * token > size - sizeof head) return;
        const size_t bytes = (size_t)head.tokens * token;
        head.crc = crc_bytes(0, at + sizeof head, bytes);
        memcpy(at, &head, sizeof head);
        at += sizeof head + bytes;
        size -= sizeof head + bytes;
    }
}

bool fuzz_pass(const uint8_t *bytes, size_t size) {
    static Gpt gpt;
    static Buffer line;
    static const int ids[WINDOW] = {1, 2, 3};
    char path[PATH_CAPACITY];
    SavedPass pass;
    Inference inference;
    Error error;
    fuzz_must(path_format(path, &error, "%s/state", fuzz_directory()), &error);
    if (!line.bytes) {
        fuzz_model(&gpt, "alibi", false);
        fuzz_must(saved_pass_open(&pass, path, &gpt, 0, ids, WINDOW, EVERY, &error), &error);
        saved_pass_close(&pass, false);
        fuzz_must(file_read(&line, path, &error), &error);
        assert(line.size < LINE_MOST);
    }
    const bool whole = size > 0 && *bytes == '#';
    const size_t head = whole ? 0 : line.size;
    uint8_t *file = fuzz_copy(line.bytes, head, bytes, size);
    if (!whole) seal_records(file + head, size, &gpt);
    fuzz_file(path, "state", file, head + size);
    free(file);
    const bool ok = fuzz_taken(saved_pass_open(&pass, path, &gpt, 0, ids, WINDOW, EVERY, &error), &error);
    if (ok) {
        fuzz_must(inference_create(&inference, &gpt, 1, WINDOW, WINDOW, &error), &error);
        fuzz_must(saved_pass_recall(&pass, &inference, &error), &error);
        assert(pass.saved <= WINDOW && pass.saved == inference.length);
        if (pass.saved < WINDOW) inference_feed(&inference, &gpt, ids + pass.saved, WINDOW - pass.saved);
        inference_free(&inference);
    }
    const bool taken = ok && pass.saved > 0;
    saved_pass_close(&pass, true);
    return taken;
}
