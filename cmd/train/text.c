#include "cmd/train/text.h"

#include "base/file/text.h"
#include "cmd/prepare/prepare.h"
#include "cmd/shared/output.h"
#include "data/corpus.h"
#include "data/source.h"
#include "lab/run/run.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK 65536 // tokens that are compared at once

// Do the tokens of the split stand at `at` in the text's? Moves `at` behind them.
static bool holds_split(const Tokens *tokens, size_t *at, const Split *split, Error *error) {
    static int ids[CHUNK];
    if (split->count > tokens->count - *at) return false;
    for (uint64_t offset = 0; offset < split->count;) {
        const uint64_t left = split->count - offset, count = left < CHUNK ? left : CHUNK;
        if (!split_read(ids, split, offset, (size_t)count, error)) return false;
        for (uint64_t i = 0; i < count; i++)
            if (ids[i] != tokens->ids[(*at)++]) return false;
        offset += count;
    }
    return true;
}

// Is the corpus this text alone, whatever its tokenizer and the share of validation are? `bitter prepare` leaves out
// characters that an existing tokenizer does not know.
static bool made_of(const Corpus *corpus, const Buffer *text, Error *error) {
    const int end = tokenizer_end(&corpus->tokenizer);
    const uint16_t mark = (uint16_t)end;
    UnknownCharacters unknown = {0};
    Tokens tokens = {0};
    size_t at = 0;
    const bool same = tokenizer_encode_known(&tokens, &unknown, &corpus->tokenizer, (const char *)text->bytes,
                                             text->size, "the text", error) &&
                      (end < 0 || tokens_add(&tokens, &mark, 1, error)) &&
                      holds_split(&tokens, &at, &corpus->train, error) &&
                      holds_split(&tokens, &at, &corpus->val, error) && at == tokens.count;
    tokens_free(&tokens);
    unknown_free(&unknown);
    return same;
}

static bool check_made_of(const char *data, const char *path, Error *error) {
    Corpus corpus = {0};
    Buffer text;
    char quoted[2][QUOTED_CAPACITY];
    if (!corpus_open(&corpus, data, error)) return false;
    if (!source_read(&text, path, error)) {
        corpus_close(&corpus);
        return false;
    }
    *error = (Error){0};
    const bool same = made_of(&corpus, &text, error);
    free(text.bytes);
    corpus_close(&corpus);
    if (same || error->kind == ERROR_RUN) return same;
    return fail_input(error,
                      "%s exists, but holds something else than %s; make shards with `bitter prepare --out DIR "
                      "%s`, or train on what is there with `bitter train --data %s`",
                      data, path, shell_quoted(quoted[0], path), shell_quoted(quoted[1], data));
}

bool train_name_data(TrainOptions *options, const char *text, Error *error) {
    char data[PATH_CAPACITY];
    if (path_is_directory(text))
        return fail_input(error, "%s is a directory; give data with --data, and a run with --init", text);
    if (!output_default(data, text, error)) return false;
    if (strlen(data) >= sizeof options->data)
        return fail_input(error, "%s: the name is too long for a directory; use `bitter prepare --out DIR`", text);
    snprintf(options->data, sizeof options->data, "%.511s", data);
    return true;
}

bool train_prepare(const TrainOptions *options, const char *text, Error *error) {
    const char *data = options->data;
    RunPaths init = {0};
    if (*options->init && !run_paths(&init, options->init, error)) return false;
    if (!path_exists(data)) {
        if (path_exists(text)) printf("prepare %s, as `bitter prepare` does, into %s\n", text, data);
        fflush(stdout);
        return prepare_text(text, init.tokenizer, error);
    }
    if (!check_made_of(data, text, error)) return false;
    printf("prepare %s: %s was made of this text and is used\n", text, data);
    return true;
}
