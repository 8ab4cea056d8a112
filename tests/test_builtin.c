// builtin_generate, which turns "tales:bytes=1e6,seed=7" into documents, and the Text they are written to.
#include "data/builtin.h"
#include "data/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static void free_documents(Text *documents, size_t count) {
    for (size_t i = 0; i < count; i++) text_free(&documents[i]);
    free(documents);
}

static void generate_stops_at_the_bytes_asked_for(void **state) {
    (void)state;
    Text *documents;
    size_t count, total = 0;
    Error error = {0};
    assert_true(builtin_generate(&documents, &count, "tales:bytes=50000,seed=7", &error));
    for (size_t i = 0; i < count; i++) {
        Text expected = {0};
        builtin_tales.document(&expected, 7, i);
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
    (void)state;
    Text *documents;
    size_t count, total = 0;
    Error error = {0};
    assert_true(builtin_generate(&documents, &count, "tales", &error));
    Text expected = {0};
    builtin_tales.document(&expected, 1337, 0);
    assert_int_equal(documents[0].size, expected.size);
    assert_memory_equal(documents[0].bytes, expected.bytes, expected.size);
    for (size_t i = 0; i < count; i++) total += documents[i].size;
    assert_in_range(total, 10000000, 10004000);
    text_free(&expected);
    free_documents(documents, count);
}

static void generate_names_the_nearest_valid_choice(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"tale", "tales"},
        {"", "tales"},
        {"tales:byte=5000", "bytes"},
        {"tales:sed=1", "seed"},
        {"tales:bytes=999", "1000"},
        {"tales:bytes=lots", "bytes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Text *documents;
        size_t count;
        Error error = {0};
        assert_false(builtin_generate(&documents, &count, wrong[i][0], &error));
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_non_null(strstr(error.message, wrong[i][1]));
        assert_null(documents);
        assert_int_equal(count, 0);
    }
}

static void too_large_for_memory_is_refused_at_once(void **state) {
    (void)state;
    static const char *const names[] = {"builtin:tales:bytes=1e12", "tales:bytes=1e12"};
    for (size_t i = 0; i < 2; i++) {
        Text *documents;
        size_t count;
        Error error = {0};
        assert_false(builtin_generate(&documents, &count, names[i], &error));
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_int_equal(strncmp(error.message, "builtin:tales:bytes=1e12: ", 26), 0);
        assert_non_null(strstr(error.message, "need about 4656.6 GiB"));
        assert_non_null(strstr(error.message, "bytes=N"));
        assert_null(documents);
    }
}

static void memory_is_bounded_by_the_address_space(void **state) {
    (void)state;
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
    (void)state;
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
        cmocka_unit_test(too_large_for_memory_is_refused_at_once),
        cmocka_unit_test(memory_is_bounded_by_the_address_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
