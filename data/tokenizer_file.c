// tokenizer.json, and the files of other programs that hold a tokenizer.
#include "base/file/file.h"
#include "base/file/text.h"
#include "data/bpe/files.h"
#include "data/tokenizer_hf.h"

#include <stdlib.h>
#include <string.h>

bool tokenizer_write(const Tokenizer *tokenizer, const char *path, Error *error) {
    if (tokenizer->kind == TOKENIZER_BPE) return tokenizer_write_hf(tokenizer, path, error);
    json_t *root =
        json_pack("{s:s, s:i}", "tokenizer", tokenizer_kind_name(tokenizer->kind), "vocab_size", tokenizer->vocab_size);
    bool whole = true;
    if (tokenizer->kind == TOKENIZER_CHARS) {
        Text text = {0};
        for (int i = 0; i < tokenizer->vocab_size; i++) {
            text_add(&text, tokenizer->texts[i].bytes, tokenizer->texts[i].size);
        }
        whole = !text.failed && json_object_set_new(root, "characters", json_stringn(text.bytes, text.size)) == 0;
        text_free(&text);
    }
    char *dump = whole ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(root);
    const bool ok = dump ? atomic_text(path, dump, error) : fail_run(error, "no memory to write %s", path);
    free(dump);
    return ok;
}

static bool read_kind(TokenizerKind *kind, const json_t *root, const char *path, Error *error) {
    static const TokenizerKind kinds[] = {TOKENIZER_BYTES, TOKENIZER_CHARS, TOKENIZER_NONE};
    const char *name = json_string_value(json_object_get(root, "tokenizer"));
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(name, tokenizer_kind_name(kinds[i])) != 0) continue;
        *kind = kinds[i];
        return true;
    }
    return fail_input(error,
                      "%s: \"tokenizer\" is %s, but \"bytes\", \"chars\" or \"none\" was expected, or the \"model\" of "
                      "Hugging Face's tokenizers; make the file with `bitter prepare`",
                      path, name ? name : "missing");
}

// The characters of a CHARS tokenizer, which must be sorted, as `bitter prepare` writes them.
static bool read_characters(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error) {
    const json_t *characters = json_object_get(root, "characters");
    if (!json_is_string(characters)) return fail_input(error, "%s: \"characters\" must be a string", path);
    const char *text = json_string_value(characters);
    size_t size = json_string_length(characters);
    Tokens ids = {0};
    bool ok = tokenizer_extend(tokenizer, text, size, path, error) &&
              tokenizer_encode(&ids, tokenizer, text, size, path, error);
    bool sorted = ok && ids.count > 0;
    for (size_t i = 0; sorted && i < ids.count; i++) sorted = ids.ids[i] == i;
    tokens_free(&ids);
    if (!ok || sorted) return ok;
    return fail_input(error,
                      "%s: \"characters\" must be distinct, at least one and in rising order of code point; make "
                      "the file again with `bitter prepare`",
                      path);
}

// Tokens without a tokenizer have the vocabulary that the file states.
static bool read_none(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error) {
    const json_t *vocab_size = json_object_get(root, "vocab_size");
    const long long size = json_is_integer(vocab_size) ? json_integer_value(vocab_size) : 0;
    if (size >= 1 && size <= TOKENIZER_VOCAB_MOST) return tokenizer_create_none(tokenizer, (int)size, error);
    return fail_input(error, "%s: \"vocab_size\" must be the number of different tokens, 1 to %d", path,
                      TOKENIZER_VOCAB_MOST);
}

static bool read_fields(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error) {
    TokenizerKind kind = TOKENIZER_NONE;
    if (json_object_get(root, "model")) return tokenizer_from_hf(tokenizer, root, path, error);
    if (!read_kind(&kind, root, path, error)) return false;
    if (kind == TOKENIZER_NONE) return read_none(tokenizer, root, path, error);
    if (!tokenizer_create(tokenizer, kind, "", 0, path, error) ||
        (kind == TOKENIZER_CHARS && !read_characters(tokenizer, root, path, error)))
        return false;
    const json_t *vocab_size = json_object_get(root, "vocab_size");
    if (json_is_integer(vocab_size) && json_integer_value(vocab_size) == tokenizer->vocab_size) return true;
    return fail_input(error,
                      "%s: \"vocab_size\" must be %d for its tokenizer \"%s\"; make the file again with "
                      "`bitter prepare`",
                      path, tokenizer->vocab_size, tokenizer_kind_name(kind));
}

static bool read_json(Tokenizer *tokenizer, Buffer *buffer, const char *path, Error *error) {
    json_error_t mistake;
    buffer_drop_mark(buffer);
    json_t *root =
        json_loadb((const char *)buffer->bytes, buffer->size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &mistake);
    if (!root)
        return fail_input(error,
                          "%s is no tokenizer: line %d is not JSON (%s); give a tokenizer.json, or make it again with "
                          "`bitter prepare`",
                          path, mistake.line, mistake.text);
    bool ok = read_fields(tokenizer, root, path, error);
    json_decref(root);
    if (!ok) tokenizer_free(tokenizer);
    return ok;
}

bool tokenizer_read(Tokenizer *tokenizer, const char *path, Error *error) {
    *tokenizer = (Tokenizer){0};
    Buffer buffer;
    if (!file_read(&buffer, path, error)) return false;
    const bool ok = read_json(tokenizer, &buffer, path, error);
    free(buffer.bytes);
    return ok;
}

// --- a tokenizer that a user names ---

static bool read_file(Tokenizer *tokenizer, const char *path, Error *error) {
    Buffer buffer;
    int32_t first = 0;
    if (!file_read(&buffer, path, error)) return false;
    if (buffer.size >= sizeof first) memcpy(&first, buffer.bytes, sizeof first);
    Bpe bpe;
    const bool ok =
        first != LLMC_TOKENIZER && !path_ends_with(path, ".bin")
            ? read_json(tokenizer, &buffer, path, error)
            : bpe_from_llmc(&bpe, buffer.bytes, buffer.size, path, error) && tokenizer_from_bpe(tokenizer, &bpe, error);
    free(buffer.bytes);
    return ok;
}

static bool read_directory(Tokenizer *tokenizer, const char *path, Error *error) {
    char json[PATH_CAPACITY], vocabulary[PATH_CAPACITY], merges[PATH_CAPACITY];
    if (!path_format(json, error, "%s/tokenizer.json", path) || !path_format(vocabulary, error, "%s/vocab.json", path))
        return false;
    if (!path_missing(json)) return tokenizer_read(tokenizer, json, error);
    const bool renamed = !path_missing(vocabulary); // by Hugging Face
    if (!path_format(vocabulary, error, "%s/%s", path, renamed ? "vocab.json" : "encoder.json") ||
        !path_format(merges, error, "%s/%s", path, renamed ? "merges.txt" : "vocab.bpe"))
        return false;
    if (path_missing(vocabulary) || path_missing(merges))
        return fail_input(error,
                          "%s has no tokenizer.json, nor GPT-2's encoder.json and vocab.bpe or vocab.json and "
                          "merges.txt; give a directory that has",
                          path);
    Bpe bpe;
    return bpe_read_gpt2(&bpe, vocabulary, merges, error) && tokenizer_from_bpe(tokenizer, &bpe, error);
}

bool tokenizer_find(Tokenizer *tokenizer, const char *path, Error *error) {
    *tokenizer = (Tokenizer){0};
    const bool found =
        path_is_directory(path) ? read_directory(tokenizer, path, error) : read_file(tokenizer, path, error);
    if (!found || tokenizer->kind != TOKENIZER_NONE) return found;
    tokenizer_free(tokenizer);
    return fail_input(error,
                      "%s has tokens that came without their tokenizer, so it cannot turn text into tokens; give "
                      "another",
                      path);
}
