// Arrays for NumPy: the bytes of its format, version 1.0, and what is refused.
#include "lab/stats/npy.h"
#include "tests/support/scratch.h"
#include "tests/support/support.h"

static char directory[SCRATCH_PATH], path[SCRATCH_PATH + 16];
static const float numbers[6] = {1.5f, -2, 0, 1e-30f, 3e30f, 7};

static int make(void **state) {
    AtomicFile file;
    Error error;
    scratch_make(directory);
    snprintf(path, sizeof path, "%s/x.npy", directory);
    return npy_open(&file, path, 2, 3, &error) && atomic_write(&file, numbers, sizeof numbers, &error) &&
                   atomic_commit(&file, &error)
               ? 0
               : -1;
}

static int clean(void **state) {
    scratch_remove(directory);
    return 0;
}

static void write_bytes(const char *bytes, size_t size) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void the_bytes_are_those_of_the_format(void **state) {
    static const char start[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    Buffer file;
    Error error;
    must(file_read(&file, path, &error), &error);
    assert_int_equal(file.size, 128 + sizeof numbers);
    assert_memory_equal(file.bytes, start, sizeof start - 1);
    for (size_t n = sizeof start - 1; n < 127; n++) assert_int_equal(file.bytes[n], ' ');
    assert_int_equal(file.bytes[127], '\n');
    assert_memory_equal(file.bytes + 128, numbers, sizeof numbers);
    free(file.bytes);
}

static void what_was_written_is_read(void **state) {
    float *values;
    size_t count;
    Error error;
    must(npy_read(&values, &count, path, &error), &error);
    assert_int_equal(count, 6);
    assert_memory_equal(values, numbers, sizeof numbers);
    free(values);
}

static void other_files_are_refused(void **state) {
    Buffer whole;
    float *values;
    size_t count;
    Error error = {0};
    must(file_read(&whole, path, &error), &error);
    for (size_t size = 0; size < whole.size; size++) {
        char *bytes = malloc(size + 1);
        assert_non_null(bytes);
        memcpy(bytes, whole.bytes, size);
        write_bytes(bytes, size);
        free(bytes);
        error = (Error){0};
        const bool taken = npy_read(&values, &count, path, &error);
        assert_true(taken ==
                    (size >= 128 && size % 4 == 0)); // fewer whole numbers cannot be told from an array of them
        if (taken) assert_int_equal(count, (size - 128) / 4);
        if (taken) free(values);
        if (!taken) assert_non_null(strstr(error.message, "is not an array of float32 that bitter wrote"));
    }
    static const struct {
        size_t at;
        char byte;
    } damages[] = {{0, 'x'}, {5, 'y'}, {6, 2}, {7, 1}, {9, 1}, {20, '>'}, {22, '8'}};
    for (size_t i = 0; i < COUNT(damages); i++) {
        char bytes[128 + sizeof numbers];
        memcpy(bytes, whole.bytes, sizeof bytes);
        bytes[damages[i].at] = damages[i].byte;
        write_bytes(bytes, sizeof bytes);
        error = (Error){0};
        expect_refused(npy_read(&values, &count, path, &error), &error, "is not an array of float32");
    }
    free(whole.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_bytes_are_those_of_the_format, make, clean),
        cmocka_unit_test_setup_teardown(what_was_written_is_read, make, clean),
        cmocka_unit_test_setup_teardown(other_files_are_refused, make, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
