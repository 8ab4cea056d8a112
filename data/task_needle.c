// builtin:needle: the passkey test as a task: one document a row, and only the number at its end counts.
#include "data/passkey.h"
#include "data/task.h"

static void write(Exercise *exercise, const BuiltinCorpus *task, int length, uint64_t key) {
    (void)task;
    const int number = passkey_key(key, 0);
    Text prompt = {0};
    passkey_prompt(&prompt, number, length, random_uniform(key, 1));
    given(exercise, "%.*s", (int)prompt.size, prompt.bytes);
    asked(exercise, " %d", number);
    given(exercise, ".");
    if (prompt.failed) exercise->text.failed = true;
    text_free(&prompt);
}

static int longest(const BuiltinCorpus *task, int length) {
    (void)task;
    return length + (int)sizeof " 50000." - 1;
}

static const char *check(const BuiltinCorpus *task, int length) {
    (void)task;
    return length < PASSKEY_SHORTEST ? "the text around the number alone is longer" : NULL;
}

static const Option options[] = {TASK_OPTION_ROWS("247", "300"), {.name = NULL}};

const Builtin builtin_needle = {
    .name = "needle",
    .help = "a number told once in a text that says nothing, and asked for at its end",
    .counts = "characters",
    .options = options,
    .write = write,
    .longest = longest,
    .check = check,
};
