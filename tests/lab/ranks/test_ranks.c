// What ranks do together. Alone there is one rank; tests/mpi/ranks.sh starts the same program by mpirun.
#include "lab/ranks/ranks.h"
#include "tests/support/support.h"

// Numbers whose sum depends on the order of adding.
static real value(int rank, size_t n) {
    const uint64_t bits = random_bits(17 + (uint64_t)rank, n);
    return (real)((double)(int32_t)bits * (double)(1 << (bits >> 60)));
}

static void sums_are_in_the_order_of_ranks(void **state) {
    const size_t counts[] = {1, 2, 1000, (1 << 22) - 1, (1 << 22) + 3};
    const int ranks = ranks_count();
    for (size_t c = 0; c < COUNT(counts); c++) {
        real *values = malloc(counts[c] * sizeof *values);
        Error error;
        bool order_matters = false;
        assert_non_null(values);
        for (size_t n = 0; n < counts[c]; n++) values[n] = value(ranks_own(), n);
        must(ranks_sum(values, counts[c], &error), &error);
        for (size_t n = 0; n < counts[c]; n++) {
            real rising = 0, falling = 0;
            for (int r = 0; r < ranks; r++) {
                rising += value(r, n);
                falling += value(ranks - 1 - r, n);
            }
            order_matters |= rising != falling;
            if (memcmp(&values[n], &rising, sizeof rising) != 0)
                fail_msg("number %zu of %zu is %.9g, not %.9g", n, counts[c], (double)values[n], (double)rising);
        }
        if (counts[c] >= 1000) assert_int_equal(order_matters, ranks > 2);
        free(values);
    }
}

static void doubles_are_summed(void **state) {
    const int ranks = ranks_count();
    double sums[] = {1, ranks_own(), 0.1};
    double tenths = 0;
    Error error;
    must(ranks_sum_doubles(sums, 3, &error), &error);
    for (int r = 0; r < ranks; r++) tenths += 0.1;
    assert_true(sums[0] == ranks && sums[1] == ranks * (ranks - 1) / 2.0 && sums[2] == tenths);
}

static void all_get_what_the_first_has(void **state) {
    char text[100] = "";
    Error error;
    if (ranks_first()) snprintf(text, sizeof text, "from rank 0");
    must(ranks_share(text, sizeof text, &error), &error);
    assert_string_equal(text, "from rank 0");
}

// The last test: afterwards the ranks are on their own.
static void one_failure_is_the_failure_of_all(void **state) {
    const int last = ranks_count() - 1;
    real number = 7;
    char expected[100];
    Error error;
    assert_true(ranks_agree(true, &error));
    const bool ok = ranks_own() != last || fail_nonfinite(&error, "lost it");
    assert_false(ranks_agree(ok, &error));
    assert_int_equal(error.kind, ERROR_NONFINITE);
    snprintf(expected, sizeof expected, "process %d, on ", last);
    assert_non_null(strstr(error.message, "lost it"));
    assert_int_equal(strncmp(error.message, expected, strlen(expected)) == 0, last > 0);
    assert_int_equal(ranks_agree(true, &error), last == 0);
    assert_int_equal(ranks_sum(&number, 1, &error), last == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_in_the_order_of_ranks),
        cmocka_unit_test(doubles_are_summed),
        cmocka_unit_test(all_get_what_the_first_has),
        cmocka_unit_test(one_failure_is_the_failure_of_all),
    };
    Error error;
    if (!ranks_start(&error)) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
