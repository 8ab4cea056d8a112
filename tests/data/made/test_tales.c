// builtin:tales: documents are functions of seed and index, clean, all different, and unchanged.
#include "base/random.h"
#include "data/made/builtin.h"
#include "tests/support/support.h"

#include <zlib.h>

enum { SEED = 1337, MANY = 4000 };

// Document `index`, terminated by a 0 that is not counted in its size.
static Text document(uint64_t seed, uint64_t index) {
    Text text = {0};
    builtin_document(&text, &(BuiltinCorpus){.builtin = &builtins[BUILTIN_TALES], .seed = (long long)seed}, index);
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
        builtin_document(&all, &(BuiltinCorpus){.builtin = &builtins[BUILTIN_TALES], .seed = SEED}, (uint64_t)index);
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

// Printable ASCII and newlines, no remains of the templates, no double blanks inside a line, a newline at the end.
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

// A change here outdates every number that was measured on these texts.
static void the_texts_have_not_changed(void **state) {
    uLong crc = crc32(0, NULL, 0);
    for (uint64_t index = 0; index < MANY; index++) {
        Text text = document(SEED, index);
        crc = crc32(crc, (const Bytef *)text.bytes, (uInt)text.size);
        text_free(&text);
    }
    assert_int_equal(crc, 0xCC827835);
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
        cmocka_unit_test(the_texts_have_not_changed),
        cmocka_unit_test(no_document_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
