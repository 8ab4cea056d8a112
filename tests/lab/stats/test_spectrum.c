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
    assert_int_equal(spectrum.T, T);
    assert_int_equal(spectrum.count, T < C ? T : C);
    return spectrum;
}

static void expect_decomposition(int count, int T, int C) {
    static const double values[] = {7, 5, 4, 2.5, 1, 0.5};
    real *table = nan_reals((size_t)T * C);
    table_make(table, values, count, T, C);
    Spectrum s = spectrum_of(table, T, C);
    for (int k = 0; k < s.count; k++) {
        expect_near("value", (size_t)k, s.values[k], k < count ? values[k] : 0, 1e-5);
        if (k >= count) continue;
        double along = 0, length = 0;
        for (int t = 0; t < T; t++) along += s.vectors[t * s.count + k] * smooth(t, k + 1, T);
        for (int t = 0; t < T; t++) length += pow(s.vectors[t * s.count + k], 2);
        expect_near("vector", (size_t)k, fabs(along), 1, 1e-9);
        expect_near("length", (size_t)k, length, 1, 1e-9);
    }
    spectrum_free(&s);
    free(table);
}

static void singular_values_and_vectors_are_known(void **state) {
    expect_decomposition(6, 40, 6);
    expect_decomposition(3, 40, 6);
    expect_decomposition(4, 5, 12); // fewer rows than columns: the mean takes one value away
    expect_decomposition(6, 300, 48);
}

// Whole numbers, so that the table has rank one to the last bit. What has no value has no vector.
static void a_value_of_nothing_has_no_vector(void **state) {
    for (int C = 2; C <= 12; C += 5) {
        enum { ROWS = 9 };
        real table[ROWS * 12];
        for (int t = 0; t < ROWS; t++)
            for (int c = 0; c < C; c++) table[t * C + c] = (real)((t * t % 7) * (3 * c % 5 - 1));
        Spectrum s = spectrum_of(table, ROWS, C);
        assert_true(s.values[0] > 1);
        for (int k = 1; k < s.count; k++) {
            expect_near("value", (size_t)k, s.values[k], 0, 1e-12);
            for (int t = 0; t < ROWS; t++) assert_true(s.vectors[t * s.count + k] == 0);
        }
        spectrum_free(&s);
    }
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
enum { T = 200, WAVES = 4 };

// Multiples of 1/T and others.
static const double frequencies[WAVES] = {0.3127, 0.05, 0.0687, 0.0081}, amplitudes[WAVES] = {8, 4, 2, 1};

static void peaks_are_at_the_frequencies_of_the_waves(void **state) {
    real table[T * 2 * WAVES];
    for (int t = 0; t < T; t++)
        for (int w = 0; w < WAVES; w++) {
            table[t * 2 * WAVES + 2 * w] = (real)(amplitudes[w] * sin(2 * pi * frequencies[w] * t));
            table[t * 2 * WAVES + 2 * w + 1] = (real)(amplitudes[w] * cos(2 * pi * frequencies[w] * t));
        }
    Spectrum s = spectrum_of(table, T, 2 * WAVES);
    Peak peaks[2 * WAVES];
    Error error;
    must(spectrum_peaks(peaks, &s, 2 * WAVES, &error), &error);
    // Waves of few periods are not quite orthogonal, so vectors hold a little of each other's.
    for (int n = 0; n < 2 * WAVES; n++) {
        expect_near("frequency", (size_t)n, peaks[n].frequency, frequencies[n / 2], 0.1 / T);
        if (!(peaks[n].share >= 0.95 && peaks[n].share <= 1 + 1e-12)) fail_msg("share[%d] is %g", n, peaks[n].share);
    }
    expect_near("fastest", 0, peaks[0].frequency, frequencies[0], 1e-5);
    spectrum_free(&s);
}

// One wave, whatever its frequency and phase: found to many digits, and all of the variance is in it.
static void a_pure_wave_is_all_peak(void **state) {
    static const double pure[] = {0.5 / T, 0.7 / T, 1.0 / T, 1.5 / T, 2.0 / T, 0.1234, 0.1213, 0.4987, 0.5};
    for (size_t n = 0; n < COUNT(pure); n++) {
        real wave[T];
        for (int t = 0; t < T; t++) wave[t] = (real)(2 + cos(2 * pi * pure[n] * (t + 0.5)));
        if (pure[n] == 0.5) // there, the cosine halfway between two positions is 0
            for (int t = 0; t < T; t++) wave[t] = (real)(t % 2);
        Spectrum s = spectrum_of(wave, T, 1);
        Peak peak;
        Error error;
        must(spectrum_peaks(&peak, &s, 1, &error), &error);
        expect_near("frequency", n, peak.frequency, pure[n], 1e-5);
        expect_near("share", n, peak.share, 1, 1e-9);
        spectrum_free(&s);
    }
}

// Half of the variance at each of two frequencies.
static void a_share_is_a_share(void **state) {
    real wave[T];
    for (int t = 0; t < T; t++) wave[t] = (real)(sqrt(3) * cos(2 * pi * 10 * t / T) + cos(2 * pi * 37 * t / T + 1));
    Spectrum s = spectrum_of(wave, T, 1);
    Peak peak;
    Error error;
    must(spectrum_peaks(&peak, &s, 1, &error), &error);
    expect_near("frequency", 0, peak.frequency, 10.0 / T, 0.1 / T);
    expect_near("share", 0, peak.share, 0.75, 0.002);
    spectrum_free(&s);
}

// The codes (positions, width) of the sinusoidal scheme.
static real *sinusoidal_codes(const char *specification, int positions, int width) {
    Scene scene;
    Place at[512];
    real *codes = calloc((size_t)positions * width, sizeof *codes);
    assert_true(codes && positions <= 512);
    scene_make(&scene, specification, shape_of(1, width, positions), positions);
    places_run(at, positions);
    scene.pos->scheme->family->embed_forward(&scene.tables, codes, at, positions);
    scene_free(&scene);
    return codes;
}

// Its pairs are equally strong, so singular vectors mix them; but each has its peak at the frequency of a pair.
static void the_sinusoidal_scheme_has_its_own_frequencies(void **state) {
    enum { ROWS = 256, C = 12 };
    real *codes = sinusoidal_codes("sinusoidal:base=10", ROWS, C);
    Spectrum s = spectrum_of(codes, ROWS, C);
    Peak peaks[C];
    double near = 0;
    Error error;
    must(spectrum_peaks(peaks, &s, C, &error), &error);
    for (int n = 0; n < C; n++) {
        double nearest = INFINITY;
        for (int i = 0; i < C / 2; i++)
            nearest = fmin(nearest, fabs(peaks[n].frequency - pow(10, -2.0 * i / C) / (2 * pi)));
        if (!(nearest <= 0.3 / ROWS)) fail_msg("vector %d: %g cycles a token", n, peaks[n].frequency);
    }
    for (int k = 0; k <= ROWS / 2; k++)
        for (int i = 0; i < C / 2; i++)
            if (fabs((double)k / ROWS - pow(10, -2.0 * i / C) / (2 * pi)) < 1.5 / ROWS) near += s.power[k];
    if (!(near > 0.85)) fail_msg("only %g of the power is near the frequencies", near);
    if (!(translation_invariance(codes, ROWS, C) >= 1 - 1e-9)) fail_msg("%g", translation_invariance(codes, ROWS, C));
    spectrum_free(&s);
    free(codes);
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
    Peak peaks[C];
    double *cells = malloc(ROWS * ROWS * sizeof *cells);
    Error error;
    must(spectrum_peaks(peaks, &s, C, &error), &error);
    // Marchenko and Pastur: values within 1 +- sqrt(C/T) of each other's mean.
    if (!(s.values[0] / s.values[C - 1] < 1.2 / 0.8)) fail_msg("values from %g to %g", s.values[C - 1], s.values[0]);
    if (!(effective_rank(s.values, C) > 0.97 * C)) fail_msg("rank %g", effective_rank(s.values, C));
    assert_int_equal(values_holding(s.values, C, 0.99), C);
    for (int n = 0; n < C; n++)
        if (!(peaks[n].share < 0.1)) fail_msg("vector %d has %g in a wave", n, peaks[n].share);
    for (int k = 1; k <= ROWS / 2; k++)
        if (!(s.power[k] < 4.0 / ROWS * 2)) fail_msg("power[%d] is %g", k, s.power[k]);
    if (!(fabs(translation_invariance(table, ROWS, C) - 2.0 / ROWS) < 0.5 / ROWS))
        fail_msg("invariance %g of random rows", translation_invariance(table, ROWS, C));
    assert_int_equal(similarity(cells, table, ROWS, C, ROWS), ROWS);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(cells[i * ROWS + j]) < 0.95)) fail_msg("rows %d and %d: %g", i, j, cells[i * ROWS + j]);
    spectrum_free(&s);
    free(cells);
    free(table);
}

// --- likeness ---
static void cosines_are_those_of_the_angles(void **state) {
    enum { ROWS = 10 };
    static const int thinned[] = {0, 2, 5, 7}; // of 10 rows, 4
    real table[ROWS * 2];
    double cells[ROWS * ROWS];
    for (int t = 0; t < ROWS; t++) { // lengths must not matter
        table[2 * t] = (real)((t + 1) * cos(0.03 * t * t));
        table[2 * t + 1] = (real)((t + 1) * sin(0.03 * t * t));
    }
    assert_int_equal(similarity(cells, table, ROWS, 2, 50), ROWS);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            expect_near("cosine", (size_t)(i * ROWS + j), cells[i * ROWS + j], cos(0.03 * (i * i - j * j)), 1e-6);
    assert_int_equal(similarity(cells, table, ROWS, 2, 4), 4);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            expect_near("thinned", (size_t)(i * 4 + j), cells[i * 4 + j],
                        cos(0.03 * (thinned[i] * thinned[i] - thinned[j] * thinned[j])), 1e-6);
    table[0] = table[1] = 0;
    similarity(cells, table, ROWS, 2, ROWS);
    assert_true(isnan(cells[1]) && isnan(cells[0]) && !isnan(cells[ROWS + 1]));
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
    for (int k = 0; k < C; k++) assert_true(s.values[k] == 0);
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
        cmocka_unit_test(singular_values_and_vectors_are_known),
        cmocka_unit_test(a_value_of_nothing_has_no_vector),
        cmocka_unit_test(ranks_are_counted),
        cmocka_unit_test(peaks_are_at_the_frequencies_of_the_waves),
        cmocka_unit_test(a_pure_wave_is_all_peak),
        cmocka_unit_test(a_share_is_a_share),
        cmocka_unit_test(the_sinusoidal_scheme_has_its_own_frequencies),
        cmocka_unit_test(power_is_shared_out),
        cmocka_unit_test(a_random_table_is_flat),
        cmocka_unit_test(cosines_are_those_of_the_angles),
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
