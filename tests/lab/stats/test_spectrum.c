// Tables are made from known waves, which must be found again.
#include "lab/stats/spectrum.h"
#include "tests/support/scene.h"

static const double pi = 3.141592653589793;

static double *power_of(const real *table, int T, int C) {
    Error error;
    double *power = power_spectrum(table, T, C, &error);
    must(power != NULL, &error);
    return power;
}

static void power_is_shared_out(void **state) {
    enum { C = 3 };
    for (int rows = 48; rows <= 49; rows++) { // with a wave at 1/2 and without
        real table[49 * C];
        double sum = 0;
        for (int t = 0; t < rows; t++) {
            table[t * C] = (real)(5 + 2 * cos(2 * pi * 3 * t / rows));
            table[t * C + 1] = (real)(1 * sin(2 * pi * 7 * t / rows) - 4);
            table[t * C + 2] = rows % 2 ? 9 : (real)(t % 2 ? 1 : -1);
        }
        const double half = rows % 2 ? 0 : 1, all = 2 + 0.5 + half; // variances
        double *power = power_of(table, rows, C);
        for (int k = 0; k <= rows / 2; k++) {
            const double expected = k == 3 ? 2 : k == 7 ? 0.5 : 2 * k == rows ? half : 0;
            expect_near("power", (size_t)k, power[k], expected / all, 1e-6);
            sum += power[k];
        }
        expect_near("sum", 0, sum, 1, 1e-9);
        free(power);
    }
}

static void a_random_table_is_flat(void **state) {
    enum { ROWS = 400, C = 16 };
    real *table = random_reals(ROWS * C, "table", 0.02);
    double *power = power_of(table, ROWS, C);
    for (int k = 1; k <= ROWS / 2; k++)
        if (!(power[k] < 4.0 / ROWS * 2)) fail_msg("power[%d] is %g", k, power[k]);
    free(power);
    free(table);
}

static void what_is_no_number_is_refused(void **state) {
    real table[6 * 2] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, NAN, 12};
    Error error = {0};
    expect_refused(power_spectrum(table, 6, 2, &error) != NULL, &error, "not finite");
}

// With all rows equal there is nothing to decompose, and all numbers say so.
static void a_constant_table_has_nothing(void **state) {
    enum { ROWS = 11, C = 4 };
    real table[ROWS * C];
    for (int n = 0; n < ROWS * C; n++) table[n] = (real)(0.1 * (n % C)); // whose mean has another last bit
    double *power = power_of(table, ROWS, C);
    assert_true(isnan(power[1]));
    free(power);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_is_shared_out),
        cmocka_unit_test(a_random_table_is_flat),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(a_constant_table_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
