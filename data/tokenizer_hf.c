#include "data/tokenizer_hf.h"

#include "base/file/file.h"
#include "base/file/text.h"
#include "base/utf8.h"
#include "data/bpe/files.h"
#include "data/bpe/symbols.h"

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

// How a token is written. One that is special has its name; the end of a document of BYTES has no bytes of its own.
static void add_token(Text *json, const Tokenizer *tokenizer, const Symbols *symbols, int id) {
    const Bpe *bpe = tokenizer->bpe;
    const char *bytes;
    size_t size = tokenizer_decode(&bytes, tokenizer, id);
    Text token = {0};
    if (bpe && bpe->tokens[id].special)
        text_add(&token, bpe->text.bytes + bpe->tokens[id].start, bpe->tokens[id].size);
    else if (id == tokenizer_end(tokenizer))
        text_add(&token, BPE_END, strlen(BPE_END));
    else if (tokenizer->kind == TOKENIZER_CHARS)
        text_add(&token, bytes, size);
    else
        symbols_add(&token, symbols, bytes, size);
    add_json_string(json, token.bytes, token.size);
    json->failed |= token.failed;
    text_free(&token);
}

static void add_added_tokens(Text *json, const Tokenizer *tokenizer, const Symbols *symbols) {
    const Bpe *bpe = tokenizer->bpe;
    const char *separator = "";
    text_print(json, "  \"added_tokens\": [");
    for (int id = 0; id < tokenizer->vocab_size; id++) {
        if (id != tokenizer_end(tokenizer) && !(bpe && bpe->tokens[id].special)) continue;
        text_print(json, "%s\n    {\"id\": %d, \"content\": ", separator, id);
        add_token(json, tokenizer, symbols, id);
        text_print(json, ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false, "
                         "\"special\": true}");
        separator = ",";
    }
    text_print(json, "%s],\n", *separator ? "\n  " : "");
}

static void add_merges(Text *json, const Bpe *bpe, const Symbols *symbols) {
    text_print(json, ",\n    \"merges\": [");
    for (int i = 0; bpe && i < bpe->merge_count; i++) {
        const BpeToken pair[] = {bpe->tokens[bpe->merges[i].left], bpe->tokens[bpe->merges[i].right]};
        Text merge = {0};
        symbols_add(&merge, symbols, bpe->text.bytes + pair[0].start, pair[0].size);
        text_add(&merge, " ", 1);
        symbols_add(&merge, symbols, bpe->text.bytes + pair[1].start, pair[1].size);
        text_print(json, "%s\n      ", i > 0 ? "," : "");
        add_json_string(json, merge.bytes, merge.size);
        json->failed |= merge.failed;
        text_free(&merge);
    }
    text_print(json, "%s]", bpe && bpe->merge_count > 0 ? "\n    " : "");
}

static void add_fields(Text *json, const Tokenizer *tokenizer) {
    Symbols symbols;
    symbols_make(&symbols);
    text_print(json, "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n");
    add_added_tokens(json, tokenizer, &symbols);
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
        add_token(json, tokenizer, &symbols, id);
        text_print(json, ": %d", id);
    }
    text_print(json, "\n    }");
    add_merges(json, tokenizer->bpe, &symbols);
    text_print(json, "\n  }\n}");
}

bool tokenizer_write_hf(const Tokenizer *tokenizer, const char *path, Error *error) {
    if (tokenizer->kind == TOKENIZER_NONE)
        return fail_input(error,
                          "cannot write %s: the tokens came without their tokenizer; put their tokenizer.json into the "
                          "data directory",
                          path);
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

// --- reading ---

// A vocabulary of characters in rising order, none of which is ever joined to another.
static bool is_chars(const json_t *root) {
    const json_t *model = json_object_get(root, "model"), *splits = json_object_get(root, "pre_tokenizer");
    const json_t *joins = json_object_get(json_object_get(root, "decoder"), "type");
    return json_is_null(splits) && json_is_string(joins) && strcmp(json_string_value(joins), "Fuse") == 0 &&
           json_array_size(json_object_get(root, "added_tokens")) == 0 &&
           json_array_size(json_object_get(model, "merges")) == 0;
}

static bool read_chars(Tokenizer *tokenizer, const json_t *vocabulary, const char *path, Error *error) {
    Text characters = {0};
    const char *name;
    json_t *id;
    bool sorted = json_object_size(vocabulary) > 0;
    uint32_t before = 0;
    long long next = 0;
    json_object_foreach((json_t *)vocabulary, name, id) {
        uint32_t character = 0;
        const size_t size = strlen(name);
        sorted = sorted && size > 0 && (size_t)utf8_decode(&character, name, size) == size &&
                 (next == 0 || character > before) && json_is_integer(id) && json_integer_value(id) == next++;
        before = character;
        text_add(&characters, name, size);
    }
    bool ok = !characters.failed || fail_run(error, "%s: no memory for its characters", path);
    if (ok && !sorted)
        ok = fail_input(error,
                        "%s: a vocabulary of characters in rising order of code point was expected; get the file "
                        "again",
                        path);
    ok = ok && tokenizer_create(tokenizer, TOKENIZER_CHARS, characters.bytes, characters.size, path, error);
    text_free(&characters);
    return ok;
}

// Is it the vocabulary of BYTES?
static bool is_bytes(const Bpe *bpe) {
    bool same = bpe->vocab_size == 257 && bpe->merge_count == 0 && bpe->end == 256;
    for (int byte = 0; same && byte < 256; byte++) same = bpe->bytes[byte] == byte;
    return same;
}

bool tokenizer_from_hf(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error) {
    if (is_chars(root))
        return read_chars(tokenizer, json_object_get(json_object_get(root, "model"), "vocab"), path, error);
    Bpe bpe;
    if (!bpe_from_hf(&bpe, root, path, error)) return false;
    if (!is_bytes(&bpe)) return tokenizer_from_bpe(tokenizer, &bpe, error);
    bpe_free(&bpe);
    return tokenizer_create(tokenizer, TOKENIZER_BYTES, "", 0, path, error);
}
