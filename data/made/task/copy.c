// builtin:copy: "Copy: a b c [SEP] a b c".
#include "data/made/task.h"

static void write(Exercise *exercise, int length, uint64_t key) {
    given(exercise, "Copy: ");
    for (int i = 0; i < length; i++) given(exercise, "%c ", draw_letter(key, i));
    given(exercise, "[SEP] ");
    for (int i = 0; i < length; i++) asked(exercise, "%s%c", i ? " " : "", draw_letter(key, i));
}

static const Option options[] = {TASK_OPTION_ROWS("1", "20"), {.name = NULL}};

const Builtin builtin_copy = {
    .name = "copy",
    .help = "random letters, and the same once more",
    .counts = "letters",
    .options = options,
    .write = write,
    .fixed = sizeof "Copy: [SEP]" - 1,
    .each = 4,
};
