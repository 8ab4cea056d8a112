#include "base/random.h"
#include "data/made/builtin.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>

int passkey_key(uint64_t seed, uint64_t index) {
    return 1 + (int)(random_uniform(random_key(seed, "passkey"), index) * PASSKEY_MOST);
}

static void add_garbage(Text *text, int count) {
    static const char garbage[] = PASSKEY_GARBAGE " ";
    const int once = (int)sizeof garbage - 1;
    for (; count > once; count -= once) text_add(text, garbage, (size_t)once);
    text_add(text, garbage, (size_t)count);
}

static int digits_of(int key) {
    return snprintf(NULL, 0, "%d", key);
}

void passkey_prompt(Text *text, int key, int length, double depth) {
    const int garbage = length - (PASSKEY_SHORTEST - 2 * (digits_of(PASSKEY_MOST) - digits_of(key)));
    const int before = (int)(depth * garbage + 0.5);
    assert(key >= 1 && key <= PASSKEY_MOST && length >= PASSKEY_SHORTEST && before >= 0 && before <= garbage);
    text_print(text, "%s\n", PASSKEY_TASK);
    add_garbage(text, before);
    text_print(text, "\n" PASSKEY_NEEDLE "\n", key, key);
    add_garbage(text, garbage - before);
    text_print(text, "\n%s", PASSKEY_QUESTION);
}

bool passkey_right(const char *continuation, size_t size, int key) {
    size_t at = 0;
    while (at < size && !isdigit((unsigned char)continuation[at])) at++;
    int number = 0;
    for (; at < size && isdigit((unsigned char)continuation[at]) && number <= PASSKEY_MOST; at++)
        number = 10 * number + (continuation[at] - '0');
    return number == key;
}

// --- builtin:passkey: documents with their answers ---
// A model that never saw such documents finds no passkey, whatever its positions.

#define SHORTEST 255 // the length of the shortest document that exists for every key
_Static_assert(SHORTEST == PASSKEY_SHORTEST + sizeof " 50000.\n" - 1, "the option's preset is a string");

const Option passkey_options[] = {
    BUILTIN_ROW(bytes, "1e6", 1000, 1e12, "size of the corpus"),
    NUMBER_ROW("share", offsetof(BuiltinCorpus, share), NULL, 0.0001, 0.9, "SHARE",
               "share of the windows that begin with one, with train --documents (0.05)"),
    BUILTIN_ROW(min, "255", SHORTEST, 1e6, "shortest document"),
    BUILTIN_ROW(max, "512", SHORTEST, 1e6, "longest document"),
    BUILTIN_ROW(seed, "1337", 0, 1e15, "random seed of the documents"),
    {.name = NULL},
};

void passkey_document(Text *text, const BuiltinCorpus *corpus, uint64_t index) {
    const uint64_t seed = (uint64_t)corpus->seed, choice = random_bits(random_key(seed, "passkey document"), index);
    const int key = passkey_key(seed, index);
    const int length =
        (int)(corpus->min + (long long)(random_uniform(choice, 0) * (double)(corpus->max - corpus->min + 1)));
    passkey_prompt(text, key, length - (digits_of(key) + (int)sizeof " .\n" - 1), random_uniform(choice, 1));
    text_print(text, " %d.\n", key);
}
