// Text into words, as GPT-2 does: the merges of byte pair encoding never join bytes of two words.
#ifndef BITTER_SPLITTER_H
#define BITTER_SPLITTER_H

#include "base/error.h"

#include <stddef.h>

typedef struct Splitter Splitter;

// NULL, and fails (run), when there is too little memory.
Splitter *splitter_create(Error *error);
void splitter_free(Splitter *splitter); // harmless on NULL

// What is called for each word; it returns false, with the error set, to stop.
typedef bool (*TakeWord)(void *context, const char *word, size_t size, Error *error);

// Call `take` for every word of the text, in order; joined, the words are the text. Bytes that are not UTF-8 are words
// by themselves. Fails as `take` does, and (interrupted) when a signal asks to stop.
bool split(Splitter *splitter, const char *text, size_t size, TakeWord take, void *context, Error *error);

#endif
