// tokenizer.json, bitter's own and that of Hugging Face's tokenizers, and the files of GPT-2 and llm.c.
#include "base/file/file.h"
#include "base/file/text.h"
#include "base/utf8.h"
#include "data/bpe/encoder.h"
#include "data/tokenizer.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// --- writing ---

static void add_json_string(Text *json, const char *bytes, size_t size) {
    json_t *string = json_stringn(bytes, size);
    char *dump = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    if (dump)
        text_print(json, "%s", dump);
    else
        json->failed = true;
    free(dump);
}

static bool is_special(const Bpe *bpe, int id) {
    return bpe->tokens && bpe->tokens[id].special; // there are none but of BPE
}

// How a token is written. One that is special has its name; the end of a document of BYTES has no bytes of its own.
static void add_token(Text *json, const Tokenizer *tokenizer, int id) {
    const Bpe *bpe = &tokenizer->bpe;
    const char *bytes;
    size_t size = tokenizer_decode(&bytes, tokenizer, id);
    Text token = {0};
    if (is_special(bpe, id))
        text_add(&token, bpe->text.bytes + bpe->tokens[id].start, bpe->tokens[id].size);
    else if (id == tokenizer_end(tokenizer))
        text_add(&token, BPE_END, strlen(BPE_END));
    else if (tokenizer->kind == TOKENIZER_CHARS)
        text_add(&token, bytes, size);
    else
        bpe_add_symbols(&token, bytes, size);
    add_json_string(json, token.bytes, token.size);
    json->failed |= token.failed;
    text_free(&token);
}

static void add_added_tokens(Text *json, const Tokenizer *tokenizer) {
    const Bpe *bpe = &tokenizer->bpe;
    const char *separator = "";
    text_print(json, "  \"added_tokens\": [");
    for (int id = 0; id < tokenizer->vocab_size; id++) {
        if (id != tokenizer_end(tokenizer) && !is_special(bpe, id)) continue;
        text_print(json, "%s\n    {\"id\": %d, \"content\": ", separator, id);
        add_token(json, tokenizer, id);
        text_print(json, ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false, "
                         "\"special\": true}");
        separator = ",";
    }
    text_print(json, "%s],\n", *separator ? "\n  " : "");
}

static void add_merges(Text *json, const Bpe *bpe) {
    text_print(json, ",\n    \"merges\": [");
    for (int i = 0; i < bpe->merge_count; i++) {
        const BpeToken pair[] = {bpe->tokens[bpe->merges[i].left], bpe->tokens[bpe->merges[i].right]};
        Text merge = {0};
        bpe_add_symbols(&merge, bpe->text.bytes + pair[0].start, pair[0].size);
        text_add(&merge, " ", 1);
        bpe_add_symbols(&merge, bpe->text.bytes + pair[1].start, pair[1].size);
        text_print(json, "%s\n      ", i > 0 ? "," : "");
        add_json_string(json, merge.bytes, merge.size);
        json->failed |= merge.failed;
        text_free(&merge);
    }
    text_print(json, "%s]", bpe->merge_count > 0 ? "\n    " : "");
}

static void add_fields(Text *json, const Tokenizer *tokenizer) {
    text_print(json, "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n");
    add_added_tokens(json, tokenizer);
    text_print(json, "  \"normalizer\": null,\n");
    if (tokenizer->kind == TOKENIZER_CHARS)
        text_print(json, "  \"pre_tokenizer\": null,\n  \"post_processor\": null,\n"
                         "  \"decoder\": {\"type\": \"Fuse\"},\n");
    else
        text_print(json, "  \"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false, "
                         "\"trim_offsets\": true, \"use_regex\": true},\n"
                         "  \"post_processor\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, "
                         "\"trim_offsets\": false, \"use_regex\": true},\n"
                         "  \"decoder\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, "
                         "\"trim_offsets\": true, \"use_regex\": true},\n");
    text_print(json, "  \"model\": {\n    \"type\": \"BPE\",\n    \"dropout\": null,\n    \"unk_token\": null,\n"
                     "    \"continuing_subword_prefix\": null,\n    \"end_of_word_suffix\": null,\n"
                     "    \"fuse_unk\": false,\n    \"byte_fallback\": false,\n    \"ignore_merges\": false,\n"
                     "    \"vocab\": {");
    for (int id = 0; id < tokenizer->vocab_size; id++) {
        text_print(json, "%s\n      ", id > 0 ? "," : "");
        add_token(json, tokenizer, id);
        text_print(json, ": %d", id);
    }
    text_print(json, "\n    }");
    add_merges(json, &tokenizer->bpe);
    text_print(json, "\n  }\n}");
}

static bool write_hf(const Tokenizer *tokenizer, const char *path, Error *error) {
    Text json = {0};
    add_fields(&json, tokenizer);
    text_add(&json, "", 1);
    const bool ok = json.failed ? fail_run(error, "no memory to write %s", path) : atomic_text(path, json.bytes, error);
    text_free(&json);
    return ok;
}

json_t *tokenizer_to_hf(const Tokenizer *tokenizer, Error *error) {
    Text text = {0};
    add_fields(&text, tokenizer);
    json_error_t reason = {0};
    json_t *json = text.failed ? NULL : json_loadb(text.bytes, text.size, JSON_ALLOW_NUL, &reason);
    text_free(&text);
    if (!json && json_error_code(&reason) == json_error_null_byte_in_key)
        fail_input(error,
                   "the tokenizer has the character U+0000, which a tokenizer.json cannot have; prepare the text "
                   "without it, or with another --tokenizer");
    else if (!json)
        fail_run(error, "no memory for a tokenizer.json");
    return json;
}

bool tokenizer_write(const Tokenizer *tokenizer, const char *path, Error *error) {
    if (tokenizer->kind == TOKENIZER_BPE) return write_hf(tokenizer, path, error);
    json_t *root =
        json_pack("{s:s, s:i}", "tokenizer", tokenizer_kind_name(tokenizer->kind), "vocab_size", tokenizer->vocab_size);
    bool whole = true;
    if (tokenizer->kind == TOKENIZER_CHARS) {
        Text text = {0};
        for (int i = 0; i < tokenizer->vocab_size; i++)
            text_add(&text, tokenizer->texts[i].bytes, tokenizer->texts[i].size);
        whole = !text.failed && json_object_set_new(root, "characters", json_stringn(text.bytes, text.size)) == 0;
        text_free(&text);
    }
    char *dump = whole ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(root);
    const bool ok = dump ? atomic_text(path, dump, error) : fail_run(error, "no memory to write %s", path);
    free(dump);
    return ok;
}

// --- vocabularies of bytes ---

// Is this one of the special tokens, with this id?
static bool is_that_special(const Bpe *bpe, const char *name, long long id) {
    if (id < 0 || id >= BPE_VOCAB_MOST || !bpe->tokens[id].special) return false;
    const BpeToken *token = &bpe->tokens[id];
    return token->size == strlen(name) && memcmp(bpe->text.bytes + token->start, name, token->size) == 0;
}

// Add the tokens of {"token": id, ...}, written in symbols, but not the special ones, which have been added before.
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

// Add a merge of two tokens in symbols, or of a text that has them with a space between.
static bool add_merge_parts(Bpe *bpe, const char *left, size_t left_size, const char *right, size_t right_size,
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
        ok = bpe_add_merge(bpe, bytes.bytes, middle, bytes.bytes + middle, bytes.size - middle, path, error);
    text_free(&bytes);
    return ok;
}

static bool add_merge_text(Bpe *bpe, const char *text, size_t size, const char *path, Error *error) {
    const char *space = memchr(text, ' ', size), *end = text + size, *left_end = space ? space : end,
               *right = space ? space + 1 : end;
    return add_merge_parts(bpe, text, (size_t)(left_end - text), right, (size_t)(end - right), path, error);
}

// --- GPT-2's encoder.json and vocab.bpe ---

static bool read_vocabulary(Bpe *bpe, const char *path, Error *error) {
    Buffer buffer;
    json_error_t mistake;
    if (!file_read(&buffer, path, error)) return false;
    buffer_drop_mark(&buffer);
    json_t *root = json_loadb((const char *)buffer.bytes, buffer.size, JSON_REJECT_DUPLICATES, &mistake);
    free(buffer.bytes);
    if (!root)
        return fail_input(error, "%s, line %d: not JSON (%s); get GPT-2's encoder.json again", path, mistake.line,
                          mistake.text);
    const json_t *end = json_object_get(root, BPE_END);
    const bool ok = (!end || bpe_add_token(bpe, json_is_integer(end) ? json_integer_value(end) : -1, BPE_END,
                                           strlen(BPE_END), true, path, error)) &&
                    add_vocabulary(bpe, root, path, error);
    json_decref(root);
    return ok;
}

// A line of two tokens with a space between them, for each merge. The first line may name the version.
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

// Each token but the bytes and special ones is made by a merge: with fewer merges, text would get other tokens.
static bool check_merges(const Bpe *bpe, const char *path, Error *error) {
    int made = -256;
    for (int id = 0; id < bpe->vocab_size; id++) made += !bpe->tokens[id].special;
    return bpe->merge_count >= made ||
           fail_input(error,
                      "%s has %d merges, but the vocabulary beside it has %d tokens to be made by merges; get the "
                      "file again",
                      path, bpe->merge_count, made);
}

static bool read_gpt2(Bpe *bpe, const char *vocabulary_path, const char *merges_path, Error *error) {
    Buffer merges;
    if (!file_read(&merges, merges_path, error)) return false;
    buffer_drop_mark(&merges);
    buffer_drop_returns(&merges);
    const bool ok = read_vocabulary(bpe, vocabulary_path, error) && read_merges(bpe, &merges, merges_path, error) &&
                    bpe_complete(bpe, vocabulary_path, error) && check_merges(bpe, merges_path, error);
    free(merges.bytes);
    return ok;
}

// --- llm.c's gpt2_tokenizer.bin ---
// It has the tokens, but not the merges: they follow, because the token with the lower id is always joined first.

enum { LLMC_MAGIC = 20240328, LLMC_HEADER = 1024, GPT2_END = 50256 };

static bool read_header(int32_t *tokens, int32_t *end, const uint8_t *bytes, size_t size, const char *path,
                        Error *error) {
    int32_t header[4] = {0};
    if (size < LLMC_HEADER)
        return fail_input(error, "%s has %zu bytes, fewer than the %d of its header; get the file again", path, size,
                          LLMC_HEADER);
    memcpy(header, bytes, sizeof header);
    if (header[0] != LLMC_MAGIC || header[1] < 1 || header[1] > 2)
        return fail_input(error,
                          "%s begins with %d and version %d where %d and version 1 or 2 of llm.c's tokenizer "
                          "were expected; get the file again",
                          path, (int)header[0], (int)header[1], LLMC_MAGIC);
    *tokens = header[2];
    *end = header[1] == 1 ? GPT2_END : header[3]; // version 1 does not say it
    if (*tokens < 256 || *tokens > BPE_VOCAB_MOST)
        return fail_input(error, "%s says that it has %d tokens, but 256 to %d were expected; get the file again", path,
                          (int)*tokens, BPE_VOCAB_MOST);
    return true;
}

// The merge that makes this token: by the merges before it, its bytes become the two tokens to be joined.
static bool find_merge(Bpe *bpe, int id, const char *path, Error *error) {
    uint16_t parts[UINT8_MAX];
    const BpeToken token = bpe->tokens[id];
    size_t count = 0;
    if (!encode_word(parts, &count, bpe, bpe->text.bytes + token.start, token.size, error)) return false;
    if (count != 2)
        return fail_input(error,
                          "%s: token %d is not two earlier tokens joined, as in GPT-2's vocabulary; get the file "
                          "again",
                          path, id);
    const BpeToken left = bpe->tokens[parts[0]];
    const char *bytes = bpe->text.bytes + token.start;
    return bpe_add_merge(bpe, bytes, left.size, bytes + left.size, token.size - left.size, path, error);
}

static bool read_tokens(Bpe *bpe, const uint8_t *bytes, size_t size, const char *path, Error *error) {
    int32_t tokens = 0, end = 0;
    if (!read_header(&tokens, &end, bytes, size, path, error)) return false;
    size_t at = LLMC_HEADER;
    for (int32_t id = 0; id < tokens; id++) {
        const size_t length = at < size ? bytes[at] : 0;
        if (at >= size || length > size - at - 1)
            return fail_input(error, "%s is cut short: it ends in token %d of %d; get the file again", path, (int)id,
                              (int)tokens);
        if (!bpe_add_token(bpe, id, (const char *)bytes + at + 1, length, id == end, path, error)) return false;
        at += 1 + length;
    }
    return at == size ||
           fail_input(error, "%s has %zu bytes behind its last token; get the file again", path, size - at);
}

static bool read_llmc(Bpe *bpe, const Buffer *file, const char *path, Error *error) {
    bool ok = read_tokens(bpe, file->bytes, file->size, path, error) && bpe_complete(bpe, path, error);
    for (int id = 0; ok && id < bpe->vocab_size; id++)
        if (bpe->tokens[id].size > 1 && !bpe->tokens[id].special) ok = find_merge(bpe, id, path, error);
    return ok;
}

// --- the tokenizer.json of Hugging Face's tokenizers ---

static bool is_absent(const json_t *value) {
    return !value || json_is_null(value);
}

static bool is_false(const json_t *value) {
    return is_absent(value) || json_is_false(value);
}

static bool is_empty(const json_t *value) {
    return is_absent(value) || (json_is_string(value) && json_string_length(value) == 0);
}

static bool is_string(const json_t *value, const char *text) {
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

// What would turn text into other tokens than this program's; NULL = nothing.
static const char *difference(const json_t *root) {
    const json_t *model = json_object_get(root, "model"), *type = json_object_get(model, "type");
    const json_t *words = json_object_get(root, "pre_tokenizer"), *dropout = json_object_get(model, "dropout");
    if (!json_is_object(model)) return "it has no \"model\"";
    if (type && !is_string(type, "BPE")) return "its model is not a BPE";
    if (!is_absent(json_object_get(root, "normalizer"))) return "it normalizes text";
    if (!is_string(json_object_get(words, "type"), "ByteLevel")) return "its pre-tokenizer is not ByteLevel";
    if (!json_is_false(json_object_get(words, "add_prefix_space"))) return "it begins every text with a space";
    if (json_is_false(json_object_get(words, "use_regex"))) return "it does not split text into words as GPT-2 does";
    if (!is_absent(dropout) && json_number_value(dropout) != 0) return "it drops merges at random";
    if (!is_empty(json_object_get(model, "continuing_subword_prefix")) ||
        !is_empty(json_object_get(model, "end_of_word_suffix")))
        return "it marks the parts of words";
    if (!is_false(json_object_get(model, "ignore_merges"))) return "it ignores merges for whole words";
    return NULL;
}

static bool add_special(Bpe *bpe, const json_t *token, const char *path, Error *error) {
    const json_t *id = json_object_get(token, "id"), *content = json_object_get(token, "content");
    if (!json_is_integer(id) || !json_is_string(content))
        return fail_input(error, "%s: an added token has no \"id\" or no \"content\"; get the file again", path);
    if (!json_is_true(json_object_get(token, "special")))
        return fail_input(error,
                          "%s: the added token \"%s\" is not special, so it would be found inside text before this "
                          "is split into words, which bitter does not do; use another tokenizer",
                          path, json_string_value(content));
    return bpe_add_token(bpe, json_integer_value(id), json_string_value(content), json_string_length(content), true,
                         path, error);
}

// "a b", or, in newer files, ["a", "b"].
static bool add_merge(Bpe *bpe, const json_t *merge, const char *path, Error *error) {
    const json_t *left = json_array_get(merge, 0),
                 *right = json_array_size(merge) == 2 ? json_array_get(merge, 1) : NULL;
    if (json_is_string(merge))
        return add_merge_text(bpe, json_string_value(merge), json_string_length(merge), path, error);
    return add_merge_parts(bpe, json_string_value(left), json_string_length(left), json_string_value(right),
                           json_string_length(right), path, error);
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
    for (size_t i = 0; i < json_array_size(merges); i++)
        if (!add_merge(bpe, json_array_get(merges, i), path, error)) return false;
    return bpe_complete(bpe, path, error);
}

// A vocabulary of characters in rising order, none of which is ever joined to another.
static bool is_chars(const json_t *root) {
    const json_t *model = json_object_get(root, "model"), *splits = json_object_get(root, "pre_tokenizer");
    const json_t *joins = json_object_get(json_object_get(root, "decoder"), "type");
    return json_is_null(splits) && json_is_string(joins) && strcmp(json_string_value(joins), "Fuse") == 0 &&
           json_array_size(json_object_get(root, "added_tokens")) == 0 &&
           json_array_size(json_object_get(model, "merges")) == 0;
}

// The tokenizer of these characters, which must be distinct and in rising order, as `bitter prepare` writes them.
static bool read_chars(Tokenizer *tokenizer, const char *text, size_t size, const char *path, Error *error) {
    size_t at = 0;
    if (!tokenizer_create(tokenizer, TOKENIZER_CHARS, text, size, path, error)) return false;
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
        ok = ok && json_is_integer(id) && json_integer_value(id) == next++;
        text_add(&characters, name, strlen(name));
    }
    if (characters.failed)
        ok = fail_run(error, "%s: no memory for its characters", path);
    else if (!ok)
        fail_input(error, "%s: its characters are not numbered from 0; get the file again", path);
    ok = ok && read_chars(tokenizer, characters.bytes, characters.size, path, error) &&
         (tokenizer->vocab_size == next ||
          fail_input(error, "%s: a token is more than one character; get the file again", path));
    text_free(&characters);
    return ok;
}

// Is it the vocabulary of BYTES?
static bool is_bytes(const Bpe *bpe) {
    bool same = bpe->vocab_size == 257 && bpe->merge_count == 0 && bpe->end == 256;
    for (int byte = 0; same && byte < 256; byte++) same = bpe->bytes[byte] == byte;
    return same;
}

static bool read_hf(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error) {
    if (is_chars(root))
        return read_hf_chars(tokenizer, json_object_get(json_object_get(root, "model"), "vocab"), path, error);
    if (!tokenizer_create_bpe(tokenizer, error) || !read_hf_bpe(&tokenizer->bpe, root, path, error)) return false;
    tokenizer->vocab_size = tokenizer->bpe.vocab_size;
    if (!is_bytes(&tokenizer->bpe)) return true;
    tokenizer_free(tokenizer);
    return tokenizer_create(tokenizer, TOKENIZER_BYTES, "", 0, path, error);
}

// --- bitter's tokenizer.json ---

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
    if (json_object_get(root, "model")) return read_hf(tokenizer, root, path, error);
    if (!read_kind(&kind, root, path, error)) return false;
    if (kind == TOKENIZER_NONE) return read_none(tokenizer, root, path, error);
    const json_t *characters = json_object_get(root, "characters");
    if (kind == TOKENIZER_CHARS && !json_is_string(characters))
        return fail_input(error, "%s: \"characters\" must be a string", path);
    if (!(kind == TOKENIZER_CHARS
              ? read_chars(tokenizer, json_string_value(characters), json_string_length(characters), path, error)
              : tokenizer_create(tokenizer, kind, "", 0, path, error)))
        return false;
    const json_t *vocab_size = json_object_get(root, "vocab_size");
    if (json_is_integer(vocab_size) && json_integer_value(vocab_size) == tokenizer->vocab_size) return true;
    return fail_input(error,
                      "%s: \"vocab_size\" must be %d for its tokenizer \"%s\"; make the file again with "
                      "`bitter prepare`",
                      path, tokenizer->vocab_size, tokenizer_kind_name(kind));
}

// Free what a reader that failed has left.
static bool completed(Tokenizer *tokenizer, bool ok) {
    if (!ok) tokenizer_free(tokenizer);
    return ok;
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
    const bool ok = read_fields(tokenizer, root, path, error);
    json_decref(root);
    return ok;
}

bool tokenizer_read(Tokenizer *tokenizer, const char *path, Error *error) {
    *tokenizer = (Tokenizer){0};
    Buffer buffer;
    if (!file_read(&buffer, path, error)) return false;
    const bool ok = read_json(tokenizer, &buffer, path, error);
    free(buffer.bytes);
    return completed(tokenizer, ok);
}

// --- a tokenizer that a user names ---

static bool read_file(Tokenizer *tokenizer, const char *path, Error *error) {
    Buffer buffer;
    int32_t first = 0;
    if (!file_read(&buffer, path, error)) return false;
    if (buffer.size >= sizeof first) memcpy(&first, buffer.bytes, sizeof first);
    bool ok;
    if (first != LLMC_MAGIC && !path_ends_with(path, ".bin")) {
        ok = read_json(tokenizer, &buffer, path, error);
    } else {
        ok = tokenizer_create_bpe(tokenizer, error) && read_llmc(&tokenizer->bpe, &buffer, path, error);
        tokenizer->vocab_size = tokenizer->bpe.vocab_size;
    }
    free(buffer.bytes);
    return ok;
}

static bool read_directory(Tokenizer *tokenizer, const char *path, Error *error) {
    // GPT-2's two files have other names with Hugging Face.
    static const char *const names[][2] = {{"vocab.json", "merges.txt"}, {"encoder.json", "vocab.bpe"}};
    char json[PATH_CAPACITY], vocabulary[PATH_CAPACITY], merges[PATH_CAPACITY];
    if (!path_format(json, error, "%s/tokenizer.json", path)) return false;
    if (!path_missing(json)) return tokenizer_read(tokenizer, json, error);
    for (int i = 0; i < 2; i++) {
        if (!path_format(vocabulary, error, "%s/%s", path, names[i][0]) ||
            !path_format(merges, error, "%s/%s", path, names[i][1]))
            return false;
        if (path_missing(vocabulary) || path_missing(merges)) continue;
        if (!tokenizer_create_bpe(tokenizer, error) || !read_gpt2(&tokenizer->bpe, vocabulary, merges, error))
            return false;
        tokenizer->vocab_size = tokenizer->bpe.vocab_size;
        return true;
    }
    return fail_input(error,
                      "%s has no tokenizer.json, nor GPT-2's encoder.json and vocab.bpe or vocab.json and merges.txt; "
                      "give a directory that has",
                      path);
}

bool tokenizer_find(Tokenizer *tokenizer, const char *path, Error *error) {
    *tokenizer = (Tokenizer){0};
    bool found = path_is_directory(path) ? read_directory(tokenizer, path, error) : read_file(tokenizer, path, error);
    if (found && tokenizer->kind == TOKENIZER_NONE)
        found = fail_input(error,
                           "%s has tokens that came without their tokenizer, so it cannot turn text into tokens; give "
                           "another",
                           path);
    return completed(tokenizer, found);
}
