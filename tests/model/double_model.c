// In double, the two forward passes differ by rounding only, so the tolerance is too small to hide any mistake.
// selective differs most, because it adds up a whole text's steps.
#include "tests/support/agreement.h"

static void feeding_in_chunks_agrees_with_training(void **state) {
    chunks_agree_with_training(1e-11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feeding_in_chunks_agrees_with_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
