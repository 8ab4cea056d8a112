#include "cmd/prepare/prepare.h"

#include "base/interrupt.h"
#include "cmd/prepare/tokens.h"
#include "data/corpus.h"
#include "data/scatter.h"

#include <string.h>

#define FIELD(name) offsetof(PrepareOptions, name)

const Option prepare_options[] = {
    TEXT_ROW("out", FIELD(out), NULL, "DIR",
             "new directory for the shards; by default runs/data/NAME, named after the first input"),
    INPUT_OPTION_ROWS(PrepareOptions),
    NUMBER_ROW("val", FIELD(validation), "0.1", 0, 1, "SHARE", "last part of the text to keep for validation"),
    INTEGER_ROW("shard-tokens", FIELD(shard_tokens), "100000000", 1, INT32_MAX, "write at most N tokens into a shard"),
    {.name = NULL},
};

typedef struct {
    const char *split;
    const uint16_t *ids; // (tokens)
    uint64_t tokens;
    int files; // written
} Shards;

// Write the split as files of at most shard_tokens, numbered from 0.
static bool write_shards(Shards *shards, const Output *output, const PrepareOptions *options, Error *error) {
    for (uint64_t written = 0; written < shards->tokens; shards->files++) {
        uint64_t left = shards->tokens - written, most = (uint64_t)options->shard_tokens;
        uint64_t size = left < most ? left : most;
        char path[PATH_CAPACITY];
        if (!stop_check(&stop_at_signal, error) ||
            !path_format(path, error, "%s/%s_%06d.bin", output->temporary, shards->split, shards->files) ||
            !shard_write(path, shards->ids + written, (size_t)size, error))
            return false;
        written += size;
    }
    return true;
}

// The contents of the directory.
typedef struct {
    Tokenizer tokenizer;
    UnknownCharacters unknown; // left out of the text
    Tokens tokens;             // of the text, training and validation
    Tokens mixed;              // of training with the scattered documents, when there are any
    size_t documents;          // scattered
    Shards train, val;
} Prepared;

// Validation is the end of the text; documents are scattered only through the rest, for training.
static bool split(Prepared *prepared, const InputTexts *texts, const PrepareOptions *options, Error *error) {
    const uint16_t *ids = prepared->tokens.ids;
    const uint64_t count = prepared->tokens.count, training = corpus_training_count(count, options->validation);
    if (training == 0 || training == count)
        return fail_input(
            error,
            "the text has %llu tokens, and --val %g leaves none for %s, but training needs both splits; give more "
            "text or another share",
            (unsigned long long)count, options->validation, training ? "validation" : "training");
    prepared->train = (Shards){"train", ids, training, 0};
    prepared->val = (Shards){"val", ids + training, count - training, 0};
    if (!texts->scattered_name) return true;
    if (!scatter(&prepared->mixed, &prepared->documents, ids, (size_t)training, &prepared->tokenizer, &texts->scattered,
                 texts->scattered_name, error))
        return false;
    prepared->train.ids = prepared->mixed.ids;
    prepared->train.tokens = prepared->mixed.count;
    return true;
}

static void print_summary(const Prepared *prepared, const TokenizerChoice *choice, const InputTexts *texts) {
    const Shards *train = &prepared->train, *val = &prepared->val;
    const double scattered = (double)(train->tokens + val->tokens - prepared->tokens.count);
    printf("text         %zu bytes\n", texts->bytes);
    if (texts->files)
        printf("files        %zu, in the order of their names; left out, as empty or no text: %zu\n", texts->files,
               texts->left_out);
    const Tokenizer *tokenizer = &prepared->tokenizer;
    printf("tokenizer    %s, vocabulary of %d", tokenizer_kind_name(tokenizer->kind), tokenizer->vocab_size);
    if (choice->vocab_size > tokenizer->vocab_size)
        printf(" instead of %d, because no other pair of tokens occurs twice", choice->vocab_size);
    const size_t ends = tokenizer_end(tokenizer) < 0 ? 0 : texts->count;
    if (tokenizer->kind == TOKENIZER_BPE)
        printf(", %.2f bytes per token", (double)texts->bytes / (double)(prepared->tokens.count - ends));
    printf("\n");
    print_unknown(&prepared->unknown, prepared->tokens.count);
    printf("training     %llu tokens, shards: %d\n", (unsigned long long)train->tokens, train->files);
    if (texts->scattered_name)
        printf("scattered    %zu documents of %s, %.2f%% of the training tokens\n", prepared->documents,
               texts->scattered_name, 100 * scattered / (double)train->tokens);
    printf("validation   %llu tokens, shards: %d\n", (unsigned long long)val->tokens, val->files);
}

static bool write_output(Output *output, Prepared *prepared, const PrepareOptions *options, Error *error) {
    char path[PATH_CAPACITY];
    return path_format(path, error, "%s/tokenizer.json", output->temporary) &&
           tokenizer_write(&prepared->tokenizer, path, error) &&
           write_shards(&prepared->train, output, options, error) &&
           write_shards(&prepared->val, output, options, error) && stop_check(&stop_at_signal, error) &&
           output_complete(output, error);
}

static bool prepare(Output *output, const PrepareOptions *options, char **inputs, int count, Error *error) {
    InputTexts texts = {.options = options->input};
    Prepared prepared = {0};
    TokenizerChoice choice;
    bool ok = tokenizer_choose(&choice, options->input.tokenizer, error) &&
              output_locate(output, options->out, inputs[0], error) && output_create(output, error) &&
              read_inputs(&texts, inputs, count, error) &&
              encode_texts(&prepared.tokens, &prepared.tokenizer, &prepared.unknown, &texts, &choice, error) &&
              split(&prepared, &texts, options, error) && write_output(output, &prepared, options, error);
    if (ok) print_summary(&prepared, &choice, &texts);
    texts_free(&texts);
    tokenizer_free(&prepared.tokenizer);
    tokens_free(&prepared.tokens);
    tokens_free(&prepared.mixed);
    return ok;
}

bool prepare_inputs(Output *output, const PrepareOptions *options, char **inputs, int count, Error *error) {
    interrupt_catch();
    if (prepare(output, options, inputs, count, error)) return true;
    output_discard(output);
    stop_check(&stop_at_signal, error); // report the signal, not the read that it cut short
    return false;
}

bool prepare_text(const char *text, const InputOptions *input, Error *error) {
    PrepareOptions options;
    Output output = {.lock = -1};
    char *inputs[] = {(char *)text};
    options_default(&options, prepare_options);
    options.input = *input;
    return prepare_inputs(&output, &options, inputs, 1, error);
}
