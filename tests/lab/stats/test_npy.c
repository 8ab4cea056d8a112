// Arrays for NumPy: the bytes of its format, version 1.0.
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_bytes_are_those_of_the_format, make, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
