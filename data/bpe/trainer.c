#include "data/bpe/bpe.h"

#include "base/interrupt.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// --- counting words ---

// The word's place in the table, or the empty place where it belongs.
static uint32_t *find_word(const BpeWords *words, const char *bytes, size_t size) {
    size_t place = bpe_hash(bytes, size) & (words->places - 1);
    for (; words->table[place]; place = (place + 1) & (words->places - 1)) {
        const BpeWord *word = &words->words[words->table[place] - 1];
        if (word->size == size && memcmp(words->text.bytes + word->start, bytes, size) == 0) break;
    }
    return &words->table[place];
}

// Make room for one more word; the table stays at most half full.
static bool reserve_word(BpeWords *words, Error *error) {
    if (words->count < words->capacity) return true;
    const bool room = array_room(&words->words, &words->capacity, words->count, 1, sizeof *words->words);
    free(words->table);
    words->places = 2 * words->capacity;
    words->table = room && words->capacity < UINT32_MAX / 2 ? calloc(words->places, sizeof *words->table) : NULL;
    if (!words->table) return fail_run(error, "no memory for %zu different words", words->count);
    for (size_t i = 0; i < words->count; i++)
        *find_word(words, words->text.bytes + words->words[i].start, words->words[i].size) = (uint32_t)i + 1;
    return true;
}

static bool take_word(void *context, const char *word, size_t size, Error *error) {
    BpeWords *words = context;
    if (!reserve_word(words, error)) return false;
    uint32_t *place = find_word(words, word, size);
    if (*place) {
        words->words[*place - 1].count++;
        return true;
    }
    words->words[words->count++] = (BpeWord){words->text.size, size, 1};
    *place = (uint32_t)words->count;
    if (size > words->longest) words->longest = size;
    text_add(&words->text, word, size);
    return !words->text.failed || fail_run(error, "no memory for %zu different words", words->count);
}

bool bpe_words_add(BpeWords *words, const char *text, size_t size, Error *error) {
    if (!words->splitter) words->splitter = splitter_create(error);
    return words->splitter && split(words->splitter, text, size, take_word, words, error);
}

void bpe_words_free(BpeWords *words) {
    free(words->words);
    text_free(&words->text);
    free(words->table);
    splitter_free(words->splitter);
    *words = (BpeWords){0};
}

// --- the merges ---

enum { COUNT_LEAST = 2 }; // a pair that occurs once is not joined

// Indices of words, growing.
typedef struct {
    uint32_t *items; // (count)
    size_t count, capacity;
} Places;

typedef struct {
    uint32_t ids;  // left << 16 | right
    int64_t count; // occurrences in the text
    Places fresh;  // words in which the last join made this pair
} Pair;

// A pair that may be joined in these words. Its count may be out of date.
typedef struct {
    int64_t count;
    uint32_t pair; // index
    Places places;
} Candidate;

typedef struct {
    Bpe *bpe;
    const BpeWords *words;
    uint16_t *ids;   // ids of the words, one word after another
    uint32_t *sizes; // (words) how many ids each word has now
    Pair *pairs;     // (pair_count)
    size_t pair_count, pair_capacity;
    uint32_t *table; // (2 * pair_capacity) index of a pair plus 1; 0 = empty
    Candidate *heap; // (waiting), the most frequent first
    size_t waiting, heap_capacity;
    Places changed; // indices of pairs with fresh words
    bool failed;    // memory ran out
} Trainer;

static void places_add(Trainer *trainer, Places *places, uint32_t item) {
    if (places->count > 0 && places->items[places->count - 1] == item) return;
    if (array_room(&places->items, &places->capacity, places->count, 1, sizeof *places->items))
        places->items[places->count++] = item;
    else
        trainer->failed = true;
}

// --- the pairs ---

static uint32_t *find_pair(const Trainer *trainer, uint32_t ids) {
    const size_t mask = 2 * trainer->pair_capacity - 1;
    size_t place = (ids * 0x9E3779B97F4A7C15u >> 32) & mask;
    while (trainer->table[place] && trainer->pairs[trainer->table[place] - 1].ids != ids) place = (place + 1) & mask;
    return &trainer->table[place];
}

static bool reserve_pair(Trainer *trainer) {
    if (trainer->pair_count < trainer->pair_capacity) return true;
    const bool room = array_room(&trainer->pairs, &trainer->pair_capacity, trainer->pair_count, 1, sizeof(Pair));
    free(trainer->table);
    trainer->table = room ? calloc(2 * trainer->pair_capacity, sizeof *trainer->table) : NULL;
    if (!trainer->table) return !(trainer->failed = true);
    for (size_t i = 0; i < trainer->pair_count; i++) *find_pair(trainer, trainer->pairs[i].ids) = (uint32_t)i + 1;
    return true;
}

// Add `change` to the count of the pair; if it is positive, the new occurrences are in `word`.
static void count_pair(Trainer *trainer, uint16_t left, uint16_t right, int64_t change, uint32_t word) {
    if (trainer->failed || !reserve_pair(trainer)) return;
    const uint32_t ids = (uint32_t)left << 16 | right;
    uint32_t *place = find_pair(trainer, ids);
    if (!*place) {
        trainer->pairs[trainer->pair_count] = (Pair){.ids = ids};
        *place = (uint32_t)++trainer->pair_count;
    }
    Pair *pair = &trainer->pairs[*place - 1];
    pair->count += change;
    if (change < 0) return;
    if (pair->fresh.count == 0) places_add(trainer, &trainer->changed, *place - 1);
    places_add(trainer, &pair->fresh, word);
}

// --- the candidates ---

static bool is_before(const Trainer *trainer, const Candidate *a, const Candidate *b) {
    return a->count != b->count ? a->count > b->count : trainer->pairs[a->pair].ids < trainer->pairs[b->pair].ids;
}

static void heap_push(Trainer *trainer, Candidate candidate) {
    if (!array_room(&trainer->heap, &trainer->heap_capacity, trainer->waiting, 1, sizeof *trainer->heap)) {
        trainer->failed = true;
        free(candidate.places.items);
        return;
    }
    Candidate *heap = trainer->heap;
    size_t at = trainer->waiting++;
    for (; at > 0 && is_before(trainer, &candidate, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = candidate;
}

static Candidate heap_pop(Trainer *trainer) {
    Candidate *heap = trainer->heap;
    const Candidate first = heap[0], last = heap[--trainer->waiting];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < trainer->waiting; at = child) {
        if (child + 1 < trainer->waiting && is_before(trainer, &heap[child + 1], &heap[child])) child++;
        if (!is_before(trainer, &heap[child], &last)) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

// Make every pair with fresh words a candidate for these words.
static void push_changed(Trainer *trainer) {
    for (size_t i = 0; i < trainer->changed.count; i++) {
        const uint32_t index = trainer->changed.items[i];
        Pair *pair = &trainer->pairs[index];
        const Candidate candidate = {pair->count, index, pair->fresh};
        pair->fresh = (Places){0};
        if (candidate.count >= COUNT_LEAST)
            heap_push(trainer, candidate);
        else
            free(candidate.places.items);
    }
    trainer->changed.count = 0;
}

// --- training ---

// Join the pair wherever it is in the word, and count how its neighbours' pairs change.
static void join_in_word(Trainer *trainer, uint32_t index, BpeMerge merge) {
    const BpeWord *word = &trainer->words->words[index];
    const int64_t count = (int64_t)word->count;
    uint16_t *ids = trainer->ids + word->start;
    const uint32_t size = trainer->sizes[index];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < size; kept++) {
        if (ids[i] != merge.left || i + 1 >= size || ids[i + 1] != merge.right) {
            ids[kept] = ids[i++];
            continue;
        }
        if (kept > 0) {
            count_pair(trainer, ids[kept - 1], merge.left, -count, index);
            count_pair(trainer, ids[kept - 1], merge.joined, count, index);
        }
        i += 2;
        if (i < size) {
            count_pair(trainer, merge.right, ids[i], -count, index);
            count_pair(trainer, merge.joined, ids[i], count, index);
        }
        ids[kept] = merge.joined;
    }
    trainer->sizes[index] = kept;
}

// Add the merge of the pair and, unless a token has the joined bytes already, their token.
static bool add_merge(BpeMerge *merge, Trainer *trainer, uint32_t ids, Error *error) {
    Bpe *bpe = trainer->bpe;
    *merge = (BpeMerge){.left = (uint16_t)(ids >> 16), .right = (uint16_t)ids};
    const BpeToken left = bpe->tokens[merge->left], right = bpe->tokens[merge->right];
    Text whole = {0};
    text_add(&whole, bpe->text.bytes + left.start, left.size);
    text_add(&whole, bpe->text.bytes + right.start, right.size);
    const bool ok = (!whole.failed || fail_run(error, "no memory for a token")) &&
                    (bpe_find(bpe, whole.bytes, whole.size) >= 0 ||
                     bpe_add_token(bpe, bpe->vocab_size, whole.bytes, whole.size, false, "the vocabulary", error)) &&
                    (bpe_merge_of(bpe, merge->left, merge->right) >= 0 ||
                     bpe_add_merge(bpe, whole.bytes, left.size, whole.size, "the vocabulary", error));
    merge->joined = ok ? (uint16_t)bpe_find(bpe, whole.bytes, whole.size) : 0;
    text_free(&whole);
    return ok;
}

static bool join_pairs(Trainer *trainer, int vocab_size, Error *error) {
    const Bpe *bpe = trainer->bpe;
    while (trainer->waiting > 0 && bpe->vocab_size < vocab_size && bpe->merge_count < BPE_VOCAB_MOST) {
        if (!stop_check(&stop_at_signal, error)) return false;
        Candidate best = heap_pop(trainer);
        const Pair *pair = &trainer->pairs[best.pair];
        if (best.count != pair->count && pair->count >= COUNT_LEAST) {
            best.count = pair->count;
            heap_push(trainer, best);
            continue;
        }
        BpeMerge merge = {0};
        const bool enough = pair->count >= COUNT_LEAST, ok = !enough || add_merge(&merge, trainer, pair->ids, error);
        for (size_t i = 0; enough && ok && i < best.places.count; i++)
            join_in_word(trainer, best.places.items[i], merge);
        free(best.places.items);
        push_changed(trainer);
        if (!ok || trainer->failed) return false;
    }
    return true;
}

static bool trainer_start(Trainer *trainer, Error *error) {
    const BpeWords *words = trainer->words;
    for (int id = 0, hidden = 0; hidden < 2; hidden++) // GPT-2's order: visible bytes, then the others
        for (int byte = 0; byte < 256; byte++) {
            const char text = (char)byte;
            if (bpe_byte_is_visible(byte) == hidden) continue;
            if (!bpe_add_token(trainer->bpe, id, &text, 1, false, "the vocabulary", error)) return false;
            trainer->bpe->bytes[byte] = (uint16_t)id++;
        }
    trainer->ids = memory_grow(NULL, 0, words->text.size * sizeof *trainer->ids + 1);
    trainer->sizes = memory_grow(NULL, 0, words->count * sizeof *trainer->sizes + 1);
    if (!trainer->ids || !trainer->sizes) return fail_run(error, "no memory for %zu different words", words->count);
    for (size_t i = 0; i < words->text.size; i++)
        trainer->ids[i] = trainer->bpe->bytes[(unsigned char)words->text.bytes[i]];
    for (size_t w = 0; w < words->count && !trainer->failed; w++) {
        const BpeWord *word = &words->words[w];
        const uint16_t *ids = trainer->ids + word->start;
        trainer->sizes[w] = (uint32_t)word->size;
        for (size_t i = 0; i + 1 < word->size; i++)
            count_pair(trainer, ids[i], ids[i + 1], (int64_t)word->count, (uint32_t)w);
    }
    push_changed(trainer);
    return !trainer->failed;
}

static void trainer_free(Trainer *trainer) {
    for (size_t i = 0; i < trainer->waiting; i++) free(trainer->heap[i].places.items);
    for (size_t i = 0; i < trainer->pair_count; i++) free(trainer->pairs[i].fresh.items);
    free(trainer->ids);
    free(trainer->sizes);
    free(trainer->pairs);
    free(trainer->table);
    free(trainer->heap);
    free(trainer->changed.items);
}

bool bpe_train(Bpe *bpe, const BpeWords *words, int vocab_size, Error *error) {
    assert(vocab_size >= BPE_VOCAB_LEAST && vocab_size <= BPE_VOCAB_MOST);
    Trainer trainer = {.bpe = bpe, .words = words};
    const bool trained = trainer_start(&trainer, error) && join_pairs(&trainer, vocab_size - 1, error);
    if (trainer.failed) fail_run(error, "no memory to train a vocabulary on this text; give less text");
    trainer_free(&trainer);
    return trained && bpe_add_token(bpe, bpe->vocab_size, BPE_END, strlen(BPE_END), true, "the vocabulary", error) &&
           bpe_complete(bpe, "the vocabulary", error);
}
