// The check of the BLAS leaves no threads behind. compare runs it before it forks, and a process that is forked while
// an OpenMP team exists waits for that team for ever.
#include "num/blas.h"
#include "tests/support/support.h"

#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_process_forked_after_the_check_can_use_a_team(void **state) {
#ifdef BLAS_NONE
    puts("this build has no BLAS; make it with BLAS=openblas");
    skip();
#endif
    int threads = 0, status = 0;
    omp_set_num_threads(2);
    assert_true(blas_is_right());
    assert_int_equal(omp_get_max_threads(), 2);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        omp_set_num_threads(2); // clang's OpenMP forgets the number in a forked process
#pragma omp parallel reduction(+ : threads)
        threads += 1;
        _exit(threads == 2 ? 0 : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_process_forked_after_the_check_can_use_a_team)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
