// Tables made from known singular values, waves and similarities, which must be found again.
#include "lab/stats/spectrum.h"
#include "tests/support/scene.h"

static const double pi = 3.141592653589793;

// Column k of the orthonormal cosines (T), each orthogonal to the constant.
static double smooth(int t, int k, int T) {
    return sqrt(2.0 / T) * cos(pi * k * (t + 0.5) / T);
}

// Entry (r, c) of an orthogonal matrix (C, C): the reflection at (1, 2, ... C).
static double reflection(int r, int c, int C) {
    return (r == c) - 2 * (r + 1) * (c + 1) / (C * (C + 1) * (2 * C + 1) / 6.0);
}

// table (T, C) = a mean row + sum over k of values[k] * smooth(., k + 1) * row k of the reflection.
static void table_make(real *table, const double *values, int count, int T, int C) {
    for (int t = 0; t < T; t++)
        for (int c = 0; c < C; c++) {
            double sum = 1 + c % 3;
            for (int k = 0; k < count; k++) sum += values[k] * smooth(t, k + 1, T) * reflection(k, c, C);
            table[t * C + c] = (real)sum;
        }
}

static Spectrum spectrum_of(const real *table, int T, int C) {
    Spectrum spectrum;
    Error error;
    must(spectrum_create(&spectrum, table, T, C, &error), &error);
    assert_int_equal(spectrum.count, T < C ? T : C);
    return spectrum;
}

static void expect_values(int count, int T, int C) {
    static const double values[] = {7, 5, 4, 2.5, 1, 0.5};
    real *table = nan_reals((size_t)T * C);
    table_make(table, values, count, T, C);
    Spectrum s = spectrum_of(table, T, C);
    for (int k = 0; k < s.count; k++) expect_near("value", (size_t)k, s.values[k], k < count ? values[k] : 0, 1e-5);
    spectrum_free(&s);
    free(table);
}

static void singular_values_are_known(void **state) {
    if (!SPECTRUM_HAS_VALUES) skip();
    expect_values(6, 40, 6);
    expect_values(3, 40, 6);
    expect_values(4, 5, 12); // fewer rows than columns: the mean takes one value away
    expect_values(6, 300, 48);
}

static void ranks_are_counted(void **state) {
    static const double equal[] = {3, 3, 3, 3}, one[] = {5, 0, 0},
                        halves[] = {2, 1.4142135623730951, 1.4142135623730951}, none[] = {0, 0}, tenths[] = {3, 1};
    expect_near("equal", 0, effective_rank(equal, 4), 4, 1e-12);
    expect_near("one", 0, effective_rank(one, 3), 1, 1e-12);
    expect_near("a half, two quarters", 0, effective_rank(halves, 3), pow(2, 1.5), 1e-12);
    assert_true(isnan(effective_rank(none, 2)));
    assert_int_equal(values_holding(equal, 4, 0.7), 3);
    assert_int_equal(values_holding(equal, 4, 0.76), 4);
    assert_int_equal(values_holding(one, 3, 0.99), 1);
    assert_int_equal(values_holding(halves, 3, 0.49), 1);
    assert_int_equal(values_holding(halves, 3, 0.51), 2);
    assert_int_equal(values_holding(tenths, 2, 0.89), 1);
    assert_int_equal(values_holding(tenths, 2, 0.91), 2);
    assert_int_equal(values_holding(none, 2, 0.9), 0);
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
        Spectrum s = spectrum_of(table, rows, C);
        for (int k = 0; k <= rows / 2; k++) {
            const double expected = k == 3 ? 2 : k == 7 ? 0.5 : 2 * k == rows ? half : 0;
            expect_near("power", (size_t)k, s.power[k], expected / all, 1e-6);
            sum += s.power[k];
        }
        expect_near("sum", 0, sum, 1, 1e-9);
        spectrum_free(&s);
    }
}

static void a_random_table_is_flat(void **state) {
    enum { ROWS = 400, C = 16 };
    real *table = random_reals(ROWS * C, "table", 0.02);
    Spectrum s = spectrum_of(table, ROWS, C);
    // Marchenko and Pastur: values within 1 +- sqrt(C/T) of each other's mean.
    assert_true(SPECTRUM_HAS_VALUES ? s.values[0] / s.values[C - 1] < 1.2 / 0.8 : isnan(s.values[0]));
    assert_true(SPECTRUM_HAS_VALUES ? effective_rank(s.values, C) > 0.97 * C : isnan(effective_rank(s.values, C)));
    assert_true(SPECTRUM_HAS_VALUES ? values_holding(s.values, C, 0.99) == C
                                    : isnan(values_holding(s.values, C, 0.99)));
    for (int k = 1; k <= ROWS / 2; k++)
        if (!(s.power[k] < 4.0 / ROWS * 2)) fail_msg("power[%d] is %g", k, s.power[k]);
    if (!(fabs(translation_invariance(table, ROWS, C) - 2.0 / ROWS) < 0.5 / ROWS))
        fail_msg("invariance %g of random rows", translation_invariance(table, ROWS, C));
    spectrum_free(&s);
    free(table);
}

// By the definition: squares around the mean of each distance, by squares around the mean of all.
static double invariance_directly(const real *table, int rows, int C) {
    double mean = 0, all = 0, within = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int distance = 1; distance < rows; distance++) {
            double products[64], of_distance = 0;
            for (int p = distance; p < rows; p++) {
                products[p] = 0;
                for (int c = 0; c < C; c++)
                    products[p] += (double)table[p * C + c] * (double)table[(p - distance) * C + c];
                of_distance += products[p] / (rows - distance);
            }
            for (int p = distance; p < rows; p++) {
                if (pass == 0) mean += products[p] / (0.5 * rows * (rows - 1));
                if (pass == 0) continue;
                all += pow(products[p] - mean, 2);
                within += pow(products[p] - of_distance, 2);
            }
        }
    return 1 - within / all;
}

static void invariance_is_what_the_distance_explains(void **state) {
    enum { ROWS = 60, C = 5 };
    real *table = random_reals(ROWS * C, "table", 1);
    for (int mixed = 0; mixed <= 1; mixed++) {
        if (mixed)
            for (int t = 0; t < ROWS; t++)
                table[t * C] += (real)(3 * cos(0.2 * t)), table[t * C + 1] += (real)(3 * sin(0.2 * t));
        expect_near("invariance", (size_t)mixed, translation_invariance(table, ROWS, C),
                    invariance_directly(table, ROWS, C), 1e-9);
    }
    for (int n = 0; n < ROWS * C; n++) table[n] = (real)0.3;
    assert_true(isnan(translation_invariance(table, ROWS, C)));
    free(table);
}

static void what_is_no_number_is_refused(void **state) {
    real table[6 * 2] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, NAN, 12};
    Spectrum spectrum;
    Error error = {0};
    expect_refused(spectrum_create(&spectrum, table, 6, 2, &error), &error, "not finite");
}

// All rows equal: nothing to decompose, and no number pretends otherwise.
static void a_constant_table_has_nothing(void **state) {
    enum { ROWS = 8, C = 4 };
    real table[ROWS * C];
    for (int n = 0; n < ROWS * C; n++) table[n] = (real)(n % C);
    Spectrum s = spectrum_of(table, ROWS, C);
    for (int k = 0; k < C; k++) assert_true(SPECTRUM_HAS_VALUES ? s.values[k] == 0 : isnan(s.values[k]));
    assert_true(isnan(effective_rank(s.values, C)) && isnan(s.power[1]));
    spectrum_free(&s);
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
        cmocka_unit_test(singular_values_are_known),
        cmocka_unit_test(ranks_are_counted),
        cmocka_unit_test(power_is_shared_out),
        cmocka_unit_test(a_random_table_is_flat),
        cmocka_unit_test(invariance_is_what_the_distance_explains),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(a_constant_table_has_nothing),
        cmocka_unit_test(a_linear_map_leaves_nothing),
        cmocka_unit_test(noise_is_not_explained_by_other_noise),
        cmocka_unit_test(the_rest_is_what_the_map_lacks),
        cmocka_unit_test(a_shift_maps_rows_to_later_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
