// An OpenBLAS that does not know the processor: it chooses when it is loaded, so the program starts again with the
// kernels of a Pentium 4, as if OpenBLAS had chosen them.
#include "num/blas.h"
#include "num/gemm.h"
#include "num/product.h"
#include "tests/support/support.h"

#include <unistd.h>

static void own_kernels_do_all_where_openblas_is_behind(void **state) {
    unsetenv("OPENBLAS_CORETYPE");
    const bool behind = strcmp(blas_core(), "Prescott") == 0;
    if (!behind || !gemm_uses_blas() || product_vector_bytes() < 32) {
        puts("this build uses no OpenBLAS, or none that takes a Pentium 4's kernels on this processor");
        skip();
    }
    assert_true(blas_is_behind());
    gemm_choose();
    assert_false(gemm_uses_blas());
}

static void the_users_choice_is_kept(void **state) {
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    assert_false(blas_is_behind());
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_kernels_do_all_where_openblas_is_behind),
                                       cmocka_unit_test(the_users_choice_is_kept)};
    const char *core = getenv("OPENBLAS_CORETYPE");
    if (!core || strcmp(core, "Prescott") != 0) {
        setenv("OPENBLAS_CORETYPE", "Prescott", 1);
        execv(argv[0], argv);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
