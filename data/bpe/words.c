// Counting words.
#include "data/bpe/splitter.h"
#include "data/bpe/trainer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// The place of the word, or the empty one where it belongs.
static uint32_t *find(const BpeWords *words, const char *bytes, size_t size) {
    size_t place = bpe_hash(bytes, size) & (words->places - 1);
    for (; words->table[place]; place = (place + 1) & (words->places - 1)) {
        const BpeWord *word = &words->words[words->table[place] - 1];
        if (word->size == size && memcmp(words->text.bytes + word->start, bytes, size) == 0) break;
    }
    return &words->table[place];
}

// Room for one more word; the table stays at most half full.
static bool reserve(BpeWords *words, Error *error) {
    if (words->count < words->capacity) return true;
    const size_t capacity = words->capacity ? 2 * words->capacity : 1 << 14;
    const bool countable = capacity < UINT32_MAX / 2;
    BpeWord *larger =
        countable ? memory_grow(words->words, words->capacity * sizeof *larger, capacity * sizeof *larger) : NULL;
    if (larger) words->words = larger;
    uint32_t *table = larger ? calloc(2 * capacity, sizeof *table) : NULL;
    if (!table) return fail_run(error, "no memory for %zu different words", words->count);
    free(words->table);
    words->table = table;
    words->capacity = capacity;
    words->places = 2 * capacity;
    for (size_t i = 0; i < words->count; i++)
        *find(words, words->text.bytes + words->words[i].start, words->words[i].size) = (uint32_t)i + 1;
    return true;
}

static bool take_word(void *context, const char *word, size_t size, Error *error) {
    BpeWords *words = context;
    if (!reserve(words, error)) return false;
    uint32_t *place = find(words, word, size);
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
