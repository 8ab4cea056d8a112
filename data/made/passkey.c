#include "data/made/passkey.h"

#include "base/random.h"

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

void passkey_answer(Text *text, int key) {
    text_print(text, " %d.\n", key);
}

int passkey_answer_length(int key) {
    return digits_of(key) + (int)sizeof " .\n" - 1;
}

bool passkey_right(const char *continuation, size_t size, int key) {
    size_t at = 0;
    while (at < size && !isdigit((unsigned char)continuation[at])) at++;
    int number = 0;
    for (; at < size && isdigit((unsigned char)continuation[at]) && number <= PASSKEY_MOST; at++)
        number = 10 * number + (continuation[at] - '0');
    return number == key;
}
