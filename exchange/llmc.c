// llm.c's checkpoint: 256 int32, then the parameters in float or bfloat16, in the order of
// exchange/tensors.h.
#include "base/file/file.h"
#include "exchange/exchange.h"
#include "exchange/weights.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC = 20240326, IN_FLOAT = 3, IN_BF16 = 5, WORDS = 256, PADDING = 128 };
enum { WORD_MAGIC, WORD_VERSION, WORD_CONTEXT, WORD_VOCAB, WORD_LAYERS, WORD_HEADS, WORD_WIDTH, WORD_PADDED };

// The table of embeddings, which comes first, has rows of zeros up to a multiple of 128.
static int padded_vocab(int vocab) {
    return (vocab + PADDING - 1) / PADDING * PADDING;
}

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
    const int32_t header[WORDS] = {MAGIC,     IN_FLOAT, s->context, s->vocab,
                                   s->layers, s->heads, s->width,   padded_vocab(s->vocab)};
    const size_t embeddings = tensors.items[0].count;
    size_t others = 0;
    for (int i = 1; i < tensors.count; i++) others += tensors.items[i].count;
    const size_t padding = (size_t)(padded_vocab(s->vocab) - s->vocab) * s->width;
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

// Read the header into the options. Fails (input) unless it is that of a checkpoint with learned positions.
static bool read_header(TrainOptions *options, const int32_t *header, size_t size, const char *path, Error *error) {
    if (memcmp(header, "GGUF", 4) == 0)
        return fail_input(error,
                          "%s is a GGUF file, which bitter writes, but does not read; give the model that it was "
                          "made from",
                          path);
    if (size < WORDS * sizeof *header || header[WORD_MAGIC] != MAGIC)
        return fail_input(error,
                          "%s is not a checkpoint of llm.c, which begins with %d; name its model file, or a "
                          "directory that transformers wrote",
                          path, MAGIC);
    const int V = header[WORD_VOCAB], C = header[WORD_WIDTH], L = header[WORD_LAYERS], T = header[WORD_CONTEXT];
    if (header[WORD_VERSION] != IN_FLOAT && header[WORD_VERSION] != IN_BF16)
        return fail_input(error, "%s has version %d of llm.c's checkpoints; bitter reads versions %d and %d", path,
                          header[WORD_VERSION], IN_FLOAT, IN_BF16);
    if (V < 1 || V > TOKENIZER_VOCAB_MOST || C < 1 || C > 20000 || L < 1 || L > 1000 || T < 1 || T > 10000000 ||
        header[WORD_HEADS] < 1 || header[WORD_HEADS] > 1000 || C % header[WORD_HEADS] ||
        header[WORD_PADDED] != padded_vocab(V))
        return fail_input(error,
                          "%s: its header says %d tokens (padded to %d), %d layers, %d heads, width %d and context %d, "
                          "which cannot be; the file is damaged",
                          path, V, header[WORD_PADDED], L, header[WORD_HEADS], C, T);
    options->context = T;
    options->layers = L;
    options->heads = header[WORD_HEADS];
    options->width = C;
    strcpy(options->pos, "learned");
    return true;
}

// The parameters behind the header, where the rows of padding have been left out of the size.
static bool copy_parameters(Gpt *gpt, const uint8_t *bytes, bool narrow, const char *path, Error *error) {
    ForeignTensors tensors;
    bool ok = foreign_list(&tensors, FORMAT_LLMC, TARGET_GPT2, gpt, error);
    for (const ForeignTensor *t = tensors.items; ok && t < tensors.items + tensors.count; t++) {
        float *numbers = malloc(t->count * sizeof *numbers);
        ok = numbers ? weights_numbers(numbers, bytes, narrow ? "BF16" : "F32", t->count,
                                       t->rank > 1 ? (size_t)t->shape[1] : 0, t->name, path, error)
                     : fail_run(error, "no memory for a tensor of %zu numbers", t->count);
        if (ok) foreign_to_model(gpt, numbers, t);
        free(numbers);
        bytes += (narrow ? 2 : 4) * t->count;
        if (t == tensors.items) // the padding of the embeddings
            bytes += (size_t)(narrow ? 2 : 4) * (size_t)(padded_vocab(gpt->shape.vocab) - gpt->shape.vocab) *
                     (size_t)gpt->shape.width;
    }
    foreign_free(&tensors);
    return ok;
}

static bool import_bytes(Run *run, const Buffer *file, const char *path, const char *tokenizer, Error *error) {
    int32_t header[WORDS] = {0};
    memcpy(header, file->bytes, file->size < sizeof header ? file->size : sizeof header);
    if (!read_header(&run->options, header, file->size, path, error)) return false;
    const bool narrow = header[WORD_VERSION] == IN_BF16;
    const double C = header[WORD_WIDTH], L = header[WORD_LAYERS],
                 numbers = ((double)header[WORD_PADDED] + header[WORD_CONTEXT] + 2) * C +
                           L * ((3 + 1 + 2 * MLP_RATIO) * C * C + (3 + 1 + MLP_RATIO + 1 + 4) * C),
                 expected = sizeof header + numbers * (narrow ? 2 : 4);
    if ((double)file->size != expected)
        return fail_input(error, "%s has %zu bytes, but its header asks for %.0f; the file is cut short or damaged",
                          path, file->size, expected);
    return imported_create(run, header[WORD_VOCAB], 0, path, tokenizer, error) &&
           copy_parameters(&run->gpt, file->bytes + sizeof header, narrow, path, error);
}

bool import_llmc(Run *run, const char *path, Error *error) {
    char parent[PATH_CAPACITY], tokenizer[PATH_CAPACITY];
    Buffer file = {0};
    *run = (Run){0};
    options_default(&run->options, train_options);
    const bool ok = path_parent(parent, path, error) && path_format(tokenizer, error, "%s/tokenizer.json", parent) &&
                    file_read(&file, path, error) && import_bytes(run, &file, path, tokenizer, error);
    free(file.bytes);
    if (!ok) run_close(run);
    return ok;
}
