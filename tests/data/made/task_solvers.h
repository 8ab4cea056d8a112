// Solvers of the tasks, written independently of the generators: each computes the answer from the text of a question.
#ifndef BITTER_TASK_SOLVERS_H
#define BITTER_TASK_SOLVERS_H

#include "data/made/builtin.h"
#include "tests/support/support.h"

#include <ctype.h>

enum { TEXT_MOST = 4096 };

// Each solver writes the whole answer to `question`, which is the text before the first asked byte, and returns the
// exercise's length. Any format but the expected one is a failure.

static inline const char *behind(const char *at, const char *word) {
    if (strncmp(at, word, strlen(word)) != 0) fail_msg("no '%s' at: %s", word, at);
    return at + strlen(word);
}

// Characters with `separator` between them, up to `end`, which must be the rest of the text.
static inline int read_items(char *items, const char *at, const char *separator, const char *end) {
    int count = 0;
    for (;;) {
        items[count++] = *at++;
        if (strcmp(at, end) == 0) break;
        at = behind(at, separator);
    }
    items[count] = 0;
    return count;
}

static inline void write_items(char *answer, const char *items, const char *separator, const char *end) {
    *answer = 0;
    for (; *items; items++) sprintf(answer + strlen(answer), "%c%s", *items, items[1] ? separator : end);
}

static inline int compare_characters(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b;
}

static inline int solve_copy(char *answer, const char *question, const BuiltinCorpus *task) {
    char items[TEXT_MOST];
    const int count = read_items(items, behind(question, "Copy: "), " ", " [SEP] ");
    write_items(answer, items, " ", "");
    return count;
}

static inline int solve_reverse(char *answer, const char *question, const BuiltinCorpus *task) {
    char items[TEXT_MOST], reversed[TEXT_MOST] = "";
    const int count = read_items(items, behind(question, "Reverse: "), " ", " [SEP] ");
    for (int i = 0; i < count; i++) reversed[i] = items[count - 1 - i];
    write_items(answer, reversed, " ", "");
    return count;
}

static inline int solve_sort(char *answer, const char *question, const BuiltinCorpus *task) {
    char items[TEXT_MOST];
    const int count =
        read_items(items, behind(question, "Sort the following list [ "), ", ", " ]. The sorted list is [ ");
    qsort(items, (size_t)count, 1, compare_characters);
    write_items(answer, items, ", ", " ].");
    return count;
}

static inline int solve_parity(char *answer, const char *question, const BuiltinCorpus *task) {
    char items[TEXT_MOST];
    const char *start = behind(question, "Is the number of 1's even in the sequence [ ");
    const int count = read_items(items, start, ", ", " ] ? The answer is ");
    int ones = 0;
    for (int i = 0; i < count; i++) ones += items[i] == '1';
    assert_int_equal(strspn(items, "01"), count);
    strcpy(answer, ones % 2 ? "No." : "Yes.");
    return count;
}

// Digits as in school, from the last to the first.
static inline int solve_addition(char *answer, const char *question, const BuiltinCorpus *task) {
    char a[TEXT_MOST], b[TEXT_MOST], sum[TEXT_MOST] = "", first[TEXT_MOST];
    const char *plus = strstr(question, " + ");
    assert_non_null(plus);
    snprintf(first, sizeof first, "%.*s", (int)(plus - question), question);
    const int digits_a = read_items(a, behind(first, "Compute "), " ", "");
    const int digits_b = read_items(b, plus + 3, " ", " ? The answer is ");
    const int digits = digits_a > digits_b ? digits_a : digits_b;
    int over = 0, at = TEXT_MOST - 1;
    for (int i = 1; i <= digits || over; i++) {
        if (i <= digits_a) over += a[digits_a - i] - '0';
        if (i <= digits_b) over += b[digits_b - i] - '0';
        sum[--at] = (char)('0' + over % 10);
        over /= 10;
    }
    write_items(answer, sum + at, " ", ".");
    assert_true(digits_a == 1 || *a != '0');
    assert_true(digits_b == 1 || *b != '0');
    return digits;
}

typedef struct {
    char keys[256][3], values[256], key[3];
    int count;
} Pairs;

// "k7 a3 ? k", keys of one letter or two.
static inline Pairs read_pairs(const char *at, int letters) {
    Pairs pairs = {.count = 0};
    for (; *at != '?'; at = behind(at, " ")) {
        memcpy(pairs.keys[pairs.count], at, (size_t)letters);
        pairs.values[pairs.count++] = at[letters];
        assert_true(isdigit((unsigned char)at[letters]));
        at += letters + 1;
    }
    at = behind(at, "? ");
    assert_int_equal(strlen(at), letters);
    memcpy(pairs.key, at, (size_t)letters);
    return pairs;
}

static inline int solve_recall(char *answer, const char *question, const BuiltinCorpus *task) {
    const Pairs pairs = read_pairs(question, task->keys > 26 ? 2 : 1);
    int found = 0;
    for (int i = 0; i < pairs.count; i++) {
        for (int j = 0; j < i; j++) assert_string_not_equal(pairs.keys[i], pairs.keys[j]);
        if (strcmp(pairs.keys[i], pairs.key) != 0) continue;
        sprintf(answer, "%c", pairs.values[i]);
        found++;
    }
    assert_int_equal(found, 1);
    return pairs.count;
}

static inline int solve_duplicate(char *answer, const char *question, const BuiltinCorpus *task) {
    const Pairs pairs = read_pairs(question, 1);
    int found = 0;
    for (int i = 0; i < pairs.count; i++) {
        assert_in_range(pairs.keys[i][0], 'a', 'a' + (int)task->keys - 1);
        if (strcmp(pairs.keys[i], pairs.key) != 0) continue;
        sprintf(answer, "%c", pairs.values[i]);
        found++;
    }
    assert_true(found >= 2);
    int same = 0;
    for (int i = 0; i < pairs.count; i++) same += strcmp(pairs.keys[i], pairs.key) == 0 && pairs.values[i] == *answer;
    assert_int_equal(same, 1); // an older value would be wrong
    return pairs.count;
}

static inline int solve_offset(char *answer, const char *question, const BuiltinCorpus *task) {
    const int count = (int)strlen(question) - 1;
    assert_int_equal(question[count], '?');
    assert_int_equal(strspn(question, "abcdefghijklmnopqrstuvwxyz"), count);
    sprintf(answer, "%c", question[count - (int)task->offset]);
    return count;
}

static inline int solve_grid(char *answer, const char *question, const BuiltinCorpus *task) {
    const char *rows[64];
    int height = 0;
    const int width = (int)strcspn(question, "\n");
    for (const char *at = question; *at != '\n'; at += width + 1) {
        rows[height++] = at;
        assert_int_equal(strcspn(at, "\n"), width);
        assert_int_equal(strspn(at, "01234567"), width);
        if (at[width + 1] == '\n') assert_int_equal(at[width + 2], 0);
    }
    for (int y = 0; y < height; y++) {
        const char *row = rows[height - 1 - y];
        *answer++ = row[width - 1];
        for (int x = 1; x < width; x++) *answer++ = row[x - 1];
        *answer++ = '\n';
    }
    answer[-1] = 0; // instead of the last newline
    assert_true(height >= 2 && width >= 2);
    return height > width ? height : width;
}

typedef struct {
    const char *specification;
    int (*solve)(char *answer, const char *question, const BuiltinCorpus *task); // returns the length
} Solver;

static const Solver solvers[] = {
    {"copy", solve_copy},
    {"reverse", solve_reverse},
    {"sort", solve_sort},
    {"parity", solve_parity},
    {"addition", solve_addition},
    {"recall", solve_recall},
    {"recall:keys=500", solve_recall},
    {"duplicate", solve_duplicate},
    {"duplicate:keys=1", solve_duplicate},
    {"duplicate:keys=26,max=60", solve_duplicate},
    {"offset", solve_offset},
    {"offset:offset=1,min=1", solve_offset},
    {"grid", solve_grid},
};

#endif
