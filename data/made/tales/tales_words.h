// The vocabulary of builtin:tales.
#ifndef BITTER_TALES_WORDS_H
#define BITTER_TALES_WORDS_H

#include "base/random.h"

#include <stddef.h>

// A word list that templates name: `{animal}` is one of the animals.
typedef struct {
    const char *name;
    const char *const *words;
    int count;
} WordList;

// Pairs that belong together: preposition and place, singular and plural, two rhymes.
typedef struct {
    const char *first, *second;
} WordPair;

typedef struct {
    const WordPair *pairs;
    int count;
} PairList;

extern const PairList tales_places; // "in", "mill"
extern const PairList tales_spots;  // "under", "loose floorboard": where in a place a thing can be hidden
extern const PairList tales_goods;  // "loaf", "loaves"
extern const PairList tales_fruits; // "pear", "pears": what recipes are made of
extern const PairList tales_rhymes; // "bell", "well"

// The list whose name is the `length` bytes at `name`; NULL when there is none.
const WordList *words_find(const char *name, size_t length);

const char *words_pick(const char *list, Random *random);

// Invented names of two to four syllables. `size` bytes at `name` are enough from 16 on.
void words_person(char *name, size_t size, int woman, Random *random);
void words_town(char *name, size_t size, Random *random);
void words_secret(char *name, size_t size, Random *random);

// 0..99 as "twenty-one", 1..20 as "third".
const char *number_word(int number, char word[32]);
const char *ordinal_word(int number);

#endif
