// Directories of Hugging Face's transformers: config.json, generation_config.json, model.safetensors, tokenizer.json
// and tokenizer_config.json.
#include "data/tokenizer.h"
#include "exchange/exchange.h"
#include "exchange/weights.h"
#include "model/safetensors.h"
#include "train/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PADDING_MOST = 1023 }; // unused rows of embeddings; sizes are usually multiples of 64 or 128, at most of 1024

// --- writing ---

// A JSON file in a directory; releases the object.
static bool write_json(const char *directory, const char *name, json_t *object, Error *error) {
    char path[PATH_CAPACITY];
    if (path_format(path, error, "%s/%s", directory, name)) return json_write(path, object, 17, error);
    json_decref(object);
    return false;
}

static bool write_weights(const char *directory, const ForeignTensors *tensors, Error *error) {
    char path[PATH_CAPACITY];
    SafeTensor *list = calloc((size_t)tensors->count, sizeof *list);
    float *next = tensors->numbers;
    for (int i = 0; list && i < tensors->count; i++) {
        const ForeignTensor *t = &tensors->items[i];
        list[i] = (SafeTensor){.dtype = DTYPE_F32, .rank = t->rank, .shape = {t->shape[0], t->shape[1]}, .data = next};
        snprintf(list[i].name, sizeof list[i].name, "%s", t->name);
        next += t->count;
    }
    const bool ok = list ? path_format(path, error, "%s/model.safetensors", directory) &&
                               safetensors_write(path, list, tensors->count, error)
                         : fail_run(error, "no memory for a list of %d tensors", tensors->count);
    free(list);
    return ok;
}

// The name of the token that ends a document, which is one of the added tokens; NULL = there is none.
static const char *name_of_end(const json_t *tokenizer, int end) {
    const json_t *added = json_object_get(tokenizer, "added_tokens");
    for (size_t i = 0; i < json_array_size(added); i++)
        if (json_integer_value(json_object_get(json_array_get(added, i), "id")) == end)
            return json_string_value(json_object_get(json_array_get(added, i), "content"));
    return NULL;
}

// Let the tokenizer begin every text with that token.
static void add_beginning(json_t *tokenizer, const char *name, int end) {
    json_t *mark = json_pack("{s:{s:s, s:i}}", "SpecialToken", "id", name, "type_id", 0),
           *text = json_pack("{s:{s:s, s:i}}", "Sequence", "id", "A", "type_id", 0),
           *second = json_pack("{s:{s:s, s:i}}", "Sequence", "id", "B", "type_id", 1),
           *template = json_pack("{s:s, s:[O, O], s:[O, O, o], s:{s:{s:s, s:[i], s:[s]}}}", "type",
                                 "TemplateProcessing", "single", mark, text, "pair", mark, text, second,
                                 "special_tokens", name, "id", name, "ids", end, "tokens", name);
    json_decref(mark);
    json_decref(text);
    json_t *both = json_pack("{s:s, s:[O, o]}", "type", "Sequence", "processors",
                             json_object_get(tokenizer, "post_processor"), template);
    json_object_set_new(tokenizer, "post_processor", both);
}

static bool write_tokenizer(const Run *run, const char *directory, Error *error) {
    const int end = tokenizer_end(&run->tokenizer);
    json_t *tokenizer = tokenizer_to_hf(&run->tokenizer, error);
    if (!tokenizer) return false;
    json_t *config = json_pack("{s:s, s:i, s:b}", "tokenizer_class", "PreTrainedTokenizerFast", "model_max_length",
                               run->gpt.shape.context, "clean_up_tokenization_spaces", 0);
    const char *name = name_of_end(tokenizer, end);
    if (name) {
        json_object_set_new(config, "bos_token", json_string(name));
        json_object_set_new(config, "eos_token", json_string(name));
        add_beginning(tokenizer, name, end);
    }
    if (write_json(directory, "tokenizer.json", tokenizer, error))
        return write_json(directory, "tokenizer_config.json", config, error);
    json_decref(config);
    return false;
}

bool export_hf(const Run *run, const char *name, const char *directory, Error *error) {
    const int end = tokenizer_end(&run->tokenizer);
    Target target;
    Rotations rotations;
    ForeignTensors tensors;
    if (!find_target(&target, &rotations, FORMAT_HF, &run->gpt, name, error) ||
        !foreign_from_model(&tensors, FORMAT_HF, target, &run->gpt, error))
        return false;
    json_t *generation = json_pack("{s:b}", "do_sample", 0);
    if (end >= 0) {
        json_object_set_new(generation, "bos_token_id", json_integer(end));
        json_object_set_new(generation, "eos_token_id", json_integer(end));
        json_object_set_new(generation, "pad_token_id", json_integer(end));
    }
    const bool ok = write_weights(directory, &tensors, error) &&
                    write_json(directory, "config.json", hf_config(target, &run->gpt, &rotations, end), error) &&
                    (run->tokenizer.kind == TOKENIZER_NONE || write_tokenizer(run, directory, error));
    foreign_free(&tensors);
    if (ok) return write_json(directory, "generation_config.json", generation, error);
    json_decref(generation);
    return false;
}

// --- reading ---

static bool read_config(Target *target, TrainOptions *options, int *vocab, const char *path, Error *error) {
    Buffer file;
    json_error_t mistake;
    if (!file_read(&file, path, error)) return false;
    buffer_drop_mark(&file);
    json_t *config = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &mistake);
    free(file.bytes);
    const bool ok = config ? hf_config_read(target, options, vocab, config, path, error)
                           : fail_damaged(error, path, "line %d: %s", mistake.line, mistake.text);
    json_decref(config);
    return ok;
}

// Before memory is taken for a model: can the files hold one of this size? The embeddings and the matrices of the
// layers alone have `numbers` numbers, each of at least two bytes.
static bool check_size(const TrainOptions *options, Target target, int vocab, const SavedWeights *weights,
                       const char *path, Error *error) {
    const Shape shape = sizes_of(options, vocab);
    const double C = (double)options->width,
                 matrices = C * ((double)qkv_width(&shape) + C + fc_width(&shape) + mlp_width(&shape)),
                 rows = vocab + (target == TARGET_GPT2 ? (double)options->context : 0),
                 numbers = rows * C + (double)options->layers * matrices;
    return (double)weights->file.size >= 2 * numbers ||
           fail_input(error, "%s describes a model of %.0f numbers, but model.safetensors has %zu bytes", path, numbers,
                      weights->file.size);
}

// `vocab`: the number of rows of their embeddings; those after the tokenizer's tokens are left out.
static bool copy_weights(Gpt *gpt, Target target, int vocab, SavedWeights *weights, Error *error) {
    ForeignTensors tensors;
    if (!foreign_list(&tensors, FORMAT_HF, target, gpt, error)) return false;
    bool ok = true;
    for (const ForeignTensor *t = tensors.items; ok && t < tensors.items + tensors.count; t++) {
        const bool embeddings = t->ours && strcmp(t->ours->name, "wte") == 0;
        const int rows = embeddings ? vocab : t->shape[0];
        float *numbers = malloc((size_t)rows * (size_t)t->shape[1] * sizeof *numbers);
        ok = numbers ? weights_copy(numbers, weights, t->name, t->rank, rows, t->shape[1], error)
                     : fail_run(error, "no memory for a tensor of %d rows", rows);
        if (ok) foreign_to_model(gpt, numbers, t);
        free(numbers);
    }
    foreign_free(&tensors);
    return ok && weights_all_used(weights, error);
}

// Make the model of run->options, with as many tokens as the tokenizer in the file `tokenizer` has, or without a
// tokenizer if that file is missing.
static bool create_model(Run *run, int vocab, const char *path, const char *tokenizer, Error *error) {
    Shape shape;
    Mix pos;
    Error reason;
    if (path_missing(tokenizer)) {
        if (!tokenizer_create_plain(&run->tokenizer, TOKENIZER_NONE, vocab, error)) return false;
    } else if (!tokenizer_find(&run->tokenizer, tokenizer, &reason)) {
        *error = reason;
        if (reason.kind == ERROR_INPUT)
            fail_input(error, "%.900s, or remove it to import the model without one", reason.message);
        return false;
    }
    const int tokens = run->tokenizer.vocab_size;
    if (tokens > vocab || tokens < vocab - PADDING_MOST)
        return fail_input(error,
                          "%s has %d tokens, but the model %d; remove the file to import the model without a tokenizer",
                          tokenizer, tokens, vocab);
    vocab = tokens;
    if (!shape_of(&shape, &run->options, vocab, error)) return false;
    if (!shape_check(&shape, &reason))
        return fail_input(
            error, "%s describes a model with a matrix of more than 10^9 numbers; bitter has no such model", path);
    if (!mix_create(&pos, run->options.pos, &shape, &reason))
        return fail_input(error, "%s: %.900s", path, reason.message);
    if (!stretch_apply(&pos, &run->options.stretch, path, error)) return false;
    mix_print(&pos, run->options.pos);
    return gpt_create(&run->gpt, &shape, &pos, false, error);
}

bool import_hf(Run *run, const char *directory, Error *error) {
    char config[PATH_CAPACITY], tokenizer[PATH_CAPACITY];
    Target target;
    int vocab;
    SavedWeights weights = {0};
    *run = (Run){0};
    options_default(&run->options, train_options);
    const bool ok =
        path_format(config, error, "%s/config.json", directory) &&
        path_format(tokenizer, error, "%s/tokenizer.json", directory) &&
        read_config(&target, &run->options, &vocab, config, error) && weights_open(&weights, directory, error) &&
        check_size(&run->options, target, vocab, &weights, config, error) &&
        create_model(run, vocab, config, tokenizer, error) && copy_weights(&run->gpt, target, vocab, &weights, error);
    if (ok && run->gpt.shape.vocab < vocab)
        printf("tokens  the tokenizer has %d, so the last %d of %d rows of the embeddings are left out as padding\n",
               run->gpt.shape.vocab, vocab - run->gpt.shape.vocab, vocab);
    weights_close(&weights);
    if (!ok) run_close(run);
    return ok;
}
