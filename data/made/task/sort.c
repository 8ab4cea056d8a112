// builtin:sort: "Sort the following list [ b, a ]. The sorted list is [ a, b ]."
#include "data/made/task.h"

static void write(Exercise *exercise, int length, uint64_t key) {
    int count[26] = {0}, left = length;
    given(exercise, "Sort the following list [ ");
    for (int i = 0; i < length; i++) {
        const char letter = draw_letter(key, i);
        given(exercise, "%c%s", letter, i + 1 < length ? ", " : " ]. The sorted list is [ ");
        count[letter - 'a']++;
    }
    for (int letter = 0; letter < 26; letter++)
        for (; count[letter] > 0; count[letter]--) asked(exercise, "%c%s", 'a' + letter, --left > 0 ? ", " : " ].");
}

static const Option options[] = {TASK_OPTION_ROWS("1", "8"), {.name = NULL}};

const Builtin builtin_sort = {
    .name = "sort",
    .help = "random letters, and the same in alphabetical order",
    .counts = "letters",
    .options = options,
    .write = write,
    .fixed = sizeof "Sort the following list []. The sorted list is []." - 1,
    .each = 6,
};
