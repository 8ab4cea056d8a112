// Passkey documents: their words, their exact lengths, the place of the key, and whether a continuation found it.
#include "data/made/builtin.h"
#include "tests/support/support.h"

#include <string.h>

static const int keys[] = {1, 9, 10, 99, 100, 999, 1000, 9999, 10000, 50000};

static Text prompt_of(int key, int length, double depth) {
    Text text = {0};
    passkey_prompt(&text, key, length, depth);
    assert_false(text.failed);
    return text;
}

static void expect_prompt(const char *expected, int key, int length, double depth) {
    Text text = prompt_of(key, length, depth);
    text_add(&text, "", 1);
    assert_string_equal(text.bytes, expected);
    assert_int_equal(text.size, length + 1);
    text_free(&text);
}

static void the_words_are_those_of_the_published_test(void **state) {
    expect_prompt(
        "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. I will "
        "quiz you about the important information there.\n"
        "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. The gra\n"
        "The pass key is 12345. Remember it. 12345 is the pass key.\n"
        "The grass is green. The sky is blu\n"
        "What is the pass key? The pass key is",
        12345, 378, 0.74);
    expect_prompt(
        "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. I will "
        "quiz you about the important information there.\n"
        "The \n"
        "The pass key is 7. Remember it. 7 is the pass key.\n"
        "The \n"
        "What is the pass key? The pass key is",
        7, PASSKEY_SHORTEST, 0.5);
}

// The five lines of a prompt.
typedef struct {
    const char *start[5];
    int length[5];
} Lines;

static Lines lines_of(const Text *text) {
    Lines lines = {.start = {text->bytes}};
    int line = 0;
    for (size_t i = 0; i < text->size; i++) {
        if (text->bytes[i] != '\n') {
            lines.length[line]++;
            continue;
        }
        assert_true(line < 4);
        lines.start[++line] = text->bytes + i + 1;
    }
    assert_int_equal(line, 4);
    return lines;
}

static void expect_garbage(const char *text, int length) {
    static const char once[] = PASSKEY_GARBAGE " ";
    for (int i = 0; i < length; i++) assert_int_equal(text[i], once[i % (int)(sizeof once - 1)]);
}

static void every_length_and_depth_is_exact(void **state) {
    for (size_t k = 0; k < COUNT(keys); k++)
        for (int length = PASSKEY_SHORTEST; length < 100000; length += 1 + (length > 600) * length / 3)
            for (double depth = 0; depth <= 1; depth += 0.125) {
                char needle[128];
                const int size = snprintf(needle, sizeof needle, "The pass key is %d. Remember it. %d is the pass key.",
                                          keys[k], keys[k]);
                Text text = prompt_of(keys[k], length, depth);
                const Lines lines = lines_of(&text);
                const int garbage = lines.length[1] + lines.length[3];
                assert_int_equal(text.size, length);
                assert_int_equal(lines.length[2], size);
                assert_memory_equal(lines.start[2], needle, (size_t)size);
                expect_garbage(lines.start[1], lines.length[1]);
                expect_garbage(lines.start[3], lines.length[3]);
                expect_near("before", (size_t)length, lines.length[1], depth * garbage, 0.5);
                if (depth == 0) assert_int_equal(lines.length[1], 0);
                if (depth == 1) assert_int_equal(lines.length[3], 0);
                text_free(&text);
            }
}

static void the_first_number_counts(void **state) {
    static const struct {
        const char *text;
        int key;
        bool right;
    } cases[] = {
        {" 12345.\n", 12345, true},
        {"12345", 12345, true},
        {"   12345", 12345, true},
        {"12345 6", 12345, true},
        {": 12345, 99", 12345, true},
        {" 012345.", 12345, true},
        {" 7.\n", 7, true},
        {"123456", 12345, false},
        {"1234", 12345, false},
        {"12 345", 12345, false},
        {" 54321 12345", 12345, false},
        {"", 12345, false},
        {" the pass", 12345, false},
        {"4294979641", 12345, false},
        {"0", 1, false},
        {"9999999999", 1, false},
        {"-7", 7, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (passkey_right(cases[i].text, strlen(cases[i].text), cases[i].key) != cases[i].right)
            fail_msg("'%s' for %d: expected %d", cases[i].text, cases[i].key, cases[i].right);
    assert_true(passkey_right("\0 12", 4, 12)); // bytes that end strings are bytes like others
    assert_true(passkey_right("123", 2, 12));   // and what stands behind the end is not read
}

// --- builtin:passkey ---

static void corpus_choose(BuiltinCorpus *corpus, const char *specification) {
    Error error;
    must(builtin_choose(corpus, specification, &error), &error);
}

static void documents_end_with_their_answers(void **state) {
    BuiltinCorpus corpus;
    corpus_choose(&corpus, "builtin:passkey");
    for (uint64_t index = 0; index < 1000; index++) {
        Text document = {0}, expected = {0};
        builtin_document(&document, &corpus, index);
        const Lines lines = lines_of(&(Text){.bytes = document.bytes, .size = document.size - 1});
        int key, again;
        assert_int_equal(sscanf(lines.start[2], PASSKEY_NEEDLE, &key, &again), 2);
        assert_int_equal(key, again);
        char answer[16];
        const int size = snprintf(answer, sizeof answer, " %d.\n", key), before = lines.length[1],
                  after = lines.length[3];
        const double depth = before + after > 0 ? (double)before / (before + after) : 0;
        passkey_prompt(&expected, key, (int)document.size - size, depth);
        text_print(&expected, "%s", answer);
        assert_int_equal(document.size, expected.size);
        assert_memory_equal(document.bytes, expected.bytes, expected.size);
        text_free(&document);
        text_free(&expected);
    }
}

static void options_have_the_defaults_and_limits_that_they_say(void **state) {
    BuiltinCorpus corpus;
    Error error;
    corpus_choose(&corpus, "passkey");
    assert_int_equal(corpus.min, PASSKEY_SHORTEST + (int)strlen(" 50000.\n"));
    assert_int_equal(corpus.max, 512);
    assert_true(corpus.share == 0 && is_passkey(&corpus));
    corpus_choose(&corpus, "passkey:min=300,max=300,share=0.5,bytes=2000,seed=2");
    assert_true(corpus.min == 300 && corpus.max == 300 && corpus.share == 0.5 && corpus.bytes == 2000);
    static const char *const wrong[][2] = {
        {"passkey:min=254", "255 to"},        {"passkey:min=513", "min=513 is above max=512"},
        {"passkey:share=1", "0.0001 to 0.9"}, {"passkey:shar=0.1", "did you mean 'share'"},
        {"passkey:keys=3", "min, max"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        expect_refused(builtin_choose(&corpus, wrong[i][0], &error), &error, wrong[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_are_those_of_the_published_test),
        cmocka_unit_test(every_length_and_depth_is_exact),
        cmocka_unit_test(the_first_number_counts),
        cmocka_unit_test(documents_end_with_their_answers),
        cmocka_unit_test(options_have_the_defaults_and_limits_that_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
