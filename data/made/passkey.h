// The passkey test (Mohtashami, Jaggi 2023, 2305.16300, in the words of YaRN's evaluation): a number is given once in a
// long text without other information, and asked for at its end.
#ifndef BITTER_PASSKEY_H
#define BITTER_PASSKEY_H

#include "base/file/text.h"

#include <stdbool.h>
#include <stdint.h>

#define PASSKEY_MOST 50000 // keys are 1 .. this

#define PASSKEY_TASK                                                                                                   \
    "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. I will quiz you "   \
    "about the important information there."
#define PASSKEY_GARBAGE  "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again."
#define PASSKEY_NEEDLE   "The pass key is %d. Remember it. %d is the pass key."
#define PASSKEY_QUESTION "What is the pass key? The pass key is"

// The length in characters of the longest prompt without garbage, so that a prompt of this length exists for every
// key: five lines, two of them empty.
#define PASSKEY_SHORTEST                                                                                               \
    ((int)sizeof PASSKEY_TASK "\n\n" PASSKEY_NEEDLE "\n\n" PASSKEY_QUESTION - 1 +                                      \
     2 * (int)(sizeof "50000" - sizeof "%d"))

// Key number `index` of this seed, uniform in 1 .. PASSKEY_MOST.
int passkey_key(uint64_t seed, uint64_t index);

// Append a prompt of `length` characters, at least PASSKEY_SHORTEST: garbage, cut where it reaches the length, of which
// the share `depth`, 0 to 1, is before the line with the key.
void passkey_prompt(Text *text, int key, int length, double depth);

// Append the answer to the prompt: " 12345." and a newline.
void passkey_answer(Text *text, int key);
int passkey_answer_length(int key);

// Is the first number in a continuation of the prompt the key?
bool passkey_right(const char *continuation, size_t size, int key);

#endif
