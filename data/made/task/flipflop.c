// builtin:flipflop: "w1i0i1r1i0r1.": instructions with a bit each. w writes its bit, i is to be ignored, r reads what
// was last written (Liu et al. 2023, 2306.00946). The first is a w, the last an r, and every read is a question.
#include "data/made/task.h"

static void write(Exercise *exercise, int length, uint64_t key) {
    const uint64_t bits = random_key(key, "bits");
    const double ignore = exercise->task->ignore;
    int memory = 0;
    for (int i = 0; i < length; i++) {
        const double chance = random_uniform(key, (uint64_t)i);
        const bool ignored = chance < ignore, written = chance < ignore + (1 - ignore) / 2;
        const char instruction = i == 0 ? 'w' : i == length - 1 ? 'r' : ignored ? 'i' : written ? 'w' : 'r';
        const int bit = instruction == 'r' ? memory : draw(bits, i, 2);
        given(exercise, "%c", instruction);
        if (instruction == 'r')
            asked(exercise, "%d", bit);
        else
            given(exercise, "%d", bit);
        if (instruction == 'w') memory = bit;
    }
    given(exercise, "."); // the length is random, so its end is not asked
}

static const char *check(const BuiltinCorpus *task, int length) {
    return length < 2 ? "there is at least one write and one read" : NULL;
}

static const Option options[] = {
    TASK_OPTION_ROWS("64", "64"),
    NUMBER_ROW("ignore", offsetof(BuiltinCorpus, ignore), "0.8", 0, 1, "P",
               "probability of an instruction to ignore; writes and reads share the rest"),
    {.name = NULL},
};

const Builtin builtin_flipflop = {
    .name = "flipflop",
    .help = "instructions to write a bit, to ignore one and to read the one last written",
    .counts = "instructions",
    .options = options,
    .write = write,
    .fixed = sizeof "." - 1,
    .each = 2,
    .check = check,
};
