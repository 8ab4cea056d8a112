#include "exchange/exchange.h"
#include "exchange/found.h"
#include "exchange/hf_config.h"
#include "train/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PADDING_MOST 1023 // rows of embeddings that no token has; usual are multiples of 64 or 128, at most of 1024

// The tokenizer of a file or a directory, or none if there is no file. Fails (input) when the model has more than
// `padding` embeddings that are no token's, or too few.
static bool find_tokenizer(Tokenizer *tokenizer, int vocab, int padding, const char *path, Error *error) {
    if (path_missing(path)) return tokenizer_create_none(tokenizer, vocab, error);
    return tokenizer_find(tokenizer, path, error) &&
           ((tokenizer->vocab_size <= vocab && tokenizer->vocab_size >= vocab - padding) ||
            fail_input(error,
                       "%s has %d tokens, but the model %d; remove the file to import the model without a tokenizer",
                       path, tokenizer->vocab_size, vocab));
}

bool imported_create(Run *run, int vocab, int padding, const char *path, const char *tokenizer, Error *error) {
    Shape shape;
    Mix pos;
    Error reason;
    if (!find_tokenizer(&run->tokenizer, vocab, padding, tokenizer, error)) return false;
    vocab = run->tokenizer.vocab_size;
    if (!shape_of(&shape, &run->options, vocab, error)) return false;
    if (!shape_check(&shape, &reason))
        return fail_input(
            error, "%s describes a model with a matrix of more than 10^9 numbers; bitter has no such model", path);
    if (!mix_create(&pos, run->options.pos, &shape, &reason))
        return fail_input(error, "%s: %.900s", path, reason.message);
    if (!stretch_apply(&pos, &run->options.stretch.rule, path, error)) return false;
    mix_print(&pos, run->options.pos);
    return gpt_create(&run->gpt, &shape, &pos, false, error);
}

static bool read_config(Home *home, TrainOptions *options, int *vocab, const char *path, Error *error) {
    Buffer file;
    json_error_t mistake;
    if (!file_read(&file, path, error)) return false;
    json_t *config = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &mistake);
    free(file.bytes);
    const bool ok = config ? hf_config_read(home, options, vocab, config, path, error)
                           : fail_damaged(error, path, "line %d: %s", mistake.line, mistake.text);
    json_decref(config);
    return ok;
}

// Before memory is taken for a model: can the files hold one of this size? The matrices of the layers alone have so
// many numbers, each of at least two bytes.
static bool check_size(const TrainOptions *options, Home home, int vocab, const FoundTensors *found, const char *path,
                       Error *error) {
    const Shape shape = sizes_of(options, vocab);
    const double C = (double)options->width,
                 matrices = C * ((double)qkv_width(&shape) + C + fc_width(&shape) + mlp_width(&shape)),
                 rows = vocab + (home == HOME_GPT2 ? (double)options->context : 0),
                 numbers = rows * C + (double)options->layers * matrices;
    double bytes = 0;
    for (int i = 0; i < found->file_count; i++) bytes += (double)found->files[i].bytes.size;
    return bytes >= 2 * numbers ||
           fail_input(error, "%s describes a model of %.0f numbers, but the safetensors files have %.0f bytes", path,
                      numbers, bytes);
}

// `vocab`: the rows of their embeddings, of which those behind the tokenizer's tokens are left out.
static bool copy_weights(Gpt *gpt, Home home, int vocab, FoundTensors *found, Error *error) {
    ForeignTensors tensors;
    size_t most = (size_t)vocab * (size_t)gpt->shape.width;
    if (!foreign_list(&tensors, hf_tensors[home], gpt, error)) return false;
    for (int i = 0; i < tensors.count; i++) most = tensors.items[i].count > most ? tensors.items[i].count : most;
    float *numbers = malloc(most * sizeof *numbers);
    bool ok = numbers || fail_run(error, "no memory for a tensor of %zu numbers", most);
    for (int i = 0; ok && i < tensors.count; i++) {
        const ForeignTensor *t = &tensors.items[i];
        const bool embeddings = t->ours && strcmp(t->ours->name, "wte") == 0;
        ok = found_copy(numbers, found, t->name, t->rank, embeddings ? vocab : t->shape[0], t->shape[1], error);
        if (ok) foreign_to_model(gpt, numbers, t);
    }
    free(numbers);
    foreign_free(&tensors);
    return ok && found_all_used(found, error);
}

bool import_hf(Run *run, const char *directory, Error *error) {
    char config[PATH_CAPACITY], tokenizer[PATH_CAPACITY];
    Home home;
    int vocab;
    FoundTensors found = {0};
    *run = (Run){0};
    options_default(&run->options, train_options);
    const bool ok = path_format(config, error, "%s/config.json", directory) &&
                    path_format(tokenizer, error, "%s/tokenizer.json", directory) &&
                    read_config(&home, &run->options, &vocab, config, error) && found_open(&found, directory, error) &&
                    check_size(&run->options, home, vocab, &found, config, error) &&
                    imported_create(run, vocab, PADDING_MOST, config, tokenizer, error) &&
                    copy_weights(&run->gpt, home, vocab, &found, error);
    if (ok && run->gpt.shape.vocab < vocab)
        printf("tokens  the tokenizer has %d, so the last %d of %d rows of the embeddings are left out as padding\n",
               run->gpt.shape.vocab, vocab - run->gpt.shape.vocab, vocab);
    found_close(&found);
    if (!ok) run_close(run);
    return ok;
}
