// Tables made from known waves and linear maps, which must be found again.
#include "lab/stats/spectrum.h"
#include "tests/support/scene.h"

static const double pi = 3.141592653589793;

// Column k of the orthonormal cosines (T), each orthogonal to the constant.
static double smooth(int t, int k, int T) {
    return sqrt(2.0 / T) * cos(pi * k * (t + 0.5) / T);
}

static double *power_of(const real *table, int T, int C) {
    Error error;
    double *power = power_spectrum(table, T, C, &error);
    must(power != NULL, &error);
    return power;
}

// --- waves ---
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

// All rows equal: nothing to decompose, and no number pretends otherwise.
static void a_constant_table_has_nothing(void **state) {
    enum { ROWS = 8, C = 4 };
    real table[ROWS * C];
    for (int n = 0; n < ROWS * C; n++) table[n] = (real)(n % C);
    double *power = power_of(table, ROWS, C);
    assert_true(isnan(power[1]));
    free(power);
}

// --- linear maps ---
static void a_linear_map_leaves_nothing(void **state) {
    enum { ROWS = 40, C = 6 };
    double X[ROWS * C], Y[ROWS * C], map[C * C];
    for (int n = 0; n < C * C; n++) map[n] = random_normal(1, (uint64_t)n);
    for (int n = 0; n < ROWS * C; n++) X[n] = random_normal(2, (uint64_t)n);
    for (int r = 0; r < ROWS; r++) X[r * C + 5] = X[r * C] - 2 * X[r * C + 1]; // a column that others explain
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < C; c++) {
            Y[r * C + c] = 0;
            for (int i = 0; i < C; i++) Y[r * C + c] += X[r * C + i] * map[i * C + c];
        }
    const double residual = linear_residual(Y, X, ROWS, C);
    if (!(residual <= 1e-12)) fail_msg("residual %g", residual);
}

static void noise_is_not_explained_by_other_noise(void **state) {
    enum { ROWS = 4000, C = 4 };
    static double X[ROWS * C], Y[ROWS * C];
    for (int n = 0; n < ROWS * C; n++) {
        X[n] = random_normal(3, (uint64_t)n);
        Y[n] = 7 + random_normal(4, (uint64_t)n); // the mean does not count as spread
    }
    const double residual = linear_residual(Y, X, ROWS, C);
    if (!(residual > 6)) fail_msg("a mean of 7 is no linear map of noise, but the residual is %g", residual);
    for (int n = 0; n < ROWS * C; n++) {
        X[n] = random_normal(3, (uint64_t)n);
        Y[n] = random_normal(4, (uint64_t)n);
    }
    const double centred = linear_residual(Y, X, ROWS, C);
    if (!(fabs(centred - sqrt(1 - (double)C / ROWS)) <= 0.01)) fail_msg("residual %g", centred);
    assert_true(isnan(linear_residual(Y, X, C, C)));
}

// Columns of Y hold amounts of one column of X and of another that X lacks.
static void the_rest_is_what_the_map_lacks(void **state) {
    enum { ROWS = 30, C = 2 };
    static const double within[C] = {3, 1}, beside[C] = {4, 2};
    double X[ROWS * C], Y[ROWS * C];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < C; c++) {
            X[r * C + c] =
                3 * smooth(r, 1, ROWS) + 2 * c * smooth(r, 2, ROWS); // neither of length 1 nor at right angles
            Y[r * C + c] = within[c] * smooth(r, 1 + c, ROWS) + beside[c] * smooth(r, 5, ROWS);
        }
    expect_near("residual", 0, linear_residual(Y, X, ROWS, C), sqrt((16.0 + 4) / (9 + 1 + 16 + 4)), 1e-12);
}

// By the definition: later rows as a linear map of the rows `shift` before.
static void a_shift_maps_rows_to_later_rows(void **state) {
    enum { ROWS = 30, C = 3, SHIFT = 4 };
    double X[(ROWS - SHIFT) * C], Y[(ROWS - SHIFT) * C];
    real *codes = random_reals(ROWS * C, "codes", 1);
    for (int n = 0; n < (ROWS - SHIFT) * C; n++) X[n] = codes[n], Y[n] = codes[n + SHIFT * C];
    const double expected = linear_residual(Y, X, ROWS - SHIFT, C);
    assert_true(expected > 0.5);
    expect_near("residual", 0, shift_residual(codes, ROWS, C, SHIFT), expected, 1e-12);
    assert_true(isnan(shift_residual(codes, ROWS, C, ROWS)) && isnan(shift_residual(codes, ROWS, C, ROWS - C)));
    assert_true(!isnan(shift_residual(codes, ROWS, C, ROWS - C - 1)));
    free(codes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_is_shared_out),
        cmocka_unit_test(a_random_table_is_flat),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(a_constant_table_has_nothing),
        cmocka_unit_test(a_linear_map_leaves_nothing),
        cmocka_unit_test(noise_is_not_explained_by_other_noise),
        cmocka_unit_test(the_rest_is_what_the_map_lacks),
        cmocka_unit_test(a_shift_maps_rows_to_later_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
