// llm.c's checkpoint: 256 int32, then the parameters in float, in the order of exchange/tensors.h.
#include "base/file/file.h"
#include "exchange/exchange.h"

#include <stdlib.h>
#include <stdint.h>

enum { MAGIC = 20240326, IN_FLOAT = 3, WORDS = 256, PADDING = 128 };

bool export_llmc(const Run *run, const char *name, const char *directory, Error *error) {
    const Shape *s = &run->gpt.shape;
    char path[PATH_CAPACITY];
    Target target;
    Rotations none;
    ForeignTensors tensors;
    if (!path_format(path, error, "%s/model.bin", directory) ||
        !find_target(&target, &none, FORMAT_LLMC, &run->gpt, name, error) ||
        !foreign_from_model(&tensors, FORMAT_LLMC, target, &run->gpt, error))
        return false;
    // The table of embeddings, which comes first, has rows of zeros up to a multiple of 128.
    const int rows = (s->vocab + PADDING - 1) / PADDING * PADDING;
    const int32_t header[WORDS] = {MAGIC, IN_FLOAT, s->context, s->vocab, s->layers, s->heads, s->width, rows};
    const size_t embeddings = tensors.items[0].count;
    size_t others = 0;
    for (int i = 1; i < tensors.count; i++) others += tensors.items[i].count;
    const size_t padding = (size_t)(rows - s->vocab) * s->width;
    float *zeros = calloc(padding + 1, sizeof *zeros);
    AtomicFile file;
    const bool ok = (zeros || fail_run(error, "no memory to write %s", path)) && atomic_open(&file, path, error) &&
                    atomic_write(&file, header, sizeof header, error) &&
                    atomic_write(&file, tensors.numbers, embeddings * sizeof *zeros, error) &&
                    atomic_write(&file, zeros, padding * sizeof *zeros, error) &&
                    atomic_write(&file, tensors.numbers + embeddings, others * sizeof *zeros, error) &&
                    atomic_commit(&file, error);
    free(zeros);
    foreign_free(&tensors);
    return ok;
}
