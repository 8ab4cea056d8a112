// The built-in corpora, from "tales:bytes=1e6,seed=7" to documents, and the Text that documents are written to.
#include "base/memory.h"
#include "data/made/builtin.h"
#include "tests/support/support.h"

#include <sys/resource.h>
#include <unistd.h>

static void free_documents(Text *documents, size_t count) {
    for (size_t i = 0; i < count; i++) text_free(&documents[i]);
    free(documents);
}

static void generate_stops_at_the_bytes_asked_for(void **state) {
    Text *documents;
    size_t count, total = 0;
    Error error = {0};
    assert_true(builtin_generate(&documents, &count, "tales:bytes=50000,seed=7", &error));
    for (size_t i = 0; i < count; i++) {
        Text expected = {0};
        builtin_document(&expected, &(BuiltinCorpus){.builtin = &builtin_tales, .seed = 7}, i);
        assert_int_equal(documents[i].size, expected.size);
        assert_memory_equal(documents[i].bytes, expected.bytes, expected.size);
        assert_true(total < 50000);
        total += documents[i].size;
        text_free(&expected);
    }
    assert_true(total >= 50000);
    free_documents(documents, count);
}

static void generate_has_defaults(void **state) {
    Text *documents;
    size_t count, total = 0;
    Error error = {0};
    assert_true(builtin_generate(&documents, &count, "tales", &error));
    Text expected = {0};
    builtin_document(&expected, &(BuiltinCorpus){.builtin = &builtin_tales, .seed = 1337}, 0);
    assert_int_equal(documents[0].size, expected.size);
    assert_memory_equal(documents[0].bytes, expected.bytes, expected.size);
    for (size_t i = 0; i < count; i++) total += documents[i].size;
    assert_in_range(total, 10000000, 10004000);
    text_free(&expected);
    free_documents(documents, count);
}

static void generate_names_the_nearest_valid_choice(void **state) {
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
        {"flipflop:min=1", "1 instructions"},
        {"duplicate:min=1", "1 pairs"},
        {"offset:offset=9", "8 letters"},
        {"recall:keys=7", "8 pairs"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        Text *documents;
        size_t count;
        Error error = {0};
        expect_refused(builtin_generate(&documents, &count, wrong[i][0], &error), &error, wrong[i][1]);
        assert_null(documents);
        assert_int_equal(count, 0);
    }
}

// A registered corpus is text or a task, and a task has all that its users rely on.
static void the_registry_is_complete(void **state) {
    int tasks = 0;
    for (const Builtin *const *b = builtins; *b; b++) {
        assert_non_null((*b)->name);
        assert_non_null((*b)->help);
        for (const Builtin *const *other = builtins; other < b; other++)
            assert_string_not_equal((*b)->name, (*other)->name);
        assert_true(((*b)->document != NULL) != ((*b)->write != NULL));
        if (!(*b)->write) continue;
        assert_non_null((*b)->longest);
        assert_non_null((*b)->counts);
        assert_non_null(option_find((*b)->options, "min"));
        assert_non_null(option_find((*b)->options, "max"));
        tasks++;
    }
    assert_int_equal(tasks, 10);
}

static void options_reach_the_task(void **state) {
    BuiltinCorpus corpus;
    Error error = {0};
    assert_true(builtin_choose(&corpus, "builtin:flipflop:ignore=0.98,max=128,seed=5", &error));
    assert_ptr_equal(corpus.builtin, &builtin_flipflop);
    assert_true(corpus.ignore == 0.98 && corpus.min == 64 && corpus.max == 128 && corpus.seed == 5);
    assert_true(builtin_choose(&corpus, "offset:offset=3,min=3", &error));
    assert_true(corpus.offset == 3 && corpus.min == 3 && corpus.ignore == 0);
    assert_true(builtin_choose(&corpus, "recall", &error));
    assert_true(corpus.keys == 26 && corpus.min == 1 && corpus.max == 8 && corpus.bytes == 1000000);
    assert_true(builtin_choose(&corpus, "tales", &error));
    assert_true(corpus.min == 0 && corpus.max == 0 && corpus.keys == 0);
}

// Documents of a task as text: other ones for other seeds, one after the other in builtin_generate.
static void tasks_are_text_too(void **state) {
    for (const Builtin *const *b = builtins; *b; b++) {
        char specification[64];
        BuiltinCorpus corpus;
        Text *documents;
        size_t count;
        Error error = {0};
        int other = 0;
        snprintf(specification, sizeof specification, "%s:bytes=3000", (*b)->name);
        assert_true(builtin_choose(&corpus, specification, &error));
        assert_true(builtin_generate(&documents, &count, specification, &error));
        for (size_t i = 0; i < count; i++) {
            Text expected = {0}, changed = {0};
            builtin_document(&expected, &corpus, i);
            corpus.seed++;
            builtin_document(&changed, &corpus, i);
            corpus.seed--;
            assert_int_equal(documents[i].size, expected.size);
            assert_memory_equal(documents[i].bytes, expected.bytes, expected.size);
            other += changed.size != expected.size || memcmp(changed.bytes, expected.bytes, expected.size) != 0;
            text_free(&expected);
            text_free(&changed);
        }
        assert_true(other > (int)count / 2);
        free_documents(documents, count);
    }
}

static void too_large_for_memory_is_refused_at_once(void **state) {
    static const char *const names[] = {"builtin:tales:bytes=1e12", "tales:bytes=1e12"};
    for (size_t i = 0; i < 2; i++) {
        Text *documents;
        size_t count;
        Error error = {0};
        assert_false(builtin_generate(&documents, &count, names[i], &error));
        assert_int_equal(error.kind, ERROR_RUN);
        assert_int_equal(strncmp(error.message, "builtin:tales:bytes=1e12: ", 26), 0);
        assert_non_null(strstr(error.message, "need 4656.6 GiB"));
        assert_non_null(strstr(error.message, "bytes=N"));
        assert_null(documents);
    }
}

static void memory_is_bounded_by_the_address_space(void **state) {
    FILE *statm = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (!statm || fscanf(statm, "%lu", &pages) != 1) skip();
    fclose(statm);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    const rlim_t more = (rlim_t)1 << 28, used = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    assert_true(memory_available() > more / 2);
    limit = before;
    limit.rlim_cur = used + more;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    const size_t available = memory_available();
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_in_range(available, more / 2, more);
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
        cmocka_unit_test(generate_stops_at_the_bytes_asked_for),
        cmocka_unit_test(generate_has_defaults),
        cmocka_unit_test(generate_names_the_nearest_valid_choice),
        cmocka_unit_test(the_registry_is_complete),
        cmocka_unit_test(options_reach_the_task),
        cmocka_unit_test(tasks_are_text_too),
        cmocka_unit_test(too_large_for_memory_is_refused_at_once),
        cmocka_unit_test(memory_is_bounded_by_the_address_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
