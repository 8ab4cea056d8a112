// Sizes larger than any machine's memory are refused as a failure of the run, and no size is wrong because a product
// overflows.
#include "base/file/file.h"
#include "base/memory.h"
#include "tests/support/little_model.h"
#include "tests/support/scratch.h"

static void sizes_do_not_wrap_around(void **state) {
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 62, SIZE_MAX / 2, SIZE_MAX / sizeof(real) + 1};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        Arena bytes = {0}, reals = {0};
        Error error = {0};
        assert_null(arena_take(&bytes, 100));
        for (int again = 0; again < 3; again++) {
            assert_null(arena_take(&bytes, sizes[i]));
            assert_null(arena_reals(&reals, sizes[i]));
        }
        assert_false(arena_allocate(&bytes, "sizes", &error));
        assert_int_equal(error.kind, ERROR_RUN);
        assert_non_null(strstr(error.message, "sizes need"));
        assert_false(arena_allocate(&reals, "sizes", &error));
        assert_int_equal(error.kind, ERROR_RUN);
    }
}

static void nothing_grows_beyond_the_memory(void **state) {
    char *block = memory_grow(NULL, 0, 10);
    assert_non_null(block);
    memcpy(block, "012345678", 10);
    assert_null(memory_grow(block, 10, SIZE_MAX / 2));
    assert_null(memory_grow(block, 10, 10));
    assert_null(memory_grow(block, 10, 5)); // what a product that wrapped around asks for
    assert_string_equal(block, "012345678");
    free(block);
}

// A sparse file of terabytes is refused before it fills the memory.
static void no_file_is_read_that_memory_cannot_hold(void **state) {
    const long long size = 1LL << 43;
    char directory[SCRATCH_PATH], path[SCRATCH_PATH + 8];
    Buffer buffer;
    Error error = {0};
    scratch_make(directory);
    snprintf(path, sizeof path, "%s/hole", directory);
    scratch_write(path, "{", 1);
    must(file_read(&buffer, path, &error), &error);
    assert_int_equal(buffer.size, 1);
    free(buffer.bytes);
    const bool so_long = truncate(path, size) == 0;
    const bool taken = so_long && file_read(&buffer, path, &error);
    scratch_remove(directory);
    if (!so_long) {
        puts("this file system has no files of so many bytes");
        skip();
    }
    assert_false(taken);
    assert_int_equal(error.kind, ERROR_RUN);
    assert_non_null(strstr(error.message, "hole: no memory for 8796093022210 bytes of it"));
}

// One table of positions is bounded as every matrix is: 10^9 numbers, whose indices fit into an int.
static void position_tensors_are_bounded(void **state) {
    const Shape shape = {
        .vocab = 2, .context = 8, .layers = 20, .heads = 100, .width = 100, .random_positions = 1000000};
    Mix pos;
    Gpt gpt;
    Error error = {0};
    must(mix_create(&pos, "table:layers=own", &shape, &error), &error);
    expect_refused(gpt_create(&gpt, &shape, &pos, false, &error), &error,
                   "pos.bias would have 2000000000 numbers, but 10^9 are the most");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_do_not_wrap_around),
        cmocka_unit_test(nothing_grows_beyond_the_memory),
        cmocka_unit_test(no_file_is_read_that_memory_cannot_hold),
        cmocka_unit_test(position_tensors_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
