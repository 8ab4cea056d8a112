// `bitter prepare`: turn text into shards of tokens, in a directory that appears only when it is complete.
#include "base/interrupt.h"
#include "cmd/shared/arguments.h"
#include "cmd/commands.h"
#include "cmd/shared/output.h"
#include "data/corpus.h"
#include "data/made/builtin.h"
#include "data/scatter.h"
#include "data/source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char out[TEXT_CAPACITY];
    int tokenizer; // a TokenizerKind; the choices below are in the order of that enum
    double validation;
    long long shard_tokens;
    bool gzip;
} PrepareOptions;

#define FIELD(name) offsetof(PrepareOptions, name)

static const Option prepare_options[] = {
    TEXT_ROW("out", FIELD(out), NULL, "DIR",
             "new directory for the shards; by default runs/data/NAME, named after the first input"),
    CHOICE_ROW("tokenizer", FIELD(tokenizer), "bytes", "bytes|chars", NULL,
               "bytes: each byte is a token, each input a document; chars: each different character is a token, all "
               "inputs are joined into one text"),
    NUMBER_ROW("val", FIELD(validation), "0.1", 0, 1, "SHARE", "last part of the text to keep for validation"),
    INTEGER_ROW("shard-tokens", FIELD(shard_tokens), "100000000", 1, INT32_MAX, "write at most N tokens into a shard"),
    FLAG_ROW("gzip", FIELD(gzip), "write gzipped shards (.bin.gz)"),
    {.name = NULL},
};

static const Usage usage = {
    .command = "prepare",
    .summary = "Turn text into shards of tokens to train on. An INPUT is a text file, a .gz file, - for standard "
               "input, or builtin:NAME[:key=value,...]. Documents of builtin:passkey are scattered through "
               "the training part of the other inputs. The output directory appears only when it is complete.",
    .operands = "INPUT...",
    .table = prepare_options,
    .examples = "  bitter prepare --tokenizer chars shakespeare.txt\n"
                "  bitter prepare --out runs/data/books --val 0.05 books/*.txt.gz\n"
                "  zcat wiki.gz | bitter prepare --out runs/data/wiki -\n"
                "  bitter prepare builtin:tales:bytes=1e8,seed=2\n"
                "  bitter prepare book.txt builtin:passkey:share=0.05\n",
};

// The text of all inputs. A document is one file or one built-in document.
typedef struct {
    const char *name; // of the input
    Text text;
} Document;

typedef struct {
    Document *documents; // (count)
    size_t count, capacity, bytes;
    const char *scattered_name; // the input whose documents will be scattered through the others; NULL = none
    BuiltinCorpus scattered;
} InputTexts;

static void texts_free(InputTexts *texts) {
    for (size_t i = 0; i < texts->count; i++) text_free(&texts->documents[i].text);
    free(texts->documents);
    *texts = (InputTexts){0};
}

// Add one text, or free it.
static bool texts_add(InputTexts *texts, const char *name, Text *text, Error *error) {
    if (texts->count == texts->capacity) {
        const size_t more = texts->capacity ? 2 * texts->capacity : 64;
        Document *larger = realloc(texts->documents, more * sizeof *larger);
        if (!larger) {
            text_free(text);
            return fail_run(error, "%s: no memory for %zu documents; give less text", name, more);
        }
        texts->documents = larger;
        texts->capacity = more;
    }
    texts->documents[texts->count++] = (Document){name, *text};
    texts->bytes += text->size;
    return true;
}

static bool add_builtin(InputTexts *texts, const char *input, Error *error) {
    BuiltinCorpus corpus;
    if (!builtin_choose(&corpus, input, error)) return false;
    const size_t end = texts->bytes + (size_t)corpus.bytes;
    for (uint64_t index = 0; texts->bytes < end; index++) {
        if (!stop_check(&stop_at_signal, error)) return false;
        Text text = {0};
        builtin_document(&text, &corpus, index);
        if (text.failed) {
            text_free(&text);
            return fail_run(error, "%s: no memory for its text; ask for less with bytes=N", input);
        }
        if (!texts_add(texts, input, &text, error)) return false;
    }
    return true;
}

static bool add_file(InputTexts *texts, const char *input, Error *error) {
    Buffer buffer;
    const char *name = strcmp(input, "-") == 0 ? "standard input" : input;
    if (!source_read(&buffer, input, error)) return false;
    if (buffer.size == 0) {
        free(buffer.bytes);
        return fail_input(error, "%s is empty; give a file with text, or leave this one out", name);
    }
    Text text = {.bytes = (char *)buffer.bytes, .size = buffer.size, .capacity = buffer.size};
    return texts_add(texts, name, &text, error);
}

// Find the input whose documents are to be scattered through the others. A single input is not scattered.
static bool find_scattered(InputTexts *texts, char **inputs, int count, Error *error) {
    for (int i = 0; count > 1 && i < count; i++) {
        BuiltinCorpus corpus;
        if (!is_builtin(inputs[i])) continue;
        if (!builtin_choose(&corpus, inputs[i], error)) return false;
        if (!corpus.builtin->scattered) continue;
        if (texts->scattered_name)
            return fail_input(error, "%s and %s would both be scattered through other text; give only one of them",
                              texts->scattered_name, inputs[i]);
        texts->scattered_name = inputs[i];
        texts->scattered = corpus;
    }
    return true;
}

static bool read_inputs(InputTexts *texts, char **inputs, int count, Error *error) {
    const bool show = isatty(STDERR_FILENO) && count > 1;
    bool ok = find_scattered(texts, inputs, count, error);
    for (int i = 0; ok && i < count; i++) {
        if (inputs[i] == texts->scattered_name) continue;
        ok = stop_check(&stop_at_signal, error) &&
             (is_builtin(inputs[i]) ? add_builtin(texts, inputs[i], error) : add_file(texts, inputs[i], error));
        if (show) fprintf(stderr, "\rread %d of %d inputs, %.1f MB", i + 1, count, (double)texts->bytes * 1e-6);
    }
    if (show) fprintf(stderr, "\n");
    return ok;
}

// The tokens of all documents in order. Each text is freed as soon as it is encoded, since tokens take twice its
// memory.
static bool encode(Tokens *tokens, Tokenizer *tokenizer, InputTexts *texts, TokenizerKind kind, Error *error) {
    bool ok = tokenizer_create(tokenizer, kind, "", 0, "", error);
    for (size_t i = 0; ok && i < texts->count; i++) {
        const Document *document = &texts->documents[i];
        ok = stop_check(&stop_at_signal, error) &&
             tokenizer_extend(tokenizer, document->text.bytes, document->text.size, document->name, error);
    }
    if (ok && texts->scattered_name)
        ok = scatter_extend(tokenizer, &texts->scattered, texts->scattered_name, texts->bytes, error);
    const int end = tokenizer_end(tokenizer);
    const uint16_t end_token = (uint16_t)end;
    for (size_t i = 0; ok && i < texts->count; i++) {
        Document *document = &texts->documents[i];
        ok = stop_check(&stop_at_signal, error) &&
             tokenizer_encode(tokens, tokenizer, document->text.bytes, document->text.size, document->name, error) &&
             (end < 0 || tokens_add(tokens, &end_token, 1, error));
        text_free(&document->text);
    }
    return ok;
}

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
            !path_format(path, error, "%s/%s_%06d.bin%s", output->temporary, shards->split, shards->files,
                         options->gzip ? ".gz" : "") ||
            !shard_write(path, shards->ids + written, (size_t)size, error))
            return false;
        written += size;
    }
    return true;
}

// The contents of the directory.
typedef struct {
    Tokenizer tokenizer;
    Tokens tokens;    // of the text, training and validation
    Tokens mixed;     // of training with the scattered documents, when there are any
    size_t documents; // scattered
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

static void print_summary(const Prepared *prepared, const Output *output, const InputTexts *texts) {
    const Shards *train = &prepared->train, *val = &prepared->val;
    const double scattered = (double)(train->tokens + val->tokens - prepared->tokens.count);
    printf("text         %zu bytes\n", texts->bytes);
    printf("tokenizer    %s, vocabulary of %d\n", tokenizer_kind_name(prepared->tokenizer.kind),
           prepared->tokenizer.vocab_size);
    printf("training     %llu tokens, shards: %d\n", (unsigned long long)train->tokens, train->files);
    if (texts->scattered_name)
        printf("scattered    %zu documents of %s, %.2f%% of the training tokens\n", prepared->documents,
               texts->scattered_name, 100 * scattered / (double)train->tokens);
    printf("validation   %llu tokens, shards: %d\n", (unsigned long long)val->tokens, val->files);
    char quoted[QUOTED_CAPACITY];
    printf("next         bitter train --data %s\n", shell_quoted(quoted, output->path));
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
    InputTexts texts = {0};
    Prepared prepared = {0};
    bool ok = output_locate(output, options->out, inputs[0], error) && output_create(output, error) &&
              read_inputs(&texts, inputs, count, error) &&
              encode(&prepared.tokens, &prepared.tokenizer, &texts, (TokenizerKind)options->tokenizer, error) &&
              split(&prepared, &texts, options, error) && write_output(output, &prepared, options, error);
    if (ok) print_summary(&prepared, output, &texts);
    texts_free(&texts);
    tokenizer_free(&prepared.tokenizer);
    tokens_free(&prepared.tokens);
    tokens_free(&prepared.mixed);
    return ok;
}

bool command_prepare(int argc, char **argv, Error *error) {
    PrepareOptions options;
    Output output;
    const int first = arguments_parse(&options, NULL, &usage, argc, argv);
    interrupt_catch();
    if (prepare(&output, &options, argv + first, argc - first, error)) return true;
    output_discard(&output);
    stop_check(&stop_at_signal, error); // report the signal, not the read that it cut short
    return false;
}
