#include "cmd/train/train.h"

#include "base/file/crc.h"
#include "base/file/text.h"
#include "cmd/prepare/prepare.h"
#include "cmd/shared/arguments.h"
#include "cmd/shared/output.h"
#include "data/corpus.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Do the tokens of the split stand at `at` in the text's? Moves `at` behind them.
static bool holds_split(const Tokens *tokens, size_t *at, const Split *split) {
    for (const Shard *shard = split->shards; shard < split->shards + split->shard_count; *at += shard++->count)
        if (shard->count > tokens->count - *at ||
            crc_bytes(0, tokens->ids + *at, shard->count * sizeof *tokens->ids) != shard->crc)
            return false;
    return true;
}

// Fails (input) unless the corpus is this text alone, as its tokenizer has it, or the one that `input` asks for; the
// share of validation does not matter.
static bool check_made_of(const char *data, const char *path, const InputOptions *input, Error *error) {
    Corpus corpus = {0};
    Texts texts = {.options = *input};
    size_t at = 0;
    char quoted[2][QUOTED_CAPACITY];
    if (!*input->tokenizer) snprintf(texts.options.tokenizer, sizeof texts.options.tokenizer, "%s", data);
    const bool read = corpus_open(&corpus, data, error) && texts_read(&texts, (char **)&path, 1, error);
    if (read) *error = (Error){0};
    const bool same = read && texts_encode(&texts, error) && holds_split(&texts.tokens, &at, &corpus.train) &&
                      holds_split(&texts.tokens, &at, &corpus.val) && at == texts.tokens.count;
    if (read && !same && error->kind != ERROR_RUN)
        fail_input(error,
                   "%s exists, but holds something else than %s, or in other tokens; make shards with `bitter prepare "
                   "--out DIR %s`, or train on what is there with `bitter train --data %s`",
                   data, path, shell_quoted(quoted[0], path), shell_quoted(quoted[1], data));
    texts_free(&texts);
    corpus_close(&corpus);
    return same;
}

const Option *train_arguments(void) {
    static const Option text_rows[] = {HEADING_ROW("FILE"), INPUT_OPTION_ROWS(TrainArguments), {0}};
    static Option rows[ARGUMENTS_MOST];
    int count = 0;
    for (; train_options[count].name; count++) rows[count] = train_options[count];
    assert(count + sizeof text_rows / sizeof *text_rows <= ARGUMENTS_MOST);
    memcpy(rows + count, text_rows, sizeof text_rows);
    return rows;
}

bool train_name_data(TrainOptions *options, const char *text, Error *error) {
    char data[PATH_CAPACITY];
    if (path_is_directory(text))
        return fail_input(
            error, "%s is a directory; give data with --data, a run with --init, and texts to `bitter prepare`", text);
    if (path_ends_with(text, ".pos"))
        return fail_input(error, "%s is a position scheme by its name; give it as --pos %s", text, text);
    return output_default(data, text, error) &&
           option_set(options, option_find(train_options, "data"), data, "--data", error);
}

bool train_prepare(const TrainOptions *options, const InputOptions *input, const char *text, Error *error) {
    const char *data = options->data;
    InputOptions made = *input;
    if (!*made.tokenizer) memcpy(made.tokenizer, options->init, sizeof made.tokenizer);
    if (!path_exists(data)) {
        if (path_exists(text)) printf("prepare %s, as `bitter prepare` does, into %s\n", text, data);
        fflush(stdout);
        return prepare_text(text, &made, error);
    }
    if (!check_made_of(data, text, input, error)) return false;
    printf("prepare %s: %s was made of this text and is used\n", text, data);
    return true;
}
