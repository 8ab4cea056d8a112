// builtin:reverse: "Reverse: a b c [SEP] c b a".
#include "data/made/task.h"

static void write(Exercise *exercise, int length, uint64_t key) {
    given(exercise, "Reverse: ");
    for (int i = 0; i < length; i++) given(exercise, "%c ", draw_letter(key, i));
    given(exercise, "[SEP] ");
    for (int i = length - 1; i >= 0; i--) asked(exercise, "%c%s", draw_letter(key, i), i ? " " : "");
}

static const Option options[] = {TASK_OPTION_ROWS("1", "20"), {.name = NULL}};

const Builtin builtin_reverse = {
    .name = "reverse",
    .help = "random letters, and the same from last to first",
    .counts = "letters",
    .options = options,
    .write = write,
    .fixed = sizeof "Reverse: [SEP]" - 1,
    .each = 4,
};
