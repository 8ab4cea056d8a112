#include "data/bpe/bpe.h"

#include "base/interrupt.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Tables are at most half full. 0 is an empty place; other places hold an id, or the index of a merge, plus 1.
enum { PLACES = 2 * BPE_VOCAB_MOST };

// A cache of the tokens of words: a few words make up most of a text. Each word has only one possible place.
enum { CACHE_PLACES = 1 << 16, CACHE_WORD = 30, CACHE_IDS = 16 };

struct CachedWord {
    uint8_t size, count; // 0 = empty
    char word[CACHE_WORD];
    uint16_t ids[CACHE_IDS];
};

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

// The place in the table of the token with these bytes, or the empty place where it belongs.
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
    bpe->cache = calloc(CACHE_PLACES, sizeof *bpe->cache);
    if (bpe->tokens && bpe->merges && bpe->by_text && bpe->by_name && bpe->by_pair && bpe->cache)
        return (bpe->splitter = splitter_create(error));
    return fail_run(error, "no memory for a vocabulary");
}

void bpe_free(Bpe *bpe) {
    text_free(&bpe->text);
    free(bpe->tokens);
    free(bpe->merges);
    free(bpe->by_text);
    free(bpe->by_name);
    free(bpe->by_pair);
    free(bpe->cache);
    splitter_free(bpe->splitter);
    *bpe = (Bpe){0};
}

bool bpe_add_token(Bpe *bpe, long long id, const char *bytes, size_t size, bool special, const char *name,
                   Error *error) {
    if (id < 0 || id >= BPE_VOCAB_MOST)
        return fail_input(error, "%s: a token has the id %lld, but ids from 0 to %d were expected; %s", name, id,
                          BPE_VOCAB_MOST - 1, id < 0 ? "get the file again" : "choose a smaller vocabulary");
    BpeToken *token = &bpe->tokens[id];
    if (token->size > 0) return fail_input(error, "%s: two tokens have the id %lld; get the file again", name, id);
    uint32_t *place = find_text(bpe, special ? bpe->by_name : bpe->by_text, bytes, size);
    if (size == 0 || *place)
        return fail_input(error, "%s: token %lld %s; get the file again", name, id,
                          size == 0 ? "is empty" : "has the same bytes as another");
    *token = (BpeToken){(uint32_t)bpe->text.size, (uint32_t)size, special};
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

bool bpe_add_merge(Bpe *bpe, const char *bytes, size_t left_size, size_t size, const char *name, Error *error) {
    const int left = bpe_find(bpe, bytes, left_size), right = bpe_find(bpe, bytes + left_size, size - left_size),
              joined = bpe_find(bpe, bytes, size), number = bpe->merge_count + 1;
    if (number > BPE_VOCAB_MOST)
        return fail_input(error, "%s has more than %d merges; choose a smaller vocabulary", name, BPE_VOCAB_MOST);
    if (left < 0 || right < 0 || joined < 0)
        return fail_input(error,
                          "%s: merge %d joins or makes a token that is not in the vocabulary; get the file again", name,
                          number);
    uint32_t *place = find_pair(bpe, left, right);
    if (*place)
        return fail_input(error, "%s: merge %d repeats merge %u; get the file again", name, number, (unsigned)*place);
    *place = (uint32_t)number;
    bpe->merges[bpe->merge_count++] = (BpeMerge){(uint16_t)left, (uint16_t)right, (uint16_t)joined};
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

// Files list a special token by its name, among tokens that are written in symbols.
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
        if (bpe->tokens[id].size == 0)
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

// --- encoding ---

static bool comes_before(const Bpe *bpe, int left, int right, int merge) {
    const int other = bpe_merge_of(bpe, left, right);
    return other >= 0 && other < merge;
}

// Join the pair of a merge wherever it occurs in the n ids, from left to right, until a join makes a pair whose merge
// comes earlier. Returns how many ids are left.
static size_t join_pairs(uint16_t *ids, size_t n, const Bpe *bpe, int merge) {
    const BpeMerge pair = bpe->merges[merge];
    size_t kept = 0;
    bool ended = false;
    for (size_t i = 0; i < n; kept++) {
        if (ended || ids[i] != pair.left || i + 1 == n || ids[i + 1] != pair.right) {
            ids[kept] = ids[i++];
            continue;
        }
        ids[kept] = pair.joined;
        i += 2;
        ended = (kept > 0 && comes_before(bpe, ids[kept - 1], pair.joined, merge)) ||
                (i < n && comes_before(bpe, pair.joined, ids[i], merge));
    }
    return kept;
}

// While any pair of neighbours has a merge, join the pair whose merge comes first, the leftmost if there are several.
static bool encode_word(uint16_t *ids, size_t *count, const Bpe *bpe, const char *word, size_t size, Error *error) {
    uint16_t *own = ids + *count;
    size_t n = size;
    for (size_t i = 0; i < size; i++) own[i] = bpe->bytes[(unsigned char)word[i]];
    for (;;) {
        int first = INT_MAX;
        for (size_t i = 0; i + 1 < n; i++) {
            const int merge = bpe_merge_of(bpe, own[i], own[i + 1]);
            if (merge >= 0 && merge < first) first = merge;
        }
        if (first == INT_MAX) break;
        if (!stop_check(&stop_at_signal, error)) return false;
        n = join_pairs(own, n, bpe, first);
    }
    *count += n;
    return true;
}

typedef struct {
    const Bpe *bpe;
    uint16_t *ids;
    size_t *count;
} Encoding;

static bool take_word(void *context, const char *word, size_t size, Error *error) {
    const Encoding *encoding = context;
    size_t *count = encoding->count;
    struct CachedWord *cached = &encoding->bpe->cache[bpe_hash(word, size <= CACHE_WORD ? size : 0) % CACHE_PLACES];
    if (size == cached->size && memcmp(cached->word, word, size) == 0) {
        memcpy(encoding->ids + *count, cached->ids, cached->count * sizeof *cached->ids);
        *count += cached->count;
        return true;
    }
    const size_t before = *count;
    if (!encode_word(encoding->ids, count, encoding->bpe, word, size, error)) return false;
    const size_t tokens = *count - before;
    if (size > CACHE_WORD || tokens > CACHE_IDS) return true;
    cached->size = (uint8_t)size;
    cached->count = (uint8_t)tokens;
    memcpy(cached->word, word, size);
    memcpy(cached->ids, encoding->ids + before, tokens * sizeof *cached->ids);
    return true;
}

bool bpe_encode(uint16_t *ids, size_t *count, const Bpe *bpe, const char *text, size_t size, Error *error) {
    Encoding encoding = {bpe, ids, count};
    return split(bpe->splitter, text, size, take_word, &encoding, error);
}
