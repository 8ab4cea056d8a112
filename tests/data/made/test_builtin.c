// The built-in corpora, from "tales:bytes=1e6,seed=7" to documents, and the Text that documents are written to.
#include "data/corpus.h"
#include "tests/support/support.h"

// The tokens of an opened corpus are its documents 0, 1, ..., each with an end token, until there are enough bytes.
// Returns how many documents there are.
static size_t expect_documents(const char *specification, const BuiltinCorpus *corpus, size_t bytes) {
    Corpus opened;
    Error error = {0};
    must(corpus_open(&opened, specification, &error), &error);
    const size_t count = opened.train.count + opened.val.count;
    int *ids = malloc(count * sizeof *ids);
    split_read(ids, &opened.train, 0, opened.train.count);
    split_read(ids + opened.train.count, &opened.val, 0, opened.val.count);
    size_t at = 0, documents = 0;
    for (; at < count; documents++) {
        Text expected = {0};
        assert_true(at - documents < bytes);
        builtin_document(&expected, corpus, documents);
        assert_true(at + expected.size < count);
        for (size_t i = 0; i < expected.size; i++) assert_int_equal(ids[at++], (unsigned char)expected.bytes[i]);
        assert_int_equal(ids[at++], tokenizer_end(&opened.tokenizer));
        text_free(&expected);
    }
    assert_true(at - documents >= bytes);
    free(ids);
    corpus_close(&opened);
    return documents;
}

static void a_corpus_stops_at_the_bytes_asked_for(void **state) {
    expect_documents("builtin:tales:bytes=50000,seed=7",
                     &(BuiltinCorpus){.builtin = &builtins[BUILTIN_TALES], .seed = 7}, 50000);
}

static void a_corpus_has_defaults(void **state) {
    expect_documents("builtin:tales", &(BuiltinCorpus){.builtin = &builtins[BUILTIN_TALES], .seed = 1337}, 10000000);
}

static void wrong_names_get_the_nearest_valid_choice(void **state) {
    static const char *const wrong[][2] = {
        {"tale", "tales"},
        {"", "tales"},
        {"tales:byte=5000", "bytes"},
        {"tales:sed=1", "seed"},
        {"tales:bytes=999", "1000"},
        {"tales:bytes=lots", "bytes"},
        {"tales:max=5", "bytes, seed"},
        {"revers", "reverse"},
        {"copy:mx=5", "'max'"},
        {"copy:offset=5", "min, max, bytes, seed"},
        {"copy:min=0", "1 to 10000"},
        {"copy:min=6,max=5", "min=6 is above max=5"},
        {"copy:min=21", "min=21 is above max=20"},
        {"flipflop:ignore=1.01", "0 to 1"},
        {"flipflop:min=1", "2 to 10000"},
        {"duplicate:min=1", "2 to 10000"},
        {"offset:offset=9", "8 letters"},
        {"recall:keys=7", "8 pairs"},
        {"recall:questions=0", "1 to 10000"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        BuiltinCorpus corpus;
        Error error = {0};
        expect_refused(builtin_choose(&corpus, wrong[i][0], &error), &error, wrong[i][1]);
    }
}

static void options_reach_the_task(void **state) {
    BuiltinCorpus corpus;
    Error error = {0};
    assert_true(builtin_choose(&corpus, "builtin:flipflop:ignore=0.98,max=128,seed=5", &error));
    assert_string_equal(corpus.builtin->name, "flipflop");
    assert_true(corpus.ignore == 0.98 && corpus.min == 64 && corpus.max == 128 && corpus.seed == 5);
    assert_true(builtin_choose(&corpus, "offset:offset=3,min=3", &error));
    assert_true(corpus.offset == 3 && corpus.min == 3 && corpus.ignore == 0);
    assert_true(builtin_choose(&corpus, "recall", &error));
    assert_true(corpus.keys == 26 && corpus.min == 1 && corpus.max == 8 && corpus.bytes == 1000000);
    assert_true(builtin_choose(&corpus, "tales", &error));
    assert_true(corpus.min == 0 && corpus.max == 0 && corpus.keys == 0);
}

// Documents of a task as text: different seeds give different documents.
static void tasks_are_text_too(void **state) {
    for (const Builtin *b = builtins; b->name; b++) {
        char specification[64];
        BuiltinCorpus corpus, other;
        Error error = {0};
        size_t differ = 0;
        snprintf(specification, sizeof specification, "builtin:%s:bytes=3000", b->name);
        assert_true(builtin_choose(&corpus, specification, &error));
        other = corpus;
        other.seed++;
        const size_t count = expect_documents(specification, &corpus, 3000);
        for (size_t i = 0; i < count; i++) {
            Text expected = {0}, changed = {0};
            builtin_document(&expected, &corpus, i);
            builtin_document(&changed, &other, i);
            differ += changed.size != expected.size || memcmp(changed.bytes, expected.bytes, expected.size) != 0;
            text_free(&expected);
            text_free(&changed);
        }
        assert_true(differ > count / 2);
    }
}

static void too_large_for_memory_is_refused_at_once(void **state) {
    static const char name[] = "builtin:tales:bytes=1e12";
    BuiltinCorpus corpus;
    Error error = {0};
    must(builtin_choose(&corpus, name, &error), &error);
    assert_false(builtin_check_memory(&corpus, name, &error));
    assert_int_equal(error.kind, ERROR_RUN);
    assert_int_equal(strncmp(error.message, "builtin:tales:bytes=1e12: ", 26), 0);
    assert_non_null(strstr(error.message, "need 4656.61 GiB"));
    assert_non_null(strstr(error.message, "bytes=N"));
}

static void text_grows_and_prints(void **state) {
    Text text = {0};
    for (int i = 0; i < 1000; i++) {
        text_print(&text, "%03d", i);
        text_add(&text, ",", 1);
    }
    assert_int_equal(text.size, 4000);
    assert_memory_equal(text.bytes + 4 * 789, "789,", 4);
    text_add(&text, "x", SIZE_MAX / 2 + 1);
    assert_true(text.failed);
    text_add(&text, "x", 1);
    assert_int_equal(text.size, 4000);
    text_free(&text);
    assert_null(text.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_prints),
        cmocka_unit_test(a_corpus_stops_at_the_bytes_asked_for),
        cmocka_unit_test(a_corpus_has_defaults),
        cmocka_unit_test(wrong_names_get_the_nearest_valid_choice),
        cmocka_unit_test(options_reach_the_task),
        cmocka_unit_test(tasks_are_text_too),
        cmocka_unit_test(too_large_for_memory_is_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
