// builtin:recall: "a3 k7 c1 ? k7": pairs of a key and a value, then one of the keys, or several. Content alone decides:
// every pair has a key of its own, and the order of the pairs is random.
#include "data/made/task.h"

enum { KEYS_MOST = 26 * 26 };

// One letter if 26 keys are enough, else two.
static void give_key(Exercise *exercise, int name) {
    if (exercise->task->keys > 26) given(exercise, "%c", 'a' + name / 26);
    given(exercise, "%c", 'a' + name % 26);
}

static void write(Exercise *exercise, int length, uint64_t key) {
    const uint64_t names = random_key(key, "names"), values = random_key(key, "values");
    const uint64_t keys = (uint64_t)exercise->task->keys;
    for (int i = 0; i < length; i++) {
        give_key(exercise, (int)random_permute((uint64_t)i, keys, names));
        given(exercise, "%d ", draw(values, i, 10));
    }
    given(exercise, "?");
    for (int q = 0; q < exercise->task->questions; q++) {
        const int wanted = draw(key, q, length);
        given(exercise, " ");
        give_key(exercise, (int)random_permute((uint64_t)wanted, keys, names));
        asked(exercise, "%d", draw(values, wanted, 10));
    }
}

static int longest(const BuiltinCorpus *task, int length) {
    const int letters = task->keys > 26 ? 2 : 1;
    return length * (letters + 2) + 1 + (int)task->questions * (letters + 2);
}

static const char *check(const BuiltinCorpus *task, int length) {
    return length > task->keys ? "every pair has its own key, so there are at most as many pairs as keys" : NULL;
}

static const Option options[] = {
    TASK_OPTION_ROWS("1", "8"),
    BUILTIN_ROW(keys, "26", 1, KEYS_MOST, "different keys"),
    BUILTIN_ROW(questions, "1", 1, 10000, "keys that are asked for, one after the other; more teach faster"),
    {.name = NULL},
};

const Builtin builtin_recall = {
    .name = "recall",
    .help = "keys with their values, and one of the keys again: what was its value?",
    .counts = "pairs",
    .options = options,
    .write = write,
    .longest = longest,
    .check = check,
};
