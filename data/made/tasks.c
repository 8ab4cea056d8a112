// The tasks, and at the end the list of all built-in corpora. A task computes everything random from `key`, so that the
// same exercise can be made again.
#include "base/random.h"
#include "data/made/builtin.h"

#define given(exercise, ...) exercise_print(exercise, false, __VA_ARGS__)
#define asked(exercise, ...) exercise_print(exercise, true, __VA_ARGS__)

// Random number i of `key`, uniform in 0..n-1. A writer that needs a symbol again draws it again.
static int draw(uint64_t key, int i, int n) {
    return (int)(random_uniform(key, (uint64_t)i) * n);
}

static char draw_letter(uint64_t key, int i) {
    return (char)('a' + draw(key, i, 26));
}

static void give_letters(Exercise *exercise, const char *title, int length, uint64_t key) {
    given(exercise, "%s: ", title);
    for (int i = 0; i < length; i++) given(exercise, "%c ", draw_letter(key, i));
    given(exercise, "[SEP] ");
}

// "Copy: a b c [SEP] a b c".
static void write_copy(Exercise *exercise, int length, uint64_t key) {
    give_letters(exercise, "Copy", length, key);
    for (int i = 0; i < length; i++) asked(exercise, "%s%c", i ? " " : "", draw_letter(key, i));
}

// "Reverse: a b c [SEP] c b a".
static void write_reverse(Exercise *exercise, int length, uint64_t key) {
    give_letters(exercise, "Reverse", length, key);
    for (int i = length - 1; i >= 0; i--) asked(exercise, "%c%s", draw_letter(key, i), i ? " " : "");
}

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

// "Compute 5 3 + 2 1 ? The answer is 7 4.", first digits first. One number has `length` digits, the other 1 to
// `length`.
static void write_addition(Exercise *exercise, int length, uint64_t key) {
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

// "Sort the following list [ b, a ]. The sorted list is [ a, b ]."
static void write_sort(Exercise *exercise, int length, uint64_t key) {
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

// "Is the number of 1's even in the sequence [ 0, 1 ] ? The answer is No."
static void write_parity(Exercise *exercise, int length, uint64_t key) {
    int ones = 0;
    given(exercise, "Is the number of 1's even in the sequence [ ");
    for (int i = 0; i < length; i++) {
        const int bit = draw(key, i, 2);
        given(exercise, "%d%s", bit, i + 1 < length ? ", " : " ] ? The answer is ");
        ones += bit;
    }
    asked(exercise, ones % 2 == 0 ? "Yes." : "No.");
}

enum { KEYS_MOST = 26 * 26, COLOURS = 8 };

// One letter if 26 keys are enough, else two.
static void give_key(Exercise *exercise, int name) {
    if (exercise->task->keys > 26) given(exercise, "%c", 'a' + name / 26);
    given(exercise, "%c", 'a' + name % 26);
}

// "a3 k7 c1 ? k7": pairs of a key and a value, then one of the keys, or several. Content alone decides: every pair has
// a key of its own, and the order of the pairs is random.
static void write_recall(Exercise *exercise, int length, uint64_t key) {
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

static int longest_recall(const BuiltinCorpus *task, int length) {
    const int letters = task->keys > 26 ? 2 : 1;
    return length * (letters + 2) + 1 + (int)task->questions * (letters + 2);
}

// "kqxbatnwe?x": random letters, then the one `offset` places before their end. Position alone decides: the
// letters are independent of each other.
static void write_offset(Exercise *exercise, int length, uint64_t key) {
    for (int i = 0; i < length; i++) given(exercise, "%c", draw_letter(key, i));
    given(exercise, "?");
    asked(exercise, "%c", draw_letter(key, length - (int)exercise->task->offset));
}

// "b3 a1 b7 c2 ? b7": pairs of a key and a value, then a key that occurs at least twice, whose latest value is the
// answer. Content finds the key, recency the value.
static void write_duplicate(Exercise *exercise, int length, uint64_t key) {
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

// "w1i0i1r1i0r1.": instructions with a bit each. w writes its bit, i is to be ignored, r reads what was last written
// (Liu et al. 2023, 2306.00946). The first is a w, the last an r, and every read is a question.
static void write_flipflop(Exercise *exercise, int length, uint64_t key) {
    const uint64_t bits = random_key(key, "bits");
    const double ignore = exercise->task->ignore;
    int memory = 0;
    for (int i = 0; i < length; i++) {
        const double chance = random_uniform(key, (uint64_t)i);
        const bool ignored = chance < ignore, written = chance < ignore + (1 - ignore) / 2;
        const char instruction = i == 0 ? 'w' : i == length - 1 ? 'r' : ignored ? 'i' : written ? 'w' : 'r';
        const int bit = instruction == 'r' ? memory : draw(bits, i, 2);
        given(exercise, "%c", instruction);
        exercise_print(exercise, instruction == 'r', "%d", bit);
        if (instruction == 'w') memory = bit;
    }
    given(exercise, "."); // the length is random, so its end is not asked
}

// A grid of cells in eight colours row by row, an empty line, and the grid again, upside down and shifted right by one
// column, so that the last column becomes the first. The longer side is `length`, the other one 2 to `length` (1 in a
// grid of one cell), so the distance in the text between cells of one column differs from grid to grid.
static void write_grid(Exercise *exercise, int length, uint64_t key) {
    const uint64_t cells = random_key(key, "cells");
    const int other = length > 1 ? 2 + draw(key, 0, length - 1) : 1;
    const bool upright = draw(key, 1, 2);
    const int height = upright ? length : other, width = upright ? other : length;
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++)
            given(exercise, "%d", draw(cells, row * width + column, COLOURS));
        given(exercise, "\n");
    }
    given(exercise, "\n");
    for (int row = height - 1; row >= 0; row--)
        for (int column = 0; column < width; column++) {
            const int from = (column + width - 1) % width;
            asked(exercise, "%d%s", draw(cells, row * width + from, COLOURS),
                  column + 1 == width && row > 0 ? "\n" : "");
        }
}

static int longest_grid(const BuiltinCorpus *task, int length) {
    return 2 * length * (length + 1);
}

// --- all built-in corpora ---

#define LENGTH_ROWS(least, shortest, longest)                                                                          \
    BUILTIN_ROW(min, shortest, least, 10000, "shortest length to train on"),                                           \
        BUILTIN_ROW(max, longest, 1, 10000, "longest length to train on"),                                             \
        BUILTIN_ROW(bytes, "1e6", 1000, 1e12, "size of its plain text; training makes exercises of its own"),          \
        BUILTIN_ROW(seed, "1337", 0, 1e15, "random seed of the exercises")
#define OPTIONS(...)                                                                                                   \
    (const Option[]) {                                                                                                 \
        __VA_ARGS__, {                                                                                                 \
            .name = NULL                                                                                               \
        }                                                                                                              \
    }

// For a task: the longest exercise of a length has the characters of `frame`, and `each` more for every unit of length.
#define TASK_ROW(name, help, counts, write, frame, each, ...)                                                          \
    { name, help, OPTIONS(__VA_ARGS__), NULL, counts, write, sizeof frame - 1, each, NULL }

const Builtin builtins[] = {
    [BUILTIN_TALES] = {.name = "tales",
                       .help = "little stories in which what was said early decides what is said later",
                       .document = tales_document,
                       .options = OPTIONS(BUILTIN_ROW(bytes, "1e7", 1000, 1e12, "size of the corpus"),
                                          BUILTIN_ROW(seed, "1337", 0, 1e15, "random seed of the corpus"))},
    [BUILTIN_PASSKEY] = {.name = "passkey",
                         .help = "a number given once in a text without other information, and asked for at its end",
                         .counts = "characters",
                         .document = passkey_document,
                         .options = passkey_options},
    TASK_ROW("copy", "random letters, and the same once more", "letters", write_copy, "Copy: [SEP]", 4,
             LENGTH_ROWS(1, "1", "20")),
    TASK_ROW("reverse", "random letters, and the same from last to first", "letters", write_reverse, "Reverse: [SEP]",
             4, LENGTH_ROWS(1, "1", "20")),
    TASK_ROW("addition", "the sum of two numbers", "digits of the longer number", write_addition,
             "Compute + ? The answer is 1.", 6, LENGTH_ROWS(1, "1", "8")),
    TASK_ROW("sort", "random letters, and the same in alphabetical order", "letters", write_sort,
             "Sort the following list []. The sorted list is [].", 6, LENGTH_ROWS(1, "1", "8")),
    TASK_ROW("parity", "random bits, and whether the number of ones is even", "bits", write_parity,
             "Is the number of 1's even in the sequence [] ? The answer is Yes.", 3, LENGTH_ROWS(1, "1", "8")),
    {.name = "recall",
     .help = "keys with their values, and one of the keys again: what was its value?",
     .counts = "pairs",
     .write = write_recall,
     .longest = longest_recall,
     .options = OPTIONS(
         LENGTH_ROWS(1, "1", "8"), BUILTIN_ROW(keys, "26", 1, KEYS_MOST, "different keys"),
         BUILTIN_ROW(questions, "1", 1, 10000, "keys that are asked for, one after the other; more teach faster"))},
    TASK_ROW("offset", "random letters, and the one that stands a fixed number of places back", "letters", write_offset,
             "?a", 1, LENGTH_ROWS(1, "8", "20"),
             BUILTIN_ROW(offset, "8", 1, 10000, "how far back the answer stands; 1 = the last letter")),
    TASK_ROW("duplicate", "keys that come again with other values, and one of them: what was its latest value?",
             "pairs", write_duplicate, "? a1", 3, LENGTH_ROWS(2, "2", "8"),
             BUILTIN_ROW(keys, "4", 1, 26, "different keys")),
    TASK_ROW("flipflop", "instructions to write a bit, to ignore one and to read the one last written", "instructions",
             write_flipflop, ".", 2, LENGTH_ROWS(2, "64", "64"),
             NUMBER_ROW("ignore", offsetof(BuiltinCorpus, ignore), "0.8", 0, 1, "P",
                        "probability of an instruction to ignore; writes and reads share the rest")),
    {.name = "grid",
     .help = "a grid of colours row by row, and the same upside down and shifted by a column",
     .counts = "cells of the longer side",
     .write = write_grid,
     .longest = longest_grid,
     .options = OPTIONS(LENGTH_ROWS(1, "2", "6"))},
    {.name = NULL},
};
