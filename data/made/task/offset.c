// builtin:offset: "kqxbatnwe?x": random letters, then the one that stands `offset` places before their end. Position
// alone decides: the letters are independent of each other.
#include "data/made/task.h"

static void write(Exercise *exercise, int length, uint64_t key) {
    for (int i = 0; i < length; i++) given(exercise, "%c", draw_letter(key, i));
    given(exercise, "?");
    asked(exercise, "%c", draw_letter(key, length - (int)exercise->task->offset));
}

static const char *check(const BuiltinCorpus *task, int length) {
    return length < task->offset ? "a string must be at least as long as the offset" : NULL;
}

static const Option options[] = {
    TASK_OPTION_ROWS("8", "20"),
    BUILTIN_ROW(offset, "8", 1, 10000, "how far back the answer stands; 1 = the last letter"),
    {.name = NULL},
};

const Builtin builtin_offset = {
    .name = "offset",
    .help = "random letters, and the one that stands a fixed number of places back",
    .counts = "letters",
    .options = options,
    .write = write,
    .fixed = sizeof "?a" - 1,
    .each = 1,
    .check = check,
};
