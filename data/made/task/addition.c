// builtin:addition: "Compute 5 3 + 2 1 ? The answer is 7 4.", first digits first.
#include "data/made/task.h"

// A number of `digits` digits; digit 0 is the last one. The first is not 0, unless it is the only one.
typedef struct {
    uint64_t key;
    int digits;
} Number;

static int digit(Number number, int i) {
    if (i >= number.digits) return 0;
    return i > 0 && i == number.digits - 1 ? 1 + draw(number.key, i, 9) : draw(number.key, i, 10);
}

// The carry into digit i: digits that add up to 9 pass on the carry from below.
static int carry(Number a, Number b, int i) {
    while (--i >= 0)
        if (digit(a, i) + digit(b, i) != 9) return digit(a, i) + digit(b, i) > 9;
    return 0;
}

static void give_number(Exercise *exercise, Number number) {
    for (int i = number.digits - 1; i >= 0; i--) given(exercise, "%d ", digit(number, i));
}

// One of the two numbers has `length` digits, the other 1 to `length`.
static void write(Exercise *exercise, int length, uint64_t key) {
    const int other = 1 + draw(key, 0, length), first_is_longer = draw(key, 1, 2);
    const Number a = {random_key(key, "a"), first_is_longer ? length : other};
    const Number b = {random_key(key, "b"), first_is_longer ? other : length};
    given(exercise, "Compute ");
    give_number(exercise, a);
    given(exercise, "+ ");
    give_number(exercise, b);
    given(exercise, "? The answer is ");
    const int digits = length + carry(a, b, length);
    for (int i = digits - 1; i >= 0; i--)
        asked(exercise, "%d%s", (digit(a, i) + digit(b, i) + carry(a, b, i)) % 10, i ? " " : ".");
}

static const Option options[] = {TASK_OPTION_ROWS("1", "8"), {.name = NULL}};

const Builtin builtin_addition = {
    .name = "addition",
    .help = "the sum of two numbers",
    .counts = "digits of the longer number",
    .options = options,
    .write = write,
    .fixed = sizeof "Compute + ? The answer is 1." - 1,
    .each = 6,
};
