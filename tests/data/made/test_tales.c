// builtin:tales: the promises about every document are checked on thousands of them, and each check is shown to be able
// to fail.
#include "base/random.h"
#include "data/made/builtin.h"
#include "tests/support/support.h"

#include <zlib.h>

enum { SEED = 1337, MANY = 4000, MAX_LISTS = 8, MAX_ITEMS = 16, ITEM_SIZE = 64, MAX_STEPS = 32, LINE_SIZE = 160 };

// Document `index`, terminated by a 0 that is not counted in its size.
static Text document(uint64_t seed, uint64_t index) {
    Text text = {0};
    builtin_document(&text, &(BuiltinCorpus){.builtin = &builtin_tales, .seed = (long long)seed}, index);
    text_add(&text, "", 1);
    assert_false(text.failed);
    text.size--;
    return text;
}

static void check_many(bool (*holds)(const char *document)) {
    for (uint64_t index = 0; index < MANY; index++) {
        Text text = document(SEED, index);
        if (!holds(text.bytes)) fail_msg("document %d:\n%s", (int)index, text.bytes);
        text_free(&text);
    }
}

static void sizes_are_within_limits_and_spread(void **state) {
    int small = 0, medium = 0, large = 0;
    for (uint64_t index = 0; index < 20000; index++) {
        Text text = document(SEED, index);
        assert_in_range(text.size, 200, 4000);
        small += text.size < 500;
        medium += text.size >= 1000 && text.size < 2000;
        large += text.size > 3000;
        text_free(&text);
    }
    assert_in_range(small, 1000, 10000);
    assert_in_range(medium, 1000, 10000);
    assert_in_range(large, 1000, 10000);
}

static void document_depends_on_seed_and_index_only(void **state) {
    Text all = {0};
    size_t start[21] = {0};
    for (int index = 0; index < 20; index++) {
        builtin_document(&all, &(BuiltinCorpus){.builtin = &builtin_tales, .seed = SEED}, (uint64_t)index);
        start[index + 1] = all.size;
    }
    for (int index = 19; index >= 0; index--) {
        Text alone = document(SEED, (uint64_t)index), other = document(SEED + 1, (uint64_t)index);
        assert_int_equal(alone.size, start[index + 1] - start[index]);
        assert_memory_equal(alone.bytes, all.bytes + start[index], alone.size);
        assert_string_not_equal(alone.bytes, other.bytes);
        text_free(&alone);
        text_free(&other);
    }
    text_free(&all);
}

// Printable ASCII and newlines, nothing left of the templates, no double blanks inside a line, a newline at the end.
static bool is_clean(const char *document) {
    for (const char *c = document; *c; c++) {
        if (*c != '\n' && (*c < 32 || *c > 126)) return false;
        if (strchr("{}<>|", *c)) return false;
        if (c[0] == ' ' && c[1] == ' ' && c > document && c[-1] != '\n' && c[-1] != ' ') return false;
        if (c[0] == ' ' && c[1] == '\n') return false;
    }
    const size_t size = strlen(document);
    return size > 1 && document[size - 1] == '\n' && document[size - 2] != '\n';
}

static void documents_are_clean_ascii(void **state) {
    assert_false(is_clean("caf\xC3\xA9\n"));
    assert_false(is_clean("the {X}\n"));
    assert_false(is_clean("two  blanks\n"));
    assert_false(is_clean("no end"));
    check_many(is_clean);
}

// Brackets close in the order they were opened, and quotes within their line.
static bool is_balanced(const char *document) {
    char open[64];
    int depth = 0, quotes = 0;
    for (const char *c = document; *c; c++) {
        if (*c == '"') quotes++;
        if (*c == '\n' && quotes % 2) return false;
        if (*c == '(' || *c == '[') {
            if (depth == (int)sizeof open) return false;
            open[depth++] = *c;
        }
        if (*c == ')' && (depth == 0 || open[--depth] != '(')) return false;
        if (*c == ']' && (depth == 0 || open[--depth] != '[')) return false;
    }
    return depth == 0;
}

static void brackets_and_quotes_balance(void **state) {
    assert_true(is_balanced("a (b [c (d)]) \"e\"\n"));
    assert_false(is_balanced("a (b [c)]\n"));
    assert_false(is_balanced("a (b\n"));
    assert_false(is_balanced("\"a\n\"\n"));
    check_many(is_balanced);
}

// An article fits the sound of the next letter; all words of the vocabulary are said as they are spelt.
static bool articles_fit(const char *document) {
    for (const char *c = strchr(document, ' '); c; c = strchr(c + 1, ' ')) {
        if (strncmp(c, " a ", 3) == 0 && strchr("aeiou", c[3])) return false;
        if (strncmp(c, " an ", 4) == 0 && !strchr("aeiou", c[4])) return false;
    }
    return true;
}

static void articles_fit_their_nouns(void **state) {
    assert_false(articles_fit("it is a owl\n"));
    assert_false(articles_fit("it is an crow\n"));
    check_many(articles_fit);
}

// "the pears from step 2": an earlier step, which speaks of pears; a mixture comes from a step that joins two things.
static bool product_is_there(const char *reference, const char *origin) {
    const char *end = strstr(reference, " from step ");
    const char *start = end;
    while (start > reference && strncmp(start, "the ", 4) != 0) start--;
    char product[LINE_SIZE];
    snprintf(product, sizeof product, "%.*s", (int)(end - start - 4), start + 4);
    if (strstr(origin, product)) return true;
    const char *first = strstr(origin, " from step ");
    return strcmp(product, "mixture") == 0 && first && strstr(first + 1, " from step ");
}

static bool step_line_is_sound(const char *line, char steps[MAX_STEPS][LINE_SIZE], int number) {
    for (const char *from = line; (from = strstr(from, " from step ")); from++) {
        const int earlier = atoi(from + strlen(" from step "));
        if (earlier < 1 || earlier >= number) return false;
        const char *clause = strstr(line, " the ");
        while (strstr(clause + 1, " the ") && strstr(clause + 1, " the ") < from) clause = strstr(clause + 1, " the ");
        if (!product_is_there(clause + 1, steps[earlier])) return false;
    }
    return true;
}

// Steps are numbered 1, 2, ..., refer backwards, and are quoted later word for word.
static bool recipe_is_sound(const char *document) {
    char steps[MAX_STEPS][LINE_SIZE] = {""};
    int count = 0;
    for (const char *line = document; *line; line = strchr(line, '\n') + 1) {
        char copy[4096];
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
        char *text;
        if (strtol(copy, &text, 10) > 0 && strncmp(text, ". ", 2) == 0) {
            if (atoi(copy) != ++count || count == MAX_STEPS) return false;
            if (!step_line_is_sound(copy, steps, count)) return false;
            snprintf(steps[count], sizeof steps[count], "%.*s", LINE_SIZE - 1, text + 2);
            continue;
        }
        for (const char *step = copy; (step = strstr(step, "step ")); step++) {
            const int number = atoi(step + strlen("step "));
            if (number < 1 || number > count) return false;
            if (step - copy > 5 && strncmp(step - 5, "from ", 5) == 0) continue;
            if (!strstr(step, steps[number])) return false;
        }
    }
    return true;
}

static void recipe_steps_refer_to_earlier_steps(void **state) {
    assert_true(recipe_is_sound("1. Chop two figs.\n2. Stir the figs from step 1 five times.\n"));
    assert_false(recipe_is_sound("1. Chop two figs.\n2. Stir the figs from step 2 five times.\n"));
    assert_false(recipe_is_sound("1. Chop two figs.\n2. Peel a pear.\n3. Stir the figs from step 2 five times.\n"));
    assert_false(recipe_is_sound("1. Chop two figs.\n3. Peel a pear.\n"));
    assert_false(recipe_is_sound("1. Chop two figs.\n\"What is step 1?\" \"Chop two pears.\"\n"));
    assert_false(recipe_is_sound("1. Chop two figs.\n\"What is step 4?\" \"Chop two figs.\"\n"));
    check_many(recipe_is_sound);
}

typedef struct {
    char items[MAX_ITEMS][ITEM_SIZE];
    int count;
} ParsedList;

// "a, b, and c." -> its items.
static ParsedList parse_list(const char *text) {
    ParsedList list = {.count = 0};
    const char *end = text + strcspn(text, ".\n");
    while (text < end && list.count < MAX_ITEMS) {
        if (strncmp(text, "and ", 4) == 0) text += 4;
        const size_t length = strcspn(text, ",.\n");
        snprintf(list.items[list.count++], ITEM_SIZE, "%.*s", (int)length, text);
        text += length;
        text += strspn(text, ", ");
    }
    return list;
}

static bool same_list(const ParsedList *a, const ParsedList *b, bool backwards) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        if (strcmp(a->items[i], b->items[backwards ? b->count - 1 - i : i]) != 0) return false;
    }
    return true;
}

// The number of a " the third stop ... was " at `text`, and where its item begins; 0 when it is something else.
static int parse_ordinal(const char *text, const char **item) {
    static const char *const ordinals[] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh"};
    static const char *const ones[] = {"thing", "part",  "gift",     "stop",   "village",
                                       "name",  "guest", "ancestor", "animal", "flag"};
    for (int number = 1; number <= 7; number++) {
        for (size_t one = 0; one < COUNT(ones); one++) {
            char phrase[ITEM_SIZE];
            snprintf(phrase, sizeof phrase, " the %s %s ", ordinals[number - 1], ones[one]);
            if (strncmp(text, phrase, strlen(phrase)) != 0) continue;
            *item = strstr(text, " was ");
            return *item ? number : 0;
        }
    }
    return 0;
}

typedef struct {
    ParsedList lists[MAX_LISTS];
    int count;
} ParsedLists;

static bool repeats_one(const ParsedLists *known, const char *text, bool backwards) {
    const ParsedList repeated = parse_list(text);
    for (int i = 0; i < known->count; i++) {
        if (same_list(&repeated, &known->lists[i], backwards)) return true;
    }
    return false;
}

static bool has_item(const ParsedLists *known, int number, const char *text) {
    const ParsedList single = parse_list(text);
    for (int i = 0; i < known->count; i++) {
        const ParsedList *list = &known->lists[i];
        if (number <= list->count && strcmp(list->items[number - 1], single.items[0]) == 0) return true;
    }
    return false;
}

static bool begins(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

// What is repeated of a list is what was said when the list came up.
static bool lists_are_repeated(const char *document) {
    static const char order[] = " in this order: ", forwards[] = " from first to last: ",
                      backwards[] = " from last to first: ";
    ParsedLists known = {.count = 0};
    for (const char *c = strchr(document, ' '), *item; c; c = strchr(c + 1, ' ')) {
        if (begins(c, order) && known.count < MAX_LISTS) known.lists[known.count++] = parse_list(c + strlen(order));
        if (begins(c, forwards) && !repeats_one(&known, c + strlen(forwards), false)) return false;
        if (begins(c, backwards) && !repeats_one(&known, c + strlen(backwards), true)) return false;
        const int number = begins(c, " the ") ? parse_ordinal(c, &item) : 0;
        if (number > 0 && !has_item(&known, number, item + strlen(" was "))) return false;
    }
    return true;
}

static void lists_are_repeated_as_introduced(void **state) {
    assert_true(lists_are_repeated("A list, in this order: a, b, and c. It was from last to first: c, b, and a.\n"));
    assert_false(lists_are_repeated("A list, in this order: a, b, and c. It was from last to first: a, b, and c.\n"));
    assert_false(lists_are_repeated("A list, in this order: a, b, and c. It was from first to last: a, b.\n"));
    assert_true(lists_are_repeated("A list, in this order: a, b, and c. Yes: the third thing of it was c.\n"));
    assert_false(lists_are_repeated("A list, in this order: a, b, and c. Yes: the third thing of it was b.\n"));
    check_many(lists_are_repeated);
}

// Every longer word of "The brass key is still under the rug in the mill, where Mirela hid it." was said before.
static bool hidden_things_were_hidden(const char *document) {
    const char *hid = strstr(document, " hid it.\n");
    if (!hid) return true;
    const char *start = hid;
    while (start > document && start[-1] != '\n' && !(start[-2] == '.' && start[-1] == ' ')) start--;
    if (strncmp(start, "The ", 4) != 0) return true; // an answer in a talk
    for (const char *word = start + 4; word < hid; word += strspn(word, " ,")) {
        char copy[ITEM_SIZE];
        const size_t length = strcspn(word, " ,");
        snprintf(copy, sizeof copy, "%.*s", (int)length, word);
        const char *said = strstr(document, copy);
        if (length > 3 && strcmp(copy, "still") && strcmp(copy, "where") && said >= start) return false;
        word += length;
    }
    return true;
}

static void the_end_tells_what_the_story_told(void **state) {
    static const char story[] = "Mia took the tin key. She hid it in a jug in the mill.\n\n";
    char whole[256];
    snprintf(whole, sizeof whole, "%sThe tin key is still in the jug in the mill, where Mia hid it.\n", story);
    assert_true(hidden_things_were_hidden(whole));
    snprintf(whole, sizeof whole, "%sThe tin key is still in the jug in the barn, where Mia hid it.\n", story);
    assert_false(hidden_things_were_hidden(whole));
    check_many(hidden_things_were_hidden);
}

static void lists_return_near_and_far(void **state) {
    int near = 0, far = 0;
    for (uint64_t index = 0; index < MANY; index++) {
        Text text = document(SEED, index);
        const char *order = strstr(text.bytes, " in this order: ");
        for (const char *again = order; again && (again = strstr(again, " from first to last: ")); again++) {
            near += again - order < 300;
            far += again - order > 1000;
        }
        text_free(&text);
    }
    assert_in_range(near, MANY / 100, MANY);
    assert_in_range(far, MANY / 20, MANY);
}

static void text_is_neither_noise_nor_a_refrain(void **state) {
    Text text = {0};
    for (uint64_t index = 0; text.size < 1000000; index++)
        builtin_document(&text, &(BuiltinCorpus){.builtin = &builtin_tales, .seed = SEED}, index);
    uLongf size = compressBound(text.size);
    Bytef *compressed = malloc(size);
    assert_non_null(compressed);
    assert_int_equal(compress2(compressed, &size, (const Bytef *)text.bytes, text.size, 6), Z_OK);
    const double ratio = (double)text.size / (double)size; // 4.0 when this was written
    assert_true(ratio > 2.5 && ratio < 4.5);
    free(compressed);
    text_free(&text);
}

static int compare_hashes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void no_document_repeats(void **state) {
    static uint64_t hashes[10000];
    for (uint64_t index = 0; index < 10000; index++) {
        Text text = document(SEED, index);
        hashes[index] = random_key(0, text.bytes);
        text_free(&text);
    }
    qsort(hashes, 10000, sizeof *hashes, compare_hashes);
    for (int i = 1; i < 10000; i++) assert_true(hashes[i - 1] != hashes[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_within_limits_and_spread),
        cmocka_unit_test(document_depends_on_seed_and_index_only),
        cmocka_unit_test(documents_are_clean_ascii),
        cmocka_unit_test(brackets_and_quotes_balance),
        cmocka_unit_test(articles_fit_their_nouns),
        cmocka_unit_test(recipe_steps_refer_to_earlier_steps),
        cmocka_unit_test(lists_are_repeated_as_introduced),
        cmocka_unit_test(the_end_tells_what_the_story_told),
        cmocka_unit_test(lists_return_near_and_far),
        cmocka_unit_test(text_is_neither_noise_nor_a_refrain),
        cmocka_unit_test(no_document_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
