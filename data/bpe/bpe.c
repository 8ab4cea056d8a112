#include "data/bpe/bpe.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

// Both tables are at most half full. 0 = an empty place; others hold an id, or the index of a merge, plus 1.
enum { PLACES = 2 * BPE_VOCAB_MOST };

uint64_t bpe_hash(const char *bytes, size_t size) {
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

static uint32_t pair_place(int left, int right) {
    const uint32_t pair = (uint32_t)left << 16 | (uint32_t)right;
    return (pair * 2654435761u) >> 15;
}

bool bpe_byte_is_visible(int byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
}

void bpe_add_symbols(Text *text, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char character[4];
        const int byte = (unsigned char)bytes[i], hidden = byte <= 32 ? byte : byte <= 160 ? byte - 94 : 67;
        const int length = utf8_encode(character, (uint32_t)(bpe_byte_is_visible(byte) ? byte : 256 + hidden));
        text_add(text, character, (size_t)length);
    }
}

bool bpe_read_symbols(Text *bytes, const char *symbols, size_t size) {
    for (size_t at = 0; at < size;) {
        uint32_t character;
        const int length = utf8_decode(&character, symbols + at, size - at);
        if (length == 0 || character > 256 + 67 || (character < 256 && !bpe_byte_is_visible((int)character)))
            return false;
        const int hidden = (int)character - 256;
        const char byte = (char)(hidden < 0 ? (int)character : hidden <= 32 ? hidden : hidden < 67 ? hidden + 94 : 173);
        text_add(bytes, &byte, 1);
        at += (size_t)length;
    }
    return true;
}

// The place in the table of the token with these bytes, or the empty one where it belongs.
static uint32_t *find_text(const Bpe *bpe, uint32_t *table, const char *bytes, size_t size) {
    uint32_t place = bpe_hash(bytes, size) % PLACES;
    for (; table[place]; place = (place + 1) % PLACES) {
        const BpeToken *token = &bpe->tokens[table[place] - 1];
        if (token->size == size && memcmp(bpe->text.bytes + token->start, bytes, size) == 0) break;
    }
    return &table[place];
}

static uint32_t *find_pair(const Bpe *bpe, int left, int right) {
    uint32_t place = pair_place(left, right);
    for (; bpe->by_pair[place]; place = (place + 1) % PLACES) {
        const BpeMerge *merge = &bpe->merges[bpe->by_pair[place] - 1];
        if (merge->left == left && merge->right == right) break;
    }
    return &bpe->by_pair[place];
}

bool bpe_begin(Bpe *bpe, Error *error) {
    *bpe = (Bpe){.end = -1};
    bpe->tokens = calloc(BPE_VOCAB_MOST, sizeof *bpe->tokens);
    bpe->merges = malloc(BPE_VOCAB_MOST * sizeof *bpe->merges);
    bpe->by_text = calloc(PLACES, sizeof *bpe->by_text);
    bpe->by_name = calloc(PLACES, sizeof *bpe->by_name);
    bpe->by_pair = calloc(PLACES, sizeof *bpe->by_pair);
    return (bpe->tokens && bpe->merges && bpe->by_text && bpe->by_name && bpe->by_pair) ||
           fail_run(error, "no memory for a vocabulary");
}

void bpe_free(Bpe *bpe) {
    text_free(&bpe->text);
    free(bpe->tokens);
    free(bpe->merges);
    free(bpe->by_text);
    free(bpe->by_name);
    free(bpe->by_pair);
    *bpe = (Bpe){0};
}

bool bpe_add_token(Bpe *bpe, long long id, const char *bytes, size_t size, bool special, const char *name,
                   Error *error) {
    if (id < 0 || id >= BPE_VOCAB_MOST)
        return fail_input(
            error, "%s: a token has the id %lld, but ids from 0 to %d were expected; choose a smaller vocabulary", name,
            id, BPE_VOCAB_MOST - 1);
    BpeToken *token = &bpe->tokens[id];
    if (token->present) return fail_input(error, "%s: two tokens have the id %lld; get the file again", name, id);
    uint32_t *place = find_text(bpe, special ? bpe->by_name : bpe->by_text, bytes, size);
    if (size == 0 || *place)
        return fail_input(error, "%s: token %lld %s; get the file again", name, id,
                          size == 0 ? "is empty" : "has the same bytes as another");
    *token = (BpeToken){(uint32_t)bpe->text.size, (uint32_t)size, true, special};
    text_add(&bpe->text, bytes, size);
    if (bpe->text.failed || bpe->text.size > UINT32_MAX)
        return fail_run(error, "%s: no memory for its vocabulary", name);
    *place = (uint32_t)id + 1;
    if (id >= bpe->vocab_size) bpe->vocab_size = (int)id + 1;
    return true;
}

int bpe_find(const Bpe *bpe, const char *bytes, size_t size) {
    return (int)*find_text(bpe, bpe->by_text, bytes, size) - 1;
}

int bpe_merge_of(const Bpe *bpe, int left, int right) {
    return (int)*find_pair(bpe, left, right) - 1;
}

bool bpe_add_merge(Bpe *bpe, const char *left, size_t left_size, const char *right, size_t right_size, const char *name,
                   Error *error) {
    Text whole = {0};
    text_add(&whole, left, left_size);
    text_add(&whole, right, right_size);
    const bool failed = whole.failed;
    const int ids[] = {bpe_find(bpe, left, left_size), bpe_find(bpe, right, right_size),
                       failed ? -1 : bpe_find(bpe, whole.bytes, whole.size)};
    text_free(&whole);
    if (failed) return fail_run(error, "%s: no memory for a merge", name);
    if (bpe->merge_count == BPE_VOCAB_MOST)
        return fail_input(error, "%s has more than %d merges; choose a smaller vocabulary", name, BPE_VOCAB_MOST);
    const int number = bpe->merge_count + 1;
    if (ids[0] < 0 || ids[1] < 0 || ids[2] < 0)
        return fail_input(error,
                          "%s: merge %d joins or makes a token that is not in the vocabulary; get the file again", name,
                          number);
    uint32_t *place = find_pair(bpe, ids[0], ids[1]);
    if (*place)
        return fail_input(error, "%s: merge %d repeats merge %u; get the file again", name, number, (unsigned)*place);
    *place = (uint32_t)number;
    bpe->merges[bpe->merge_count++] = (BpeMerge){(uint16_t)ids[0], (uint16_t)ids[1], (uint16_t)ids[2]};
    return true;
}

static int find_end(const Bpe *bpe) {
    int last = -1, specials = 0;
    for (int id = 0; id < bpe->vocab_size; id++) {
        const BpeToken *token = &bpe->tokens[id];
        if (!token->special) continue;
        last = id;
        specials++;
        if (token->size == strlen(BPE_END) && memcmp(bpe->text.bytes + token->start, BPE_END, token->size) == 0)
            return id;
    }
    return specials == 1 ? last : -1;
}

// In files a special token stands, by its name, among tokens that are written in symbols.
static bool check_special(const Bpe *bpe, int id, const char *name, Error *error) {
    Text bytes = {0};
    const BpeToken *token = &bpe->tokens[id];
    const char *special = bpe->text.bytes + token->start;
    const bool taken = bpe_read_symbols(&bytes, special, token->size) && bpe_find(bpe, bytes.bytes, bytes.size) >= 0;
    const bool failed = bytes.failed;
    text_free(&bytes);
    if (failed) return fail_run(error, "%s: no memory for a token", name);
    return !taken || fail_input(error, "%s: special token %d, %.*s, is written like another token; get the file again",
                                name, id, (int)token->size, special);
}

bool bpe_complete(Bpe *bpe, const char *name, Error *error) {
    for (int id = 0; id < bpe->vocab_size; id++)
        if (!bpe->tokens[id].present)
            return fail_input(error,
                              "%s: the vocabulary goes up to id %d, but no token has the id %d; get the file again",
                              name, bpe->vocab_size - 1, id);
    for (int id = 0; id < bpe->vocab_size; id++)
        if (bpe->tokens[id].special && !check_special(bpe, id, name, error)) return false;
    for (int byte = 0; byte < 256; byte++) {
        const char one = (char)byte;
        const int id = bpe_find(bpe, &one, 1);
        if (id < 0)
            return fail_input(error,
                              "%s: no token for the byte 0x%02X; a vocabulary of bytes (ByteLevel BPE) was expected",
                              name, (unsigned)byte);
        bpe->bytes[byte] = (uint16_t)id;
    }
    bpe->end = find_end(bpe);
    return true;
}

static bool same_token(const Bpe *a, const Bpe *b, int id) {
    const BpeToken *x = &a->tokens[id], *y = &b->tokens[id];
    return x->special == y->special && x->size == y->size &&
           memcmp(a->text.bytes + x->start, b->text.bytes + y->start, x->size) == 0;
}

bool bpe_same(const Bpe *a, const Bpe *b) {
    bool same = a->vocab_size == b->vocab_size && a->merge_count == b->merge_count;
    for (int id = 0; same && id < a->vocab_size; id++) same = same_token(a, b, id);
    return same && memcmp(a->merges, b->merges, (size_t)a->merge_count * sizeof *a->merges) == 0;
}
