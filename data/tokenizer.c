#include "data/tokenizer.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tokenizer_kind_name(TokenizerKind kind) {
    static const char *const names[] = {
        [TOKENIZER_BYTES] = "bytes", [TOKENIZER_CHARS] = "chars", [TOKENIZER_BPE] = "bpe", [TOKENIZER_NONE] = "none"};
    return names[kind];
}

// Make room for `more` tokens; `name`, for errors, is what they are made from.
static bool tokens_reserve(Tokens *tokens, size_t more, const char *name, Error *error) {
    return array_room(&tokens->ids, &tokens->capacity, tokens->count, more, sizeof *tokens->ids) ||
           fail_run(error, "%s: no memory for %zu tokens", name, tokens->count + more);
}

bool tokens_add(Tokens *tokens, const uint16_t *ids, size_t count, Error *error) {
    if (!tokens_reserve(tokens, count, "the text", error)) return false;
    if (count > 0) memcpy(tokens->ids + tokens->count, ids, count * sizeof *ids);
    tokens->count += count;
    return true;
}

bool tokens_add_end(Tokens *tokens, const Tokenizer *tokenizer, Error *error) {
    const int end = tokenizer_end(tokenizer);
    return end < 0 || tokens_add(tokens, &(uint16_t){(uint16_t)end}, 1, error);
}

void tokens_free(Tokens *tokens) {
    free(tokens->ids);
    *tokens = (Tokens){0};
}

// The line and the column (in bytes) of an offset, both counted from 1.
static void place_of(size_t *line, size_t *column, const char *text, size_t offset) {
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        ++*column;
        if (text[i] != '\n') continue;
        ++*line;
        *column = 1;
    }
}

// `otherwise` ends the message: what else the user can do.
static bool fail_encoding(Error *error, const char *text, size_t size, size_t offset, const char *name,
                          const char *otherwise) {
    const unsigned char head = (unsigned char)text[offset];
    const size_t needs = head < 0xC2 || head > 0xF4 ? 0 : head < 0xE0 ? 2 : head < 0xF0 ? 3 : 4; // bytes
    size_t line, column, end = offset + 1;
    while (end < size && (text[end] & 0xC0) == 0x80) end++;
    place_of(&line, &column, text, offset);
    return fail_input(
        error,
        "%s, line %zu, byte %zu: 0x%02X is not UTF-8%s; leave such bytes out (iconv -c -f UTF-8 -t UTF-8), or "
        "convert the text (iconv -f LATIN1 -t UTF-8)%s",
        name, line, column, head,
        end == size && end - offset < needs ? ", as the text is cut inside its last character" : "", otherwise);
}

// The index of the character among the sorted ones, or the index to insert it at.
static int character_position(const Tokenizer *tokenizer, uint32_t character) {
    int low = 0, high = tokenizer->vocab_size;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (tokenizer->texts[middle].character < character)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The character's id, or -1.
static int character_id(const Tokenizer *tokenizer, uint32_t character) {
    int position = character_position(tokenizer, character);
    return position < tokenizer->vocab_size && tokenizer->texts[position].character == character ? position : -1;
}

static bool insert_character(Tokenizer *tokenizer, uint32_t character, const char *name, Error *error) {
    int count = tokenizer->vocab_size, position = character_position(tokenizer, character);
    if (position < count && tokenizer->texts[position].character == character) return true;
    if (count == TOKENIZER_VOCAB_MOST)
        return fail_input(error, "%s has more than %d different characters; use --tokenizer bytes", name, count);
    TokenText *texts = realloc(tokenizer->texts, (size_t)(count + 1) * sizeof *texts);
    if (!texts) return fail_run(error, "%s: no memory for %d characters", name, count + 1);
    tokenizer->texts = texts;
    memmove(texts + position + 1, texts + position, (size_t)(count - position) * sizeof *texts);
    texts[position] = (TokenText){.character = character};
    texts[position].size = (uint8_t)utf8_encode(texts[position].bytes, character);
    tokenizer->vocab_size = count + 1;
    return true;
}

bool tokenizer_extend(Tokenizer *tokenizer, const char *text, size_t size, const char *name, Error *error) {
    if (tokenizer->kind != TOKENIZER_CHARS) return true;
    bool seen[128] = {false}; // most text is mostly ASCII: insert each such character once
    for (size_t offset = 0; offset < size;) {
        uint32_t character;
        int length = utf8_decode(&character, text + offset, size - offset);
        if (length == 0) return fail_encoding(error, text, size, offset, name, ", or use --tokenizer bytes");
        offset += (size_t)length;
        if (character < 128 && seen[character]) continue;
        if (character < 128) seen[character] = true;
        if (!insert_character(tokenizer, character, name, error)) return false;
    }
    return true;
}

bool tokenizer_create_plain(Tokenizer *tokenizer, TokenizerKind kind, int vocab_size, Error *error) {
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

bool tokenizer_create(Tokenizer *tokenizer, TokenizerKind kind, Error *error) {
    if (kind == TOKENIZER_BYTES || kind == TOKENIZER_NONE)
        return tokenizer_create_plain(tokenizer, kind, kind == TOKENIZER_BYTES ? BYTES_VOCAB : TOKENIZER_VOCAB_GPT2,
                                      error);
    *tokenizer = (Tokenizer){.kind = kind};
    return kind != TOKENIZER_BPE || bpe_begin(&tokenizer->bpe, error);
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

// The caller has reserved room for the ids, since a character takes at least one byte.
static bool encode_chars(Tokens *tokens, UnknownCharacters *unknown, const Tokenizer *tokenizer, const char *text,
                         size_t size, const char *name, Error *error) {
    int ascii[128]; // most text is mostly ASCII: look each such character up once
    for (uint32_t c = 0; c < 128; c++) ascii[c] = character_id(tokenizer, c);
    size_t count = tokens->count;
    for (size_t offset = 0; offset < size;) {
        uint32_t character;
        int length = utf8_decode(&character, text + offset, size - offset);
        if (length == 0) return fail_encoding(error, text, size, offset, name, "");
        int id = character < 128 ? ascii[character] : character_id(tokenizer, character);
        if (id < 0 && !unknown) return fail_character(error, tokenizer, text, offset, length, name);
        if (id < 0 && unknown->total++ == 0) unknown->first = character;
        if (id >= 0) tokens->ids[count++] = (uint16_t)id;
        offset += (size_t)length;
    }
    tokens->count = count;
    return true;
}

bool tokenizer_encode_known(Tokens *tokens, UnknownCharacters *unknown, const Tokenizer *tokenizer, const char *text,
                            size_t size, const char *name, Error *error) {
    if (tokenizer->kind == TOKENIZER_NONE)
        return fail_input(error,
                          "%s cannot be turned into tokens: the model's data came without a tokenizer; use data "
                          "made by `bitter prepare`",
                          name);
    if (!tokens_reserve(tokens, size, name, error)) return false;
    if (tokenizer->kind == TOKENIZER_CHARS) return encode_chars(tokens, unknown, tokenizer, text, size, name, error);
    assert(tokens->ids || size == 0);
    size_t count = tokens->count;
    if (tokenizer->kind == TOKENIZER_BPE && !bpe_encode(tokens->ids, &count, &tokenizer->bpe, text, size, error))
        return false;
    for (size_t i = 0; tokenizer->kind == TOKENIZER_BYTES && i < size; i++)
        tokens->ids[count++] = (unsigned char)text[i];
    tokens->count = count;
    return true;
}

bool tokenizer_encode(Tokens *tokens, const Tokenizer *tokenizer, const char *text, size_t size, const char *name,
                      Error *error) {
    return tokenizer_encode_known(tokens, NULL, tokenizer, text, size, name, error);
}

bool tokenizer_same(const Tokenizer *a, const Tokenizer *b) {
    if (a->kind != b->kind || a->vocab_size != b->vocab_size) return false;
    return a->kind == TOKENIZER_BPE ? bpe_same(&a->bpe, &b->bpe)
                                    : memcmp(a->texts, b->texts, (size_t)a->vocab_size * sizeof *a->texts) == 0;
}

size_t tokenizer_decode(const char **text, const Tokenizer *tokenizer, int id) {
    assert(id >= 0 && id < tokenizer->vocab_size);
    if (tokenizer->kind == TOKENIZER_BPE) {
        const Bpe *bpe = &tokenizer->bpe;
        *text = bpe->text.bytes + bpe->tokens[id].start;
        return id == bpe->end ? 0 : bpe->tokens[id].size;
    }
    *text = tokenizer->texts[id].bytes;
    return tokenizer->texts[id].size;
}

int tokenizer_end(const Tokenizer *tokenizer) {
    return tokenizer->kind == TOKENIZER_BYTES ? BYTES_END : tokenizer->kind == TOKENIZER_BPE ? tokenizer->bpe.end : -1;
}

int tokenizer_newline(const Tokenizer *tokenizer) {
    if (tokenizer->kind == TOKENIZER_BYTES) return '\n';
    if (tokenizer->kind == TOKENIZER_BPE) return tokenizer->bpe.bytes['\n'];
    for (int id = 0; tokenizer->kind == TOKENIZER_CHARS && id < tokenizer->vocab_size; id++)
        if (tokenizer->texts[id].character == '\n') return id;
    return -1;
}

void tokenizer_free(Tokenizer *tokenizer) {
    free(tokenizer->texts);
    bpe_free(&tokenizer->bpe);
    *tokenizer = (Tokenizer){0};
}
