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

static double rank_of(const real *table, int T, int C) {
    double rank, *power = malloc(((size_t)T / 2 + 1) * sizeof *power);
    Error error;
    must(spectrum(&rank, power, table, T, C, &error), &error);
    free(power);
    return rank;
}

// Of a table (T, C) with these singular values, beside a mean row: a sum over k of values[k] * smooth(., k + 1) * row k
// of the reflection.
static void expect_rank(const double *values, int count, int T, int C, double expected) {
    real *table = nan_reals((size_t)T * C);
    for (int t = 0; t < T; t++)
        for (int c = 0; c < C; c++) {
            double sum = 1 + c % 3;
            for (int k = 0; k < count; k++) sum += values[k] * smooth(t, k + 1, T) * reflection(k, c, C);
            table[t * C + c] = (real)sum;
        }
    expect_near("rank", (size_t)count, rank_of(table, T, C), expected, 1e-5);
    free(table);
}

static void ranks_are_known(void **state) {
    static const double equal[] = {3, 3, 3, 3}, one[] = {5}, halves[] = {2, 1.4142135623730951, 1.4142135623730951};
    if (!SPECTRUM_HAS_RANK) skip();
    expect_rank(equal, 4, 40, 6, 4);
    expect_rank(equal, 4, 5, 12, 4); // fewer rows than columns
    expect_rank(one, 1, 300, 48, 1);
    expect_rank(halves, 3, 40, 6, pow(2, 1.5)); // a half of the variance and two quarters
}

// --- waves ---
static void power_is_shared_out(void **state) {
    enum { C = 3 };
    for (int rows = 48; rows <= 49; rows++) { // with a wave at 1/2 and without
        real table[49 * C];
        double sum = 0, rank, power[25];
        Error error;
        for (int t = 0; t < rows; t++) {
            table[t * C] = (real)(5 + 2 * cos(2 * pi * 3 * t / rows));
            table[t * C + 1] = (real)(1 * sin(2 * pi * 7 * t / rows) - 4);
            table[t * C + 2] = rows % 2 ? 9 : (real)(t % 2 ? 1 : -1);
        }
        const double half = rows % 2 ? 0 : 1, all = 2 + 0.5 + half; // variances
        must(spectrum(&rank, power, table, rows, C, &error), &error);
        for (int k = 0; k <= rows / 2; k++) {
            const double expected = k == 3 ? 2 : k == 7 ? 0.5 : 2 * k == rows ? half : 0;
            expect_near("power", (size_t)k, power[k], expected / all, 1e-6);
            sum += power[k];
        }
        expect_near("sum", 0, sum, 1, 1e-9);
    }
}

static void random_and_constant_tables(void **state) {
    enum { ROWS = 512, C = 16 };
    real *table = random_reals(ROWS * C, "table", 0.02);
    double rank, power[ROWS / 2 + 1];
    Error error = {0};
    must(spectrum(&rank, power, table, ROWS, C, &error), &error);
    assert_true(SPECTRUM_HAS_RANK ? rank > 0.95 * C : isnan(rank));
    for (int k = 1; k <= ROWS / 2; k++)
        if (!(power[k] < 4.0 / ROWS * 2)) fail_msg("power[%d] is %g", k, power[k]);
    if (!(fabs(translation_invariance(table, ROWS, C) - 2.0 / ROWS) < 0.5 / ROWS))
        fail_msg("invariance %g of random rows", translation_invariance(table, ROWS, C));
    table[ROWS] = NAN;
    expect_refused(spectrum(&rank, power, table, ROWS, C, &error), &error, "not finite");
    for (int n = 0; n < ROWS * C; n++) table[n] = (real)(n % C); // nothing to decompose: no number pretends otherwise
    must(spectrum(&rank, power, table, ROWS, C, &error), &error);
    assert_true(isnan(rank) && isnan(power[1]) && isnan(translation_invariance(table, ROWS, C)));
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
    free(table);
}

// --- linear maps, from the first half of a table to its second half ---
static void a_linear_map_leaves_nothing(void **state) {
    enum { ROWS = 40, C = 6 };
    real *codes = random_reals(2 * ROWS * C, "codes", 1), *map = random_reals(C * C, "map", 1);
    for (int r = 0; r < ROWS; r++) codes[r * C + 5] = codes[r * C] - 2 * codes[r * C + 1]; // others explain it
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < C; c++) {
            real *y = &codes[(ROWS + r) * C + c];
            *y = 0;
            for (int i = 0; i < C; i++) *y += codes[r * C + i] * map[i * C + c];
        }
    const double residual = shift_residual(codes, 2 * ROWS, C, ROWS);
    if (!(residual <= 1e-6)) fail_msg("residual %g", residual);
    free(codes);
    free(map);
}

static void noise_is_not_explained_by_other_noise(void **state) {
    enum { ROWS = 4000, C = 4 };
    real *codes = random_reals(2 * ROWS * C, "codes", 1);
    const double centred = shift_residual(codes, 2 * ROWS, C, ROWS);
    if (!(fabs(centred - sqrt(1 - (double)C / ROWS)) <= 0.02)) fail_msg("residual %g", centred);
    for (int n = ROWS * C; n < 2 * ROWS * C; n++) codes[n] += 7; // the mean does not count as spread
    const double residual = shift_residual(codes, 2 * ROWS, C, ROWS);
    if (!(residual > 6)) fail_msg("a mean of 7 is no linear map of noise, but the residual is %g", residual);
    assert_true(isnan(shift_residual(codes, 2 * C, C, C)) && isnan(shift_residual(codes, C, C, 2 * C)));
    assert_true(!isnan(shift_residual(codes, 2 * C + 1, C, C)));
    free(codes);
}

// The second half holds amounts of one column of the first and of another that the first lacks.
static void the_rest_is_what_the_map_lacks(void **state) {
    enum { ROWS = 30, C = 2 };
    static const double within[C] = {3, 1}, beside[C] = {4, 2};
    real codes[2 * ROWS * C];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < C; c++) { // columns neither of length 1 nor at right angles
            codes[r * C + c] = (real)(3 * smooth(r, 1, ROWS) + 2 * c * smooth(r, 2, ROWS));
            codes[(ROWS + r) * C + c] = (real)(within[c] * smooth(r, 1 + c, ROWS) + beside[c] * smooth(r, 5, ROWS));
        }
    expect_near("residual", 0, shift_residual(codes, 2 * ROWS, C, ROWS), sqrt((16.0 + 4) / (9 + 1 + 16 + 4)), 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_known),
        cmocka_unit_test(power_is_shared_out),
        cmocka_unit_test(random_and_constant_tables),
        cmocka_unit_test(invariance_is_what_the_distance_explains),
        cmocka_unit_test(a_linear_map_leaves_nothing),
        cmocka_unit_test(noise_is_not_explained_by_other_noise),
        cmocka_unit_test(the_rest_is_what_the_map_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
