// GPT-2's encoder.json and vocab.bpe, and gpt2_tokenizer.bin of llm.c.
#include "base/file/file.h"
#include "data/bpe/encoder.h"
#include "data/bpe/files.h"
#include "data/bpe/read.h"

#include <stdlib.h>
#include <string.h>

// --- encoder.json and vocab.bpe ---

static bool read_vocabulary(Bpe *bpe, const Symbols *symbols, const char *path, Error *error) {
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
                    bpe_add_vocabulary(bpe, symbols, root, path, error);
    json_decref(root);
    return ok;
}

// A line of two tokens with a space between them, for each merge. The first line may name the version.
static bool read_merges(Bpe *bpe, const Symbols *symbols, const Buffer *file, const char *path, Error *error) {
    static const char version[] = "#version";
    const char *text = (const char *)file->bytes, *end = text + file->size;
    for (const char *line = text, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        next = newline ? newline + 1 : end;
        const size_t size = (size_t)((newline ? newline : end) - line);
        if (size == 0 || (line == text && size >= sizeof version - 1 && memcmp(line, version, sizeof version - 1) == 0))
            continue;
        if (!bpe_add_merge_text(bpe, symbols, line, size, path, error)) return false;
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

bool bpe_read_gpt2(Bpe *bpe, const char *vocabulary_path, const char *merges_path, Error *error) {
    Symbols symbols;
    Buffer merges;
    symbols_make(&symbols);
    if (!file_read(&merges, merges_path, error)) return false;
    buffer_drop_mark(&merges);
    buffer_drop_returns(&merges);
    const bool ok = bpe_begin(bpe, error) && read_vocabulary(bpe, &symbols, vocabulary_path, error) &&
                    read_merges(bpe, &symbols, &merges, merges_path, error) &&
                    bpe_complete(bpe, vocabulary_path, error) && check_merges(bpe, merges_path, error);
    free(merges.bytes);
    if (!ok) bpe_free(bpe);
    return ok;
}

// --- gpt2_tokenizer.bin ---

enum { HEADER_INTS = 256, HEADER_BYTES = 4 * HEADER_INTS, GPT2_END = 50256 };

static bool read_header(int32_t *tokens, int32_t *end, const uint8_t *bytes, size_t size, const char *path,
                        Error *error) {
    int32_t header[4] = {0};
    if (size < HEADER_BYTES)
        return fail_input(error, "%s has %zu bytes, fewer than the %d of its header; get the file again", path, size,
                          HEADER_BYTES);
    memcpy(header, bytes, sizeof header);
    if (header[0] != LLMC_TOKENIZER || header[1] < 1 || header[1] > 2)
        return fail_input(error,
                          "%s begins with %d and version %d where %d and version 1 or 2 of llm.c's tokenizer "
                          "were expected; get the file again",
                          path, (int)header[0], (int)header[1], LLMC_TOKENIZER);
    *tokens = header[2];
    *end = header[1] == 1 ? GPT2_END : header[3]; // version 1 does not say it
    if (*tokens < 256 || *tokens > BPE_VOCAB_MOST)
        return fail_input(error, "%s says that it has %d tokens, but 256 to %d were expected; get the file again", path,
                          (int)*tokens, BPE_VOCAB_MOST);
    return true;
}

// The merge that makes this token: by the merges before it, its bytes become the two tokens to be joined.
static bool find_merge(Bpe *bpe, int id, BpeEncoder *encoder, const char *path, Error *error) {
    uint16_t parts[UINT8_MAX];
    const BpeToken token = bpe->tokens[id];
    size_t count = 0;
    if (!encode_word(parts, &count, encoder, bpe, bpe->text.bytes + token.start, token.size, error)) return false;
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
    size_t at = HEADER_BYTES;
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

bool bpe_from_llmc(Bpe *bpe, const uint8_t *bytes, size_t size, const char *path, Error *error) {
    BpeEncoder *encoder = encoder_create(error);
    bool ok = encoder != NULL;
    *bpe = (Bpe){0};
    ok = ok && bpe_begin(bpe, error) && read_tokens(bpe, bytes, size, path, error) && bpe_complete(bpe, path, error);
    for (int id = 0; ok && id < bpe->vocab_size; id++)
        if (bpe->tokens[id].size > 1 && !bpe->tokens[id].special) ok = find_merge(bpe, id, encoder, path, error);
    encoder_free(encoder);
    if (!ok) bpe_free(bpe);
    return ok;
}
