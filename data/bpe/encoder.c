#include "data/bpe/encoder.h"

#include "base/interrupt.h"
#include "data/bpe/splitter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The tokens of words that were met before; most words of a text are among few. A word may be in one place only.
enum { CACHE_PLACES = 1 << 16, CACHE_WORD = 30, CACHE_IDS = 16 };

typedef struct {
    uint8_t size, count; // 0 = empty
    char word[CACHE_WORD];
    uint16_t ids[CACHE_IDS];
} CachedWord;

struct BpeEncoder {
    Splitter *splitter;
    CachedWord *cache; // (CACHE_PLACES)
};

void encoder_free(BpeEncoder *encoder) {
    if (!encoder) return;
    splitter_free(encoder->splitter);
    free(encoder->cache);
    free(encoder);
}

BpeEncoder *encoder_create(Error *error) {
    BpeEncoder *encoder = calloc(1, sizeof *encoder);
    if (encoder) encoder->cache = calloc(CACHE_PLACES, sizeof *encoder->cache);
    if (encoder && encoder->cache) encoder->splitter = splitter_create(error);
    if (encoder && encoder->splitter) return encoder;
    if (!encoder || !encoder->cache) fail_run(error, "no memory to encode text");
    encoder_free(encoder);
    return NULL;
}

static bool comes_before(const Bpe *bpe, int left, int right, int merge) {
    const int other = bpe_merge_of(bpe, left, right);
    return other >= 0 && other < merge;
}

// Join the pair of a merge wherever it is in the n ids, from left to right, until this makes a pair whose merge comes
// before. Returns how many ids are left.
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

// Of all pairs of neighbours, the one with the first merge is joined, the leftmost of several, until none is left.
bool encode_word(uint16_t *ids, size_t *count, const Bpe *bpe, const char *word, size_t size, Error *error) {
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
    BpeEncoder *encoder;
    const Bpe *bpe;
    uint16_t *ids;
    size_t *count;
} Encoding;

static bool take_word(void *context, const char *word, size_t size, Error *error) {
    const Encoding *encoding = context;
    size_t *count = encoding->count;
    CachedWord *cached = &encoding->encoder->cache[bpe_hash(word, size <= CACHE_WORD ? size : 0) % CACHE_PLACES];
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

bool encode_text(uint16_t *ids, size_t *count, BpeEncoder *encoder, const Bpe *bpe, const char *text, size_t size,
                 Error *error) {
    Encoding encoding = {encoder, bpe, ids, count};
    return split(encoder->splitter, text, size, take_word, &encoding, error);
}
