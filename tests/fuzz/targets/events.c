// TensorBoard's event files, which --resume cuts off after the checkpoint. The checksums of the records are made good.
#include "base/file/crc.h"
#include "lab/run/tensorboard.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void seal(uint8_t *at, size_t size) {
    uint32_t crc = crc32c_bytes(at, size);
    crc = (crc >> 15 | crc << 17) + 0xa282ead8u;
    memcpy(at + size, &crc, sizeof crc);
}

static void seal_records(uint8_t *at, size_t size) {
    const size_t head = 12, tail = 4;
    for (uint64_t length; size >= head + tail; at += head + length + tail, size -= head + length + tail) {
        memcpy(&length, at, sizeof length);
        seal(at, sizeof length);
        if (length > size - head - tail) return;
        seal(at + head, length);
    }
}

bool fuzz_events(const uint8_t *bytes, size_t size) {
    static Trainer trainer;
    static TrainOptions options = {.tensorboard = true};
    char path[PATH_CAPACITY], place[PATH_CAPACITY];
    RunLog events;
    Error error;
    uint8_t *file = fuzz_copy(NULL, 0, bytes, size);
    seal_records(file, size);
    fuzz_file(path, "events/events.out.tfevents.5.bitter", file, size);
    free(file);
    fuzz_must(path_parent(place, path, &error), &error);
    if (!trainer.gpt.params) {
        fuzz_model(&trainer.gpt, "learned", false);
        snprintf(options.out, sizeof options.out, "%.500s", place);
        trainer.options = &options;
        trainer.progress.step = 2;
    }
    if (!fuzz_taken(tensorboard_open(&events, &trainer, &error), &error)) return false;
    log_close(&events);
    unlink(events.path);
    return true;
}
