// builtin:parity: "Is the number of 1's even in the sequence [ 0, 1 ] ? The answer is No."
#include "data/made/task.h"

static void write(Exercise *exercise, int length, uint64_t key) {
    int ones = 0;
    given(exercise, "Is the number of 1's even in the sequence [ ");
    for (int i = 0; i < length; i++) {
        const int bit = draw(key, i, 2);
        given(exercise, "%d%s", bit, i + 1 < length ? ", " : " ] ? The answer is ");
        ones += bit;
    }
    asked(exercise, ones % 2 == 0 ? "Yes." : "No.");
}

static const Option options[] = {TASK_OPTION_ROWS("1", "8"), {.name = NULL}};

const Builtin builtin_parity = {
    .name = "parity",
    .help = "random bits, and whether the number of ones is even",
    .counts = "bits",
    .options = options,
    .write = write,
    .fixed = sizeof "Is the number of 1's even in the sequence [] ? The answer is Yes." - 1,
    .each = 3,
};
