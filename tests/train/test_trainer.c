// The threads that a run may use.
#include "train/trainer.h"
#include "num/team.h"
#include "tests/support/little_model.h"

// gradient_norm has room for THREADS_MOST partial sums, whatever multiplies the matrices.
static void there_are_never_too_many_threads(void **state) {
    const Shape shape = {.vocab = 5, .context = 4, .layers = 1, .heads = 1, .width = 4};
    Gpt gpt;
    assert_in_range(threads_use(3), 1, 3);
    assert_in_range(threads_use(THREADS_MOST + 76), 1, THREADS_MOST);
    omp_set_num_threads(THREADS_MOST + 76); // as OMP_NUM_THREADS does
    assert_in_range(threads_use(0), 1, THREADS_MOST);
    assert_in_range(threads_use(2), 1, 2);
    model_make(&gpt, "rope", &shape, true);
    assert_true(gradient_norm(&gpt) == 0);
    gpt_free(&gpt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_never_too_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
