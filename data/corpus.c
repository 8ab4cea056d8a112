#include "data/corpus.h"

#include "base/file/text.h"
#include "base/interrupt.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double BUILTIN_VALIDATION = 0.1;

uint64_t corpus_training_count(uint64_t count, double validation) {
    // A rounding error of an ulp or two must not lose a token when the exact product is a whole number.
    double training = (double)count * (1 - validation) * (1 + 4 * DBL_EPSILON);
    return training >= (double)count ? count : (uint64_t)floor(training);
}

// A name that contains both "train" and "val" is a training shard.
static int is_training(const struct dirent *entry) {
    return path_ends_with(entry->d_name, ".bin") && strstr(entry->d_name, "train");
}

static int is_validation(const struct dirent *entry) {
    return path_ends_with(entry->d_name, ".bin") && strstr(entry->d_name, "val") && !strstr(entry->d_name, "train");
}

bool corpus_absent(const char *directory, Error *error) {
    bool found = false;
    DIR *entries = opendir(directory);
    if (!entries)
        return errno == ENOENT || errno == ENOTDIR || fail_open(directory, errno, "choose another --out", error);
    for (const struct dirent *entry; (entry = directory_next(entries));)
        found = found || is_training(entry) || is_validation(entry);
    if (!directory_end(entries, directory, error)) return false;
    return !found || fail_input(error, "%s holds data that `bitter prepare` wrote; choose another --out", directory);
}

// Open the shards of a split in the order of their names.
static bool split_open(Split *split, const char *directory, const char *name, int (*is_shard)(const struct dirent *),
                       int vocab_size, Error *error) {
    struct dirent **entries;
    const int count = scandir(directory, &entries, is_shard, alphasort);
    if (count < 0 && errno == ENOTDIR) {
        char quoted[QUOTED_CAPACITY];
        return fail_input(error, "%s is no directory of shards, but a file: `bitter prepare %s`, or `bitter train %s`",
                          directory, shell_quoted(quoted, directory), quoted);
    }
    if (count < 0) return fail_open(directory, errno, "make data with `bitter prepare`", error);
    split->shards = calloc((size_t)count + 1, sizeof *split->shards);
    bool ok = split->shards || fail_run(error, "%s: no memory for its list of shards", directory);
    if (ok && count == 0)
        ok =
            fail_input(error, "%s has no %s shard (*%s*.bin); make both with `bitter prepare`, or unpack them (gunzip)",
                       directory, name, name);
    for (int i = 0; i < count; i++) {
        char path[PATH_CAPACITY];
        ok = ok && path_format(path, error, "%s/%s", directory, entries[i]->d_name) &&
             shard_open(&split->shards[i], path, vocab_size, error);
        free(entries[i]);
        if (ok) split->count += split->shards[split->shard_count++].count;
    }
    free(entries);
    return ok;
}

static bool directory_open(Corpus *corpus, Error *error) {
    char path[PATH_CAPACITY];
    if (!*corpus->name)
        return fail_input(error,
                          "no data is named, and an imported run knows of none; give --data DIR, a directory that "
                          "`bitter prepare` has made");
    if (!path_format(path, error, "%s/tokenizer.json", corpus->name)) return false;
    Tokenizer *tokenizer = &corpus->tokenizer;
    bool ready = path_missing(path) ? tokenizer_create(tokenizer, TOKENIZER_NONE, error)
                                    : tokenizer_read(tokenizer, path, error);
    return ready && split_open(&corpus->train, corpus->name, "train", is_training, tokenizer->vocab_size, error) &&
           split_open(&corpus->val, corpus->name, "val", is_validation, tokenizer->vocab_size, error);
}

// Append the tokens of a corpus, with the end token after each document.
static bool builtin_encode(Tokens *tokens, const Tokenizer *tokenizer, const BuiltinCorpus *corpus, const char *name,
                           Error *error) {
    Text document = {0};
    bool ok = true;
    size_t bytes = 0;
    for (uint64_t index = 0; ok && bytes < (size_t)corpus->bytes; index++) {
        document.size = 0;
        builtin_document(&document, corpus, index);
        if (document.failed) fail_run(error, "%s: no memory for a document", name);
        ok = !document.failed && stop_check(&stop_at_signal, error) &&
             tokenizer_encode(tokens, tokenizer, document.bytes, document.size, name, error) &&
             tokens_add_end(tokens, tokenizer, error);
        bytes += document.size;
    }
    text_free(&document);
    return ok;
}

static bool split_from_tokens(Split *split, const char *corpus_name, const char *name, const uint16_t *ids,
                              size_t count, Error *error) {
    char path[PATH_CAPACITY];
    split->shards = calloc(1, sizeof *split->shards);
    if (!split->shards) return fail_run(error, "%s: no memory for its %s split", corpus_name, name);
    split->shard_count = 1;
    split->count = count;
    return path_format(path, error, "%s (%s)", corpus_name, name) &&
           shard_from_tokens(split->shards, path, ids, count, error);
}

static bool builtin_open(Corpus *corpus, Error *error) {
    Tokens *tokens = &corpus->tokens;
    if (!builtin_choose(&corpus->builtin, corpus->name, error) ||
        !builtin_check_memory(&corpus->builtin, corpus->name, error) ||
        !tokenizer_create(&corpus->tokenizer, TOKENIZER_BYTES, error) ||
        !builtin_encode(tokens, &corpus->tokenizer, &corpus->builtin, corpus->name, error))
        return false;
    const size_t training = (size_t)corpus_training_count(tokens->count, BUILTIN_VALIDATION);
    return split_from_tokens(&corpus->train, corpus->name, "train", tokens->ids, training, error) &&
           split_from_tokens(&corpus->val, corpus->name, "val", tokens->ids + training, tokens->count - training,
                             error);
}

// Open the corpus called `name` with `open`; after a failure nothing is left to close.
static bool open_with(Corpus *corpus, const char *name, bool (*open)(Corpus *corpus, Error *error), Error *error) {
    *corpus = (Corpus){0};
    if (path_format(corpus->name, error, "%s", name) && open(corpus, error)) return true;
    corpus_close(corpus);
    return false;
}

bool corpus_open_builtin(Corpus *corpus, const char *name, Error *error) {
    return open_with(corpus, name, builtin_open, error);
}

bool corpus_open(Corpus *corpus, const char *name, Error *error) {
    return open_with(corpus, name, is_builtin(name) ? builtin_open : directory_open, error);
}

static void split_close(Split *split) {
    for (int i = 0; i < split->shard_count; i++) shard_close(&split->shards[i]);
    free(split->shards);
}

void corpus_close(Corpus *corpus) {
    split_close(&corpus->train);
    split_close(&corpus->val);
    tokens_free(&corpus->tokens);
    tokenizer_free(&corpus->tokenizer);
    *corpus = (Corpus){0};
}

uint64_t split_limit(const Split *split, long long limit) {
    return limit > 0 && (uint64_t)limit < split->count ? (uint64_t)limit : split->count;
}

void split_read(int *ids, const Split *split, uint64_t offset, size_t count) {
    assert(offset <= split->count && count <= split->count - offset);
    for (const Shard *shard = split->shards; count > 0; shard++) {
        if (offset >= shard->count) {
            offset -= shard->count;
            continue;
        }
        for (; offset < shard->count && count > 0; count--) *ids++ = shard->tokens[offset++];
        offset = 0;
    }
}
