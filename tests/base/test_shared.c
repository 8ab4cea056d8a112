// Memory that processes share, through which the processes of a comparison tell how far they are. It needs no
// file, and no lock that a killed process could keep.
#include "base/memory.h"

#include <stdatomic.h>
#include "tests/support/children.h"
#include "tests/support/scratch.h"

#include <signal.h>

static atomic_int *numbers;

static void count_up(int orders, int answers) {
    for (int i = 0; i < 10000; i++) atomic_fetch_add(&numbers[1], 1);
    atomic_store(&numbers[2], 1);
    tell(answers, 'd');
}

static void children_write_into_it(void **state) {
    enum { CHILDREN = 3 };
    const size_t bytes = 3 * sizeof *numbers;
    Child children[CHILDREN];
    numbers = shared_zeros(bytes);
    assert_non_null(numbers);
    for (size_t i = 0; i < bytes; i++) assert_int_equal(((unsigned char *)numbers)[i], 0);
    for (int i = 0; i < CHILDREN; i++) children[i] = start(count_up);
    for (int i = 0; i < CHILDREN; i++) assert_int_equal(hear(children[i].answers), 'd');
    for (int i = 0; i < CHILDREN; i++) assert_int_equal(end(&children[i]), 0);
    assert_int_equal(atomic_load(&numbers[1]), CHILDREN * 10000);
    assert_true(atomic_load(&numbers[2]));
    shared_free(numbers, bytes);
    shared_free(NULL, 1);
}

static void it_needs_no_lock(void **state) {
    atomic_int number = 0;
    assert_true(atomic_is_lock_free(&number));
}

static void memory_that_there_is_not_is_refused(void **state) {
    assert_null(shared_zeros(SIZE_MAX / 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_write_into_it),
        cmocka_unit_test(it_needs_no_lock),
        cmocka_unit_test(memory_that_there_is_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
