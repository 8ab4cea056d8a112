#include "data/bpe/encoder.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "data/bpe/splitter.h"

#include <stdlib.h>
#include <string.h>

// The tokens of words that were met before; most words of a text are among few. A word may be in one place only.
enum { CACHE_PLACES = 1 << 16, CACHE_WORD = 30, CACHE_IDS = 16 };

typedef struct {
    uint8_t size, count; // 0 = empty
    char word[CACHE_WORD];
    uint16_t ids[CACHE_IDS];
} CachedWord;

// A part of the word: at first a byte, then what was joined from the bytes up to the next part.
typedef struct {
    uint32_t before, next; // parts; NO_PART at the ends
    uint16_t id;
    bool gone; // joined to the one before it
} Part;

enum { JOINS_BETWEEN_CHECKS = 65536 };
enum { ROOM = 3 }; // numbers on the heap per part: at most one for each pair at the start, and two for each join
static const uint32_t NO_PART = UINT32_MAX;

struct BpeEncoder {
    Splitter *splitter;
    CachedWord *cache; // (CACHE_PLACES)
    Part *parts;       // (capacity)
    uint64_t *heap;    // (ROOM * capacity) joins to come: the index of the merge << 32 | the left part; smallest first
    size_t capacity, waiting;
};

void encoder_free(BpeEncoder *encoder) {
    if (!encoder) return;
    splitter_free(encoder->splitter);
    free(encoder->cache);
    free(encoder->parts);
    free(encoder->heap);
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

static bool encoder_reserve(BpeEncoder *encoder, size_t size, Error *error) {
    if (size <= encoder->capacity) return true;
    const size_t capacity = size < 1024 ? 1024 : size;
    const size_t part = sizeof *encoder->parts, numbers = ROOM * sizeof *encoder->heap;
    Part *parts = memory_grow(encoder->parts, encoder->capacity * part, capacity * part);
    if (parts) encoder->parts = parts;
    uint64_t *heap = parts ? memory_grow(encoder->heap, encoder->capacity * numbers, capacity * numbers) : NULL;
    if (!heap || size >= NO_PART) return fail_run(error, "no memory for a word of %zu bytes", size);
    encoder->heap = heap;
    encoder->capacity = capacity;
    return true;
}

static void heap_push(BpeEncoder *encoder, uint64_t number) {
    size_t at = encoder->waiting++;
    for (; at > 0 && encoder->heap[(at - 1) / 2] > number; at = (at - 1) / 2)
        encoder->heap[at] = encoder->heap[(at - 1) / 2];
    encoder->heap[at] = number;
}

static uint64_t heap_pop(BpeEncoder *encoder) {
    uint64_t *heap = encoder->heap;
    const uint64_t first = heap[0], last = heap[--encoder->waiting];
    const size_t count = encoder->waiting;
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] < heap[child]) child++;
        if (last <= heap[child]) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

// If the part and the next one can be joined, note it.
static void note_pair(BpeEncoder *encoder, const Bpe *bpe, uint32_t part) {
    const uint32_t next = part == NO_PART ? NO_PART : encoder->parts[part].next;
    if (next == NO_PART) return;
    const int merge = bpe_merge_of(bpe, encoder->parts[part].id, encoder->parts[next].id);
    if (merge >= 0) heap_push(encoder, (uint64_t)merge << 32 | part);
}

// Join the pair, unless one of the two has been joined to another part since it was noted.
static void join(BpeEncoder *encoder, const Bpe *bpe, const BpeMerge *merge, uint32_t left) {
    Part *parts = encoder->parts;
    const uint32_t right = parts[left].next;
    if (parts[left].gone || parts[left].id != merge->left || right == NO_PART || parts[right].id != merge->right)
        return;
    parts[left].id = merge->joined;
    parts[left].next = parts[right].next;
    parts[right].gone = true;
    if (parts[left].next != NO_PART) parts[parts[left].next].before = left;
    note_pair(encoder, bpe, parts[left].before);
    note_pair(encoder, bpe, left);
}

// Of all pairs, the one with the first merge is joined, the leftmost of several, until none is left.
bool encode_word(uint16_t *ids, size_t *count, BpeEncoder *encoder, const Bpe *bpe, const char *word, size_t size,
                 Error *error) {
    if (!encoder_reserve(encoder, size, error)) return false;
    for (uint32_t i = 0; i < size; i++)
        encoder->parts[i] = (Part){.before = i == 0 ? NO_PART : i - 1,
                                   .next = i + 1 == size ? NO_PART : i + 1,
                                   .id = bpe->bytes[(unsigned char)word[i]]};
    encoder->waiting = 0;
    for (uint32_t i = 0; i < size; i++) note_pair(encoder, bpe, i);
    for (size_t joins = 1; encoder->waiting > 0; joins++) {
        if (joins % JOINS_BETWEEN_CHECKS == 0 && !stop_check(&stop_at_signal, error)) return false;
        const uint64_t first = heap_pop(encoder);
        join(encoder, bpe, &bpe->merges[first >> 32], (uint32_t)first);
    }
    for (uint32_t i = 0; i != NO_PART; i = encoder->parts[i].next) ids[(*count)++] = encoder->parts[i].id;
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
    if (!encode_word(encoding->ids, count, encoding->encoder, encoding->bpe, word, size, error)) return false;
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
