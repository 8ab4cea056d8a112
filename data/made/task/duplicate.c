// builtin:duplicate: "b3 a1 b7 c2 ? b7": pairs of a key and a value, then a key that occurs at least twice, whose
// latest value is the answer. Content finds the key, recency the value.
#include "data/made/task.h"

static void write(Exercise *exercise, int length, uint64_t key) {
    const uint64_t names = random_key(key, "names"), values = random_key(key, "values");
    const int keys = (int)exercise->task->keys, wanted = draw(key, 0, keys), answer = draw(key, 1, 10);
    // Two different places always hold the key; the others hold any key.
    const int one = draw(key, 2, length), other = (one + 1 + draw(key, 3, length - 1)) % length;
    int latest = 0;
    for (int i = 0; i < length; i++)
        if (i == one || i == other || draw(names, i, keys) == wanted) latest = i;
    for (int i = 0; i < length; i++) {
        const int name = i == one || i == other ? wanted : draw(names, i, keys);
        // At its earlier places, the key has any value except the answer.
        const int stale = (answer + 1 + draw(values, i, 9)) % 10, any = draw(values, i, 10);
        given(exercise, "%c%d ", 'a' + name, i == latest ? answer : name == wanted ? stale : any);
    }
    given(exercise, "? %c", 'a' + wanted);
    asked(exercise, "%d", answer);
}

static const char *check(const BuiltinCorpus *task, int length) {
    return length < 2 ? "the key in question comes at least twice" : NULL;
}

static const Option options[] = {
    TASK_OPTION_ROWS("2", "8"),
    BUILTIN_ROW(keys, "4", 1, 26, "different keys"),
    {.name = NULL},
};

const Builtin builtin_duplicate = {
    .name = "duplicate",
    .help = "keys that come again with other values, and one of them: what was its latest value?",
    .counts = "pairs",
    .options = options,
    .write = write,
    .fixed = sizeof "? a1" - 1,
    .each = 3,
    .check = check,
};
