// tokenizer.json, in bitter's own format and in that of Hugging Face's tokenizers, and GPT-2's two files.
#include "base/file/file.h"
#include "base/file/text.h"
#include "base/utf8.h"
#include "data/tokenizer.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// The JSON in a file; NULL, and fails (input), when it is not JSON. `advice` ends the message.
static json_t *load(const char *path, const char *advice, Error *error) {
    Buffer file;
    json_error_t mistake;
    if (!file_read(&file, path, error)) return NULL;
    buffer_drop_mark(&file);
    json_t *root = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &mistake);
    free(file.bytes);
    if (!root) fail_input(error, "%s, line %d: not JSON (%s); %s", path, mistake.line, mistake.text, advice);
    return root;
}

// --- writing ---

// Write a token as text. A special token is its name; the end of a document of BYTES has no bytes of its own.
static void write_token(Text *out, const Tokenizer *tokenizer, int id) {
    const Bpe *bpe = &tokenizer->bpe;
    const char *bytes;
    const size_t size = tokenizer_decode(&bytes, tokenizer, id);
    if (bpe->tokens && bpe->tokens[id].special)
        text_add(out, bpe->text.bytes + bpe->tokens[id].start, bpe->tokens[id].size);
    else if (id == tokenizer_end(tokenizer))
        text_add(out, BPE_END, strlen(BPE_END));
    else if (tokenizer->kind == TOKENIZER_CHARS)
        text_add(out, bytes, size);
    else
        bpe_add_symbols(out, bytes, size);
}

static json_t *byte_level(bool prefix, bool trim) {
    return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", prefix, "trim_offsets", trim,
                     "use_regex", 1);
}

json_t *tokenizer_to_hf(const Tokenizer *tokenizer, Error *error) {
    const Bpe *bpe = &tokenizer->bpe;
    const bool chars = tokenizer->kind == TOKENIZER_CHARS;
    if (chars && tokenizer->texts[0].character == 0) {
        fail_input(error,
                   "the tokenizer has the character U+0000, which other programs' tokenizers cannot have; prepare the "
                   "text without it, or with another --tokenizer");
        return NULL;
    }
    json_t *added = json_array(), *vocabulary = json_object(), *merges = json_array();
    Text text = {0};
    for (int id = 0; id < tokenizer->vocab_size; id++) {
        text.size = 0;
        write_token(&text, tokenizer, id);
        text_add(&text, "", 1);
        if (text.failed) break;
        json_object_set_new(vocabulary, text.bytes, json_integer(id));
        if (id == tokenizer_end(tokenizer) || (bpe->tokens && bpe->tokens[id].special))
            json_array_append_new(added,
                                  json_pack("{s:i, s:s, s:b, s:b, s:b, s:b, s:b}", "id", id, "content", text.bytes,
                                            "single_word", 0, "lstrip", 0, "rstrip", 0, "normalized", 0, "special", 1));
    }
    for (int i = 0; i < bpe->merge_count; i++) {
        text.size = 0;
        write_token(&text, tokenizer, bpe->merges[i].left);
        text_add(&text, " ", 1);
        write_token(&text, tokenizer, bpe->merges[i].right);
        json_array_append_new(merges, json_stringn(text.bytes, text.size));
    }
    const bool whole = !text.failed && json_object_size(vocabulary) == (size_t)tokenizer->vocab_size &&
                       json_array_size(merges) == (size_t)bpe->merge_count;
    text_free(&text);
    json_t *model = json_pack("{s:s, s:n, s:n, s:n, s:n, s:b, s:b, s:b, s:o, s:o}", "type", "BPE", "dropout",
                              "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0,
                              "byte_fallback", 0, "ignore_merges", 0, "vocab", vocabulary, "merges", merges);
    json_t *decoder = chars ? json_pack("{s:s}", "type", "Fuse") : byte_level(true, true);
    json_t *root =
        json_pack("{s:s, s:n, s:n, s:o, s:n, s:o*, s:o*, s:o, s:o}", "version", "1.0", "truncation", "padding",
                  "added_tokens", added, "normalizer", "pre_tokenizer", chars ? json_null() : byte_level(false, true),
                  "post_processor", chars ? json_null() : byte_level(true, false), "decoder", decoder, "model", model);
    if (root && whole) return root;
    json_decref(root);
    fail_run(error, "no memory for a tokenizer.json");
    return NULL;
}

bool tokenizer_write(const Tokenizer *tokenizer, const char *path, Error *error) {
    const bool bpe = tokenizer->kind == TOKENIZER_BPE;
    Text text = {0};
    for (int i = 0; tokenizer->kind == TOKENIZER_CHARS && i < tokenizer->vocab_size; i++)
        text_add(&text, tokenizer->texts[i].bytes, tokenizer->texts[i].size);
    json_t *characters = text.size > 0 ? json_stringn(text.bytes, text.size) : NULL;
    const bool lost = text.failed || (text.size > 0 && !characters);
    json_t *root = bpe ? tokenizer_to_hf(tokenizer, error)
                       : json_pack("{s:s, s:i, s:o*}", "tokenizer", tokenizer_kind_name(tokenizer->kind), "vocab_size",
                                   tokenizer->vocab_size, "characters", characters);
    if (bpe && !root) return false;
    char *dump = lost ? NULL : json_dumps(root, JSON_INDENT(2));
    text_free(&text);
    json_decref(root);
    const bool ok = dump ? atomic_text(path, dump, error) : fail_run(error, "no memory to write %s", path);
    free(dump);
    return ok;
}

// --- vocabularies of bytes ---

// Is there a special token with this name and this id?
static bool is_that_special(const Bpe *bpe, const char *name, long long id) {
    if (id < 0 || id >= BPE_VOCAB_MOST || !bpe->tokens[id].special) return false;
    const BpeToken *token = &bpe->tokens[id];
    return token->size == strlen(name) && memcmp(bpe->text.bytes + token->start, name, token->size) == 0;
}

// Add the tokens of {"token": id, ...}, written in symbols, except the special ones, which have been added before.
static bool add_vocabulary(Bpe *bpe, const json_t *vocabulary, const char *path, Error *error) {
    if (!json_is_object(vocabulary))
        return fail_input(error, "%s: a vocabulary {\"token\": id, ...} was expected; get the file again", path);
    Text bytes = {0};
    bool ok = true;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)vocabulary, name, value) {
        const long long id = json_is_integer(value) ? json_integer_value(value) : -1;
        if (is_that_special(bpe, name, id)) continue;
        bytes.size = 0;
        ok = json_is_integer(value) ||
             fail_input(error, "%s: the id of a token is not a whole number; get the file again", path);
        ok = ok &&
             (bpe_read_symbols(&bytes, name, strlen(name)) ||
              fail_input(error,
                         "%s: token %lld has a character that stands for no byte; a vocabulary of bytes (ByteLevel "
                         "BPE) was expected",
                         path, id));
        ok = ok && (!bytes.failed || fail_run(error, "%s: no memory for a token", path)) &&
             bpe_add_token(bpe, id, bytes.bytes, bytes.size, false, path, error);
        if (!ok) break;
    }
    text_free(&bytes);
    return ok;
}

// Add a merge of two tokens in symbols.
static bool add_merge(Bpe *bpe, const char *left, size_t left_size, const char *right, size_t right_size,
                      const char *path, Error *error) {
    Text bytes = {0};
    bool ok = bpe_read_symbols(&bytes, left, left_size);
    const size_t middle = bytes.size;
    ok = bpe_read_symbols(&bytes, right, right_size) && ok && middle > 0 && bytes.size > middle;
    if (bytes.failed)
        ok = fail_run(error, "%s: no memory for a merge", path);
    else if (!ok)
        fail_input(error, "%s: merge %d is not two tokens with a space between them; get the file again", path,
                   bpe->merge_count + 1);
    else
        ok = bpe_add_merge(bpe, bytes.bytes, middle, bytes.size, path, error);
    text_free(&bytes);
    return ok;
}

// Add the merge of a text "left right".
static bool add_merge_text(Bpe *bpe, const char *text, size_t size, const char *path, Error *error) {
    const char *space = memchr(text, ' ', size);
    const size_t left = space ? (size_t)(space - text) : size;
    return add_merge(bpe, text, left, space ? space + 1 : text, space ? size - left - 1 : 0, path, error);
}

// --- GPT-2's encoder.json and vocab.bpe ---

static bool read_vocabulary(Bpe *bpe, const char *path, Error *error) {
    json_t *root = load(path, "get GPT-2's encoder.json again", error);
    if (!root) return false;
    const json_t *end = json_object_get(root, BPE_END);
    const bool ok = (!end || bpe_add_token(bpe, json_is_integer(end) ? json_integer_value(end) : -1, BPE_END,
                                           strlen(BPE_END), true, path, error)) &&
                    add_vocabulary(bpe, root, path, error);
    json_decref(root);
    return ok;
}

// Each merge is a line of two tokens with a space between them. The first line may name the version.
static bool read_merges(Bpe *bpe, const Buffer *file, const char *path, Error *error) {
    static const char version[] = "#version";
    const char *text = (const char *)file->bytes, *end = text + file->size;
    for (const char *line = text, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        next = newline ? newline + 1 : end;
        const size_t size = (size_t)((newline ? newline : end) - line);
        if (size == 0 || (line == text && size >= sizeof version - 1 && memcmp(line, version, sizeof version - 1) == 0))
            continue;
        if (!add_merge_text(bpe, line, size, path, error)) return false;
    }
    return bpe->merge_count > 0 ||
           fail_input(error, "%s has no merges; GPT-2's vocab.bpe with two tokens on each line was expected", path);
}

static bool read_gpt2(Bpe *bpe, const char *vocabulary_path, const char *merges_path, Error *error) {
    Buffer merges;
    if (!file_read(&merges, merges_path, error)) return false;
    buffer_drop_mark(&merges);
    buffer_drop_returns(&merges);
    const bool ok = read_vocabulary(bpe, vocabulary_path, error) && read_merges(bpe, &merges, merges_path, error) &&
                    bpe_complete(bpe, vocabulary_path, error);
    free(merges.bytes);
    if (!ok) return false;
    // A merge makes every token except the bytes and the special ones: with fewer merges, text would get other tokens.
    int made = -256;
    for (int id = 0; id < bpe->vocab_size; id++) made += !bpe->tokens[id].special;
    return bpe->merge_count >= made ||
           fail_input(error,
                      "%s has %d merges, but the vocabulary beside it has %d tokens to be made by merges; get the "
                      "file again",
                      merges_path, bpe->merge_count, made);
}

// --- the tokenizer.json of Hugging Face's tokenizers ---

// Is the member missing, null, false, 0 or ""?
static bool is_off(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return !value || json_is_null(value) || json_is_false(value) ||
           (json_is_number(value) && json_number_value(value) == 0) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

static bool is_type(const json_t *object, const char *type) {
    const char *string = json_string_value(json_object_get(object, "type"));
    return string && strcmp(string, type) == 0;
}

// The setting in the file that would give text other tokens than this program's; NULL = there is none.
static const char *difference(const json_t *root) {
    const json_t *model = json_object_get(root, "model"), *words = json_object_get(root, "pre_tokenizer");
    const json_t *added = json_object_get(root, "added_tokens");
    if (!json_is_object(model)) return "it has no \"model\"";
    if (added && !json_is_null(added) && !json_is_array(added)) return "its \"added_tokens\" are not a list";
    if (json_object_get(model, "type") && !is_type(model, "BPE")) return "its model is not a BPE";
    if (!is_off(root, "normalizer")) return "it normalizes text";
    if (!is_type(words, "ByteLevel")) return "its pre-tokenizer is not ByteLevel";
    if (!json_is_false(json_object_get(words, "add_prefix_space"))) return "it begins every text with a space";
    if (json_is_false(json_object_get(words, "use_regex"))) return "it does not split text into words as GPT-2 does";
    if (!is_off(model, "dropout")) return "it drops merges at random";
    if (!is_off(model, "continuing_subword_prefix") || !is_off(model, "end_of_word_suffix"))
        return "it marks the parts of words";
    return is_off(model, "ignore_merges") ? NULL : "it ignores merges for whole words";
}

static bool add_special(Bpe *bpe, const json_t *token, const char *path, Error *error) {
    const json_t *id = json_object_get(token, "id"), *content = json_object_get(token, "content");
    if (!json_is_integer(id) || !json_is_string(content) ||
        strlen(json_string_value(content)) != json_string_length(content))
        return fail_input(error, "%s: an added token has no \"id\" or no \"content\"; get the file again", path);
    if (!json_is_true(json_object_get(token, "special")))
        return fail_input(error,
                          "%s: the added token \"%s\" is not special, so it would be found inside text before this "
                          "is split into words, which bitter does not do; use another tokenizer",
                          path, json_string_value(content));
    return bpe_add_token(bpe, json_integer_value(id), json_string_value(content), json_string_length(content), true,
                         path, error);
}

static bool read_hf_bpe(Bpe *bpe, const json_t *root, const char *path, Error *error) {
    const json_t *model = json_object_get(root, "model"), *added = json_object_get(root, "added_tokens");
    const json_t *merges = json_object_get(model, "merges");
    const char *reason = difference(root);
    if (reason)
        return fail_input(error,
                          "%s: %s; of Hugging Face's tokenizers, bitter reads those like GPT-2's: BPE with a ByteLevel "
                          "pre-tokenizer and nothing else",
                          path, reason);
    for (size_t i = 0; i < json_array_size(added); i++)
        if (!add_special(bpe, json_array_get(added, i), path, error)) return false;
    if (!add_vocabulary(bpe, json_object_get(model, "vocab"), path, error)) return false;
    if (!json_is_array(merges))
        return fail_input(error, "%s: its model has no list of merges; get the file again", path);
    for (size_t i = 0; i < json_array_size(merges); i++) { // "a b", or, in newer files, ["a", "b"]
        const json_t *merge = json_array_get(merges, i), *left = json_array_get(merge, 0),
                     *right = json_array_size(merge) == 2 ? json_array_get(merge, 1) : NULL;
        if (json_is_string(merge)
                ? !add_merge_text(bpe, json_string_value(merge), json_string_length(merge), path, error)
                : !add_merge(bpe, json_string_value(left), json_string_length(left), json_string_value(right),
                             json_string_length(right), path, error))
            return false;
    }
    return bpe_complete(bpe, path, error);
}

// The tokenizer of these characters, which must be distinct and in rising order, as `bitter prepare` writes them.
static bool read_chars(Tokenizer *tokenizer, const char *text, size_t size, const char *path, Error *error) {
    size_t at = 0;
    if (!tokenizer_create(tokenizer, TOKENIZER_CHARS, error) || !tokenizer_extend(tokenizer, text, size, path, error))
        return false;
    for (int id = 0; id < tokenizer->vocab_size; at += tokenizer->texts[id++].size)
        if (memcmp(text + at, tokenizer->texts[id].bytes, tokenizer->texts[id].size) != 0) break;
    return (size > 0 && at == size) ||
           fail_input(error,
                      "%s: its characters must be distinct, at least one and in rising order of code point; make the "
                      "file again with `bitter prepare`",
                      path);
}

static bool read_hf_chars(Tokenizer *tokenizer, const json_t *vocabulary, const char *path, Error *error) {
    Text characters = {0};
    const char *name;
    json_t *id;
    long long next = 0;
    bool ok = true;
    json_object_foreach((json_t *)vocabulary, name, id) {
        uint32_t character;
        const size_t size = strlen(name);
        ok = ok && json_is_integer(id) && json_integer_value(id) == next++ && size > 0 &&
             (size_t)utf8_decode(&character, name, size) == size;
        text_add(&characters, name, strlen(name));
    }
    if (characters.failed) ok = fail_run(error, "%s: no memory for its characters", path);
    const bool read = !characters.failed && read_chars(tokenizer, characters.bytes, characters.size, path, error);
    text_free(&characters);
    return read &&
           ((ok && tokenizer->vocab_size == next) ||
            fail_input(error, "%s: its tokens are not single characters numbered from 0; get the file again", path));
}

static bool read_hf(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error) {
    Bpe *bpe = &tokenizer->bpe;
    const json_t *model = json_object_get(root, "model");
    // tokenizer_to_hf makes such a file for CHARS: it never joins characters.
    if (json_is_null(json_object_get(root, "pre_tokenizer")) && json_is_null(json_object_get(root, "normalizer")) &&
        is_type(json_object_get(root, "decoder"), "Fuse") && is_type(model, "BPE") &&
        json_array_size(json_object_get(root, "added_tokens")) == 0 &&
        json_array_size(json_object_get(model, "merges")) == 0)
        return read_hf_chars(tokenizer, json_object_get(model, "vocab"), path, error);
    if (!tokenizer_create(tokenizer, TOKENIZER_BPE, error) || !read_hf_bpe(bpe, root, path, error)) return false;
    tokenizer->vocab_size = bpe->vocab_size;
    bool bytes =
        bpe->vocab_size == BYTES_VOCAB && bpe->merge_count == 0 && bpe->end == BYTES_END; // is it a file for BYTES?
    for (int byte = 0; bytes && byte < 256; byte++) bytes = bpe->bytes[byte] == byte;
    if (!bytes) return true;
    tokenizer_free(tokenizer);
    return tokenizer_create(tokenizer, TOKENIZER_BYTES, error);
}

// --- the file of any kind ---

// Read bitter's own format, or that of Hugging Face's tokenizers, which has a "model".
static bool read_root(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error) {
    const char *kind = json_string_value(json_object_get(root, "tokenizer"));
    const json_t *number = json_object_get(root, "vocab_size"), *characters = json_object_get(root, "characters");
    const long long size = json_is_integer(number) ? json_integer_value(number) : 0;
    if (json_object_get(root, "model")) return read_hf(tokenizer, root, path, error);
    if (kind && strcmp(kind, "none") == 0)
        return size >= 1 && size <= TOKENIZER_VOCAB_MOST
                   ? tokenizer_create_plain(tokenizer, TOKENIZER_NONE, (int)size, error)
                   : fail_input(error, "%s: \"vocab_size\" must be the number of different tokens, 1 to %d", path,
                                TOKENIZER_VOCAB_MOST);
    const bool bytes = kind && strcmp(kind, "bytes") == 0, chars = kind && strcmp(kind, "chars") == 0;
    if (!bytes && !chars)
        return fail_input(error,
                          "%s: \"tokenizer\" is %s, but \"bytes\", \"chars\" or \"none\" was expected, or the "
                          "\"model\" of Hugging Face's tokenizers; make the file with `bitter prepare`",
                          path, kind ? kind : "missing");
    if (chars && !json_is_string(characters)) return fail_input(error, "%s: \"characters\" must be a string", path);
    if (bytes ? !tokenizer_create(tokenizer, TOKENIZER_BYTES, error)
              : !read_chars(tokenizer, json_string_value(characters), json_string_length(characters), path, error))
        return false;
    return size == tokenizer->vocab_size ||
           fail_input(error,
                      "%s: \"vocab_size\" must be %d for its tokenizer \"%s\"; make the file again with `bitter "
                      "prepare`",
                      path, tokenizer->vocab_size, kind);
}

bool tokenizer_read(Tokenizer *tokenizer, const char *path, Error *error) {
    *tokenizer = (Tokenizer){0};
    json_t *root = load(path, "give a tokenizer.json, or make it again with `bitter prepare`", error);
    const bool ok = root && read_root(tokenizer, root, path, error);
    json_decref(root);
    if (!ok) tokenizer_free(tokenizer);
    return ok;
}

static bool read_directory(Tokenizer *tokenizer, const char *path, Error *error) {
    // Hugging Face has other names for GPT-2's two files.
    static const char *const names[][2] = {{"vocab.json", "merges.txt"}, {"encoder.json", "vocab.bpe"}};
    char json[PATH_CAPACITY], vocabulary[PATH_CAPACITY], merges[PATH_CAPACITY];
    if (!path_format(json, error, "%s/tokenizer.json", path)) return false;
    if (!path_missing(json)) return tokenizer_read(tokenizer, json, error);
    for (int i = 0; i < 2; i++) {
        if (!path_format(vocabulary, error, "%s/%s", path, names[i][0]) ||
            !path_format(merges, error, "%s/%s", path, names[i][1]))
            return false;
        if (path_missing(vocabulary) || path_missing(merges)) continue;
        const bool ok =
            tokenizer_create(tokenizer, TOKENIZER_BPE, error) && read_gpt2(&tokenizer->bpe, vocabulary, merges, error);
        tokenizer->vocab_size = tokenizer->bpe.vocab_size;
        return ok;
    }
    return fail_input(error,
                      "%s has no tokenizer.json, nor GPT-2's encoder.json and vocab.bpe or vocab.json and merges.txt; "
                      "give a directory that has",
                      path);
}

bool tokenizer_find(Tokenizer *tokenizer, const char *path, Error *error) {
    *tokenizer = (Tokenizer){0};
    bool ok = path_is_directory(path) ? read_directory(tokenizer, path, error) : tokenizer_read(tokenizer, path, error);
    if (ok && tokenizer->kind == TOKENIZER_NONE)
        ok = fail_input(error,
                        "%s has tokens that came without their tokenizer, so it cannot turn text into tokens; give "
                        "another",
                        path);
    if (!ok) tokenizer_free(tokenizer);
    return ok;
}
