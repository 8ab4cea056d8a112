#include "data/bpe/read.h"

#include <string.h>

// Is this one of the special tokens, with this id?
static bool is_special(const Bpe *bpe, const char *name, long long id) {
    if (id < 0 || id >= BPE_VOCAB_MOST || !bpe->tokens[id].special) return false;
    const BpeToken *token = &bpe->tokens[id];
    return token->size == strlen(name) && memcmp(bpe->text.bytes + token->start, name, token->size) == 0;
}

bool bpe_add_vocabulary(Bpe *bpe, const Symbols *symbols, const json_t *vocabulary, const char *path, Error *error) {
    if (!json_is_object(vocabulary))
        return fail_input(error, "%s: a vocabulary {\"token\": id, ...} was expected; get the file again", path);
    Text bytes = {0};
    bool ok = true;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)vocabulary, name, value) {
        const long long id = json_is_integer(value) ? json_integer_value(value) : -1;
        if (is_special(bpe, name, id)) continue;
        bytes.size = 0;
        ok = json_is_integer(value) ||
             fail_input(error, "%s: the id of a token is not a whole number; get the file again", path);
        ok = ok &&
             (symbols_read(&bytes, symbols, name, strlen(name)) ||
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

bool bpe_add_merge_parts(Bpe *bpe, const Symbols *symbols, const char *left, size_t left_size, const char *right,
                         size_t right_size, const char *path, Error *error) {
    Text bytes = {0};
    bool ok = symbols_read(&bytes, symbols, left, left_size);
    const size_t middle = bytes.size;
    ok = symbols_read(&bytes, symbols, right, right_size) && ok && middle > 0 && bytes.size > middle;
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

bool bpe_add_merge_text(Bpe *bpe, const Symbols *symbols, const char *text, size_t size, const char *path,
                        Error *error) {
    const char *space = memchr(text, ' ', size), *end = text + size, *left_end = space ? space : end,
               *right = space ? space + 1 : end;
    return bpe_add_merge_parts(bpe, symbols, text, (size_t)(left_end - text), right, (size_t)(end - right), path,
                               error);
}
