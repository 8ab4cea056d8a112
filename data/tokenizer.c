#include "data/tokenizer.h"

#include "base/file/file.h"
#include "base/file/text.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODE_POINTS = 0x110000,
    BYTES_END = 256,
    BYTES_VOCAB = 257,
};

static const char *const kind_names[] = {
    [TOKENIZER_BYTES] = "bytes", [TOKENIZER_CHARS] = "chars", [TOKENIZER_NONE] = "none"};

const char *tokenizer_kind_name(TokenizerKind kind) {
    return kind_names[kind];
}

// `name` is what the tokens are made from.
static bool tokens_reserve(Tokens *tokens, size_t more, const char *name, Error *error) {
    if (more <= tokens->capacity - tokens->count) return true;
    size_t needed = tokens->count + more, capacity = tokens->capacity + tokens->capacity / 2;
    if (capacity < needed) capacity = needed;
    const bool countable = needed >= more && capacity <= SIZE_MAX / sizeof *tokens->ids;
    uint16_t *ids = countable ? memory_grow(tokens->ids, tokens->capacity * sizeof *ids, capacity * sizeof *ids) : NULL;
    if (!ids) return fail_run(error, "%s: no memory for %zu tokens", name, needed);
    tokens->ids = ids;
    tokens->capacity = capacity;
    return true;
}

bool tokens_add(Tokens *tokens, const uint16_t *ids, size_t count, Error *error) {
    if (!tokens_reserve(tokens, count, "the text", error)) return false;
    if (count > 0) memcpy(tokens->ids + tokens->count, ids, count * sizeof *ids);
    tokens->count += count;
    return true;
}

void tokens_free(Tokens *tokens) {
    free(tokens->ids);
    *tokens = (Tokens){0};
}

static TokenText utf8_encode(uint32_t character) {
    TokenText text = {.size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4};
    if (text.size == 1) {
        text.bytes[0] = (char)character;
        return text;
    }
    for (int i = text.size - 1; i > 0; i--, character >>= 6) text.bytes[i] = (char)(0x80 | (character & 0x3F));
    text.bytes[0] = (char)((0xF00 >> text.size & 0xFF) | character);
    return text;
}

// Line and column, in bytes, both counted from 1.
static void place_of(size_t *line, size_t *column, const char *text, size_t offset) {
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        ++*column;
        if (text[i] != '\n') continue;
        ++*line;
        *column = 1;
    }
}

static bool fail_encoding(Error *error, const char *text, size_t offset, const char *name) {
    size_t line, column;
    place_of(&line, &column, text, offset);
    return fail_input(error,
                      "%s, line %zu, byte %zu: 0x%02X is not UTF-8; convert the text (iconv -t UTF-8) or use "
                      "--tokenizer bytes",
                      name, line, column, (unsigned char)text[offset]);
}

// The index of the character among the sorted ones, or the index to insert it at.
static int character_position(const Tokenizer *tokenizer, uint32_t character) {
    int low = 0, high = tokenizer->vocab_size;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (tokenizer->characters[middle] < character)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The character's id, or -1.
static int character_id(const Tokenizer *tokenizer, uint32_t character) {
    int position = character_position(tokenizer, character);
    return position < tokenizer->vocab_size && tokenizer->characters[position] == character ? position : -1;
}

static bool insert_character(Tokenizer *tokenizer, uint32_t character, const char *name, Error *error) {
    int count = tokenizer->vocab_size, position = character_position(tokenizer, character);
    if (position < count && tokenizer->characters[position] == character) return true;
    if (count == TOKENIZER_VOCAB_MOST)
        return fail_input(error, "%s has more than %d different characters; use --tokenizer bytes", name, count);
    uint32_t *characters = realloc(tokenizer->characters, (size_t)(count + 1) * sizeof *characters);
    if (characters) tokenizer->characters = characters;
    TokenText *texts = realloc(tokenizer->texts, (size_t)(count + 1) * sizeof *texts);
    if (texts) tokenizer->texts = texts;
    if (!characters || !texts) return fail_run(error, "%s: no memory for %d characters", name, count + 1);
    memmove(characters + position + 1, characters + position, (size_t)(count - position) * sizeof *characters);
    memmove(texts + position + 1, texts + position, (size_t)(count - position) * sizeof *texts);
    characters[position] = character;
    texts[position] = utf8_encode(character);
    tokenizer->vocab_size = count + 1;
    return true;
}

bool tokenizer_extend(Tokenizer *tokenizer, const char *text, size_t size, const char *name, Error *error) {
    if (tokenizer->kind != TOKENIZER_CHARS) return true;
    bool seen[128] = {false}; // most text is mostly this: insert it once
    for (size_t offset = 0; offset < size;) {
        uint32_t character;
        int length = utf8_decode(&character, text + offset, size - offset);
        if (length == 0) return fail_encoding(error, text, offset, name);
        offset += (size_t)length;
        if (character < 128 && seen[character]) continue;
        if (character < 128) seen[character] = true;
        if (!insert_character(tokenizer, character, name, error)) return false;
    }
    return true;
}

// The tokenizer of a kind that needs no text.
static bool create_plain(Tokenizer *tokenizer, TokenizerKind kind, int vocab_size, Error *error) {
    *tokenizer = (Tokenizer){.kind = kind, .vocab_size = vocab_size};
    tokenizer->texts = calloc((size_t)vocab_size, sizeof *tokenizer->texts);
    if (!tokenizer->texts) return fail_run(error, "no memory for the vocabulary");
    for (int id = 0; id < vocab_size; id++) {
        TokenText *text = &tokenizer->texts[id];
        char number[16];
        const bool byte = kind == TOKENIZER_BYTES;
        text->size = byte ? id != BYTES_END : (uint8_t)snprintf(number, sizeof number, "<%d>", id);
        memcpy(text->bytes, byte ? &(char){(char)id} : number, text->size);
    }
    return true;
}

bool tokenizer_create(Tokenizer *tokenizer, TokenizerKind kind, const char *text, size_t size, const char *name,
                      Error *error) {
    if (kind == TOKENIZER_BYTES) return create_plain(tokenizer, kind, BYTES_VOCAB, error);
    if (kind == TOKENIZER_NONE) return create_plain(tokenizer, kind, TOKENIZER_VOCAB_GPT2, error);
    *tokenizer = (Tokenizer){.kind = kind};
    return tokenizer_extend(tokenizer, text, size, name, error);
}

static bool fail_character(Error *error, const Tokenizer *tokenizer, const char *text, size_t offset, int length,
                           const char *name) {
    uint32_t character = 0;
    utf8_decode(&character, text + offset, (size_t)length);
    bool visible = character > ' ' && character != 0x7F;
    size_t line, column;
    place_of(&line, &column, text, offset);
    return fail_input(
        error,
        "%s, line %zu, byte %zu: the character %s%.*s%sU+%04X is not among the %d that the tokenizer knows; "
        "remove it, or prepare the data again with this text",
        name, line, column, visible ? "'" : "", visible ? length : 0, text + offset, visible ? "' " : "",
        (unsigned)character, tokenizer->vocab_size);
}

// Room for the ids is reserved: a character takes at least a byte.
static bool encode_chars(Tokens *tokens, const Tokenizer *tokenizer, const char *text, size_t size, const char *name,
                         Error *error) {
    int ascii[128]; // most text is mostly this: look it up once
    for (uint32_t c = 0; c < 128; c++) ascii[c] = character_id(tokenizer, c);
    size_t count = tokens->count;
    for (size_t offset = 0; offset < size;) {
        uint32_t character;
        int length = utf8_decode(&character, text + offset, size - offset);
        if (length == 0) return fail_encoding(error, text, offset, name);
        int id = character < 128 ? ascii[character] : character_id(tokenizer, character);
        if (id < 0) return fail_character(error, tokenizer, text, offset, length, name);
        tokens->ids[count++] = (uint16_t)id;
        offset += (size_t)length;
    }
    tokens->count = count;
    return true;
}

bool tokenizer_encode(Tokens *tokens, const Tokenizer *tokenizer, const char *text, size_t size, const char *name,
                      Error *error) {
    if (tokenizer->kind == TOKENIZER_NONE)
        return fail_input(error,
                          "%s cannot be turned into tokens: the model's data came without a tokenizer; use data "
                          "made by `bitter prepare`",
                          name);
    if (!tokens_reserve(tokens, size, name, error)) return false;
    if (tokenizer->kind == TOKENIZER_CHARS) return encode_chars(tokens, tokenizer, text, size, name, error);
    assert(tokens->ids || size == 0);
    for (size_t i = 0; i < size; i++) tokens->ids[tokens->count++] = (unsigned char)text[i];
    return true;
}

bool tokenizer_same(const Tokenizer *a, const Tokenizer *b) {
    return a->kind == b->kind && a->vocab_size == b->vocab_size &&
           (a->kind != TOKENIZER_CHARS ||
            memcmp(a->characters, b->characters, (size_t)a->vocab_size * sizeof *a->characters) == 0);
}

size_t tokenizer_decode(const char **text, const Tokenizer *tokenizer, int id) {
    assert(id >= 0 && id < tokenizer->vocab_size);
    *text = tokenizer->texts[id].bytes;
    return tokenizer->texts[id].size;
}

int tokenizer_end(const Tokenizer *tokenizer) {
    return tokenizer->kind == TOKENIZER_BYTES ? BYTES_END : -1;
}

int tokenizer_newline(const Tokenizer *tokenizer) {
    if (tokenizer->kind == TOKENIZER_BYTES) return '\n';
    for (int id = 0; tokenizer->kind == TOKENIZER_CHARS && id < tokenizer->vocab_size; id++)
        if (tokenizer->characters[id] == '\n') return id;
    return -1;
}

bool tokenizer_write(const Tokenizer *tokenizer, const char *path, Error *error) {
    json_t *root =
        json_pack("{s:s, s:i}", "tokenizer", kind_names[tokenizer->kind], "vocab_size", tokenizer->vocab_size);
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
    const char *name = json_string_value(json_object_get(root, "tokenizer"));
    for (int i = 0; name && i < (int)(sizeof kind_names / sizeof *kind_names); i++) {
        if (strcmp(name, kind_names[i]) != 0) continue;
        *kind = (TokenizerKind)i;
        return true;
    }
    return fail_input(error,
                      "%s: \"tokenizer\" is %s, but \"bytes\", \"chars\" or \"none\" was expected; make the file "
                      "with `bitter prepare`",
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

static bool read_fields(Tokenizer *tokenizer, const json_t *root, const char *path, Error *error) {
    TokenizerKind kind = TOKENIZER_NONE;
    if (!read_kind(&kind, root, path, error)) return false;
    if (!tokenizer_create(tokenizer, kind, "", 0, path, error) ||
        (kind == TOKENIZER_CHARS && !read_characters(tokenizer, root, path, error)))
        return false;
    const json_t *vocab_size = json_object_get(root, "vocab_size");
    if (json_is_integer(vocab_size) && json_integer_value(vocab_size) == tokenizer->vocab_size) return true;
    return fail_input(error,
                      "%s: \"vocab_size\" must be %d for its tokenizer \"%s\"; make the file again with "
                      "`bitter prepare`",
                      path, tokenizer->vocab_size, kind_names[kind]);
}

bool tokenizer_read(Tokenizer *tokenizer, const char *path, Error *error) {
    *tokenizer = (Tokenizer){0};
    Buffer buffer;
    if (!file_read(&buffer, path, error)) return false;
    json_error_t mistake;
    json_t *root =
        json_loadb((const char *)buffer.bytes, buffer.size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &mistake);
    free(buffer.bytes);
    if (!root)
        return fail_input(error, "%s, line %d: not JSON (%s); make the file again with `bitter prepare`", path,
                          mistake.line, mistake.text);
    bool ok = read_fields(tokenizer, root, path, error);
    json_decref(root);
    if (!ok) tokenizer_free(tokenizer);
    return ok;
}

void tokenizer_free(Tokenizer *tokenizer) {
    free(tokenizer->characters);
    free(tokenizer->texts);
    *tokenizer = (Tokenizer){0};
}
