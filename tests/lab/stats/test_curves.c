// Curves made from a formula, with and without noise, must be found to follow that formula and no other.
#include "lab/stats/curves.h"
#include "tests/support/support.h"

enum { N_MOST = 512 };

static CurveFits fits_of(const double *curve, int n) {
    CurveFits fits;
    Error error;
    memset(&fits, 0xA5, sizeof fits);
    must(curves_fit(&fits, curve, n, &error), &error);
    return fits;
}

// Formulas with their values at distance `at`, worked out by hand.
static const struct {
    CurveFamily family;
    CurveFit fit;
    double at, value;
} formulas[] = {
    {FAMILY_CONSTANT, {0.7, {0}, NAN, 0}, 5, 0.7},
    {FAMILY_LINEAR, {0.5, {-0.0625}, NAN, 0}, 8, 0},
    {FAMILY_LOG, {1, {-0.8}, 0.5, 0}, 12.778112197861301, -0.6}, // 0.5 d = e^2 - 1
    {FAMILY_LOG, {-2, {3}, 6, 0}, 0, -2},
    {FAMILY_POWER, {0.2, {-0.3}, 0.5, 0}, 16, -1},
    {FAMILY_POWER, {4, {0.01}, 1.7, 0}, 0, 4},
    {FAMILY_EXPONENTIAL, {-1, {2}, 9, 0}, 6.238324625039508, 0}, // 9 ln 2
    {FAMILY_EXPONENTIAL, {3, {-1}, 2.5, 0}, 0, 2},
    {FAMILY_FOURIER, {0.1, {1, 0.5}, 0.0625, 0}, 4, 0.6},
    {FAMILY_FOURIER, {-5, {0, 0.3}, 0.213, 0}, 0, -5},
};

static void formulas_are_what_they_say(void **state) {
    for (size_t n = 0; n < COUNT(formulas); n++)
        expect_near("value", n, curve_value(formulas[n].family, &formulas[n].fit, formulas[n].at), formulas[n].value,
                    1e-12);
    for (int a = 0; a < FAMILIES; a++)
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(family_name((CurveFamily)a), family_name((CurveFamily)b));
            assert_string_not_equal(family_formula((CurveFamily)a), family_formula((CurveFamily)b));
        }
}

// curve (n) = the formula + noise of this size, relative to the formula's standard deviation.
static void curve_make(double *curve, int formula, int n, double noise, uint64_t seed) {
    const uint64_t key = random_key(seed, "noise");
    double mean = 0, variance = 0;
    for (int d = 0; d < n; d++)
        mean += (curve[d] = curve_value(formulas[formula].family, &formulas[formula].fit, d)) / n;
    for (int d = 0; d < n; d++) variance += pow(curve[d] - mean, 2) / n;
    for (int d = 0; d < n; d++) curve[d] += noise * sqrt(variance) * random_normal(key, (uint64_t)d);
}

static void exact_curves_give_their_parameters(void **state) {
    static const int lengths[] = {33, 64, 200};
    for (size_t f = 1; f < COUNT(formulas); f++)
        for (size_t l = 0; l < COUNT(lengths); l++) {
            double curve[N_MOST];
            const CurveFit *expected = &formulas[f].fit;
            curve_make(curve, (int)f, lengths[l], 0, 0);
            const CurveFits fits = fits_of(curve, lengths[l]);
            const CurveFit *fit = &fits.fits[formulas[f].family];
            if (fits.best != formulas[f].family) fail_msg("formula %zu taken for %s", f, family_name(fits.best));
            expect_near("error", f, fit->error, 0, 1e-5);
            expect_near("offset", f, fit->offset, expected->offset, 1e-3);
            for (int w = 0; w < 2; w++) expect_near("weight", f, fit->weights[w], expected->weights[w], 1e-3);
            assert_int_equal(isnan(fit->shape), isnan(expected->shape));
            if (!isnan(fit->shape)) expect_near("shape", f, fit->shape, expected->shape, 1e-3 * expected->shape);
        }
}

static void noise_does_not_hide_the_family(void **state) {
    static const int lengths[] = {64, 128, 255};
    for (size_t f = 1; f < COUNT(formulas); f++)
        for (size_t l = 0; l < COUNT(lengths); l++)
            for (uint64_t seed = 0; seed < 10; seed++) {
                double curve[N_MOST];
                curve_make(curve, (int)f, lengths[l], 0.02, seed);
                const CurveFits fits = fits_of(curve, lengths[l]);
                const double error = fits.fits[formulas[f].family].error;
                if (fits.best != formulas[f].family)
                    fail_msg("formula %zu, %d distances, seed %d: taken for %s, error %g instead of %g", f, lengths[l],
                             (int)seed, family_name(fits.best), fits.fits[fits.best].error, error);
                expect_near("error", f, error, 0.02, 0.01);
            }
}

// Shapes stay where the header says.
static void expect_shapes(const CurveFits *fits, int n) {
    const double least[FAMILIES] = {[FAMILY_LOG] = 1.0 / n, 0.05, 0.5, 1.0 / n},
                 most[FAMILIES] = {0, 0, 100, 2, n, 0.25};
    for (int family = FAMILY_LOG; family < FAMILIES; family++) {
        const double shape = fits->fits[family].shape;
        if (!(shape >= least[family] * (1 - 1e-9) && shape <= most[family] * (1 + 1e-9)))
            fail_msg("%s: shape %g", family_name((CurveFamily)family), shape);
    }
}

// Waves between the steps of any grid.
static void waves_of_all_lengths_are_found(void **state) {
    for (int i = 0; i < 60; i++) {
        const CurveFit wave = {0.3, {1, -0.7}, 0.008 + 0.0039 * i, 0};
        double curve[200];
        for (int d = 0; d < 200; d++) curve[d] = curve_value(FAMILY_FOURIER, &wave, d);
        const CurveFits fits = fits_of(curve, 200);
        assert_int_equal(fits.best, FAMILY_FOURIER);
        expect_near("frequency", (size_t)i, fits.fits[FAMILY_FOURIER].shape, wave.shape, 1e-6);
    }
}

// A line that noise of twice its spread hides from the eye is still better than nothing.
static void faint_families_are_found(void **state) {
    for (uint64_t seed = 0; seed < 10; seed++) {
        double curve[N_MOST];
        curve_make(curve, 1, N_MOST, 2, seed);
        const CurveFits fits = fits_of(curve, N_MOST);
        if (fits.best == FAMILY_CONSTANT) fail_msg("seed %d: nothing found", (int)seed);
    }
}

// A constant's error is about 1 whatever the curve, and nobody else gets far below it on noise.
static void noise_alone_is_no_family(void **state) {
    for (int n = CURVE_LEAST; n <= 256; n *= 2) {
        int constant = 0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            double curve[N_MOST];
            const uint64_t key = random_key(seed, "curve");
            for (int d = 0; d < n; d++) curve[d] = random_normal(key, (uint64_t)d);
            const CurveFits fits = fits_of(curve, n);
            constant += fits.best == FAMILY_CONSTANT;
            expect_shapes(&fits, n);
            if (!(fits.fits[FAMILY_CONSTANT].error > 0.4)) fail_msg("%g", fits.fits[FAMILY_CONSTANT].error);
        }
        if (!(constant >= 37)) fail_msg("%d distances: %d of 40 taken for a constant", n, constant);
    }
}

static void what_has_no_spread_has_no_error(void **state) {
    double flat[100], broken[100];
    for (int d = 0; d < 100; d++) {
        flat[d] = 0.1;
        broken[d] = d == 57 ? NAN : d;
    }
    const CurveFits fits[] = {fits_of(flat, 100), fits_of(broken, 100)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fits[i].best, FAMILY_CONSTANT);
        for (int family = 0; family < FAMILIES; family++) assert_true(isnan(fits[i].fits[family].error));
    }
    expect_near("offset", 0, fits[0].fits[FAMILY_CONSTANT].offset, 0.1, 1e-12);
}

// The fit is by the even distances and the error by the odd ones: moving the odd ones by 3 costs an error of 3.
static void odd_distances_judge_what_even_ones_fit(void **state) {
    for (int n = 100; n <= 101; n++) {
        double curve[N_MOST], mean = 0, variance = 0;
        for (int d = 0; d < n; d++) mean += (curve[d] = 2 - 0.25 * d + 3 * (d % 2)) / n;
        for (int d = 0; d < n; d++) variance += pow(curve[d] - mean, 2) / n;
        const CurveFits fits = fits_of(curve, n);
        const CurveFit *linear = &fits.fits[FAMILY_LINEAR];
        expect_near("offset", 0, linear->offset, 2, 1e-9);
        expect_near("slope", 0, linear->weights[0], -0.25, 1e-9);
        expect_near("error", 0, linear->error, 3 / sqrt(variance), 1e-9);
    }
    const double last_is_even[17] = {[16] = 9}, last_is_odd[18] = {[17] = 9};
    expect_near("offset", 17, fits_of(last_is_even, 17).fits[FAMILY_CONSTANT].offset, 1, 1e-12);
    expect_near("offset", 18, fits_of(last_is_odd, 18).fits[FAMILY_CONSTANT].offset, 0, 1e-12);
    expect_near("error", 18, fits_of(last_is_odd, 18).fits[FAMILY_CONSTANT].error, sqrt(18 / 9.0 / (1 - 1 / 18.0)),
                1e-9);
}

// From even distances a wave of 0.4 cycles a token looks like one of 0.1, and the odd ones tell that it is not.
static void waves_too_fast_are_no_family(void **state) {
    double curve[128];
    for (int d = 0; d < 128; d++) curve[d] = cos(2 * 3.141592653589793 * 0.4 * d);
    const CurveFits fits = fits_of(curve, 128);
    assert_int_equal(fits.best, FAMILY_CONSTANT);
    if (!(fits.fits[FAMILY_FOURIER].error > 1)) fail_msg("%g", fits.fits[FAMILY_FOURIER].error);
}

// Schwarz's criterion with its numbers of parameters, on curves that leave the choice open.
static void the_choice_is_schwarz_s(void **state) {
    static const int parameters[FAMILIES] = {1, 2, 3, 3, 3, 4};
    int chosen[FAMILIES] = {0};
    for (uint64_t seed = 0; seed < 60; seed++)
        for (size_t f = 0; f < COUNT(formulas); f++) {
            double curve[N_MOST], least = INFINITY;
            CurveFamily best = FAMILY_CONSTANT;
            curve_make(curve, (int)f, 40, 0.1 + 0.02 * (double)seed, seed);
            const CurveFits fits = fits_of(curve, 40);
            for (int family = 0; family < FAMILIES; family++) {
                const double score = log(fits.fits[family].error) + parameters[family] * log(20) / 40;
                if (score < least) least = score, best = (CurveFamily)family;
            }
            assert_int_equal(fits.best, best);
            chosen[best]++;
        }
    for (int family = 0; family < FAMILIES; family++) assert_true(chosen[family] > 0);
}

// exp(-d/p) and log(1 + p d) that go on far beyond the curve are straight lines as far as it says.
static void what_hardly_bends_is_linear(void **state) {
    double slow[100], faint[100];
    const uint64_t key = random_key(1, "noise");
    for (int d = 0; d < 100; d++) {
        slow[d] = exp(-d / 4000.0) + 1e-4 * random_normal(key, (uint64_t)d);
        faint[d] = -log1p(d / 4000.0) + 1e-4 * random_normal(key, (uint64_t)d);
    }
    const CurveFits fits[] = {fits_of(slow, 100), fits_of(faint, 100)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fits[i].best, FAMILY_LINEAR);
        expect_shapes(&fits[i], 100);
    }
    expect_near("slowest", 0, fits[0].fits[FAMILY_EXPONENTIAL].shape, 100, 1e-4);
    expect_near("faintest", 1, fits[1].fits[FAMILY_LOG].shape, 0.01, 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_what_they_say),      cmocka_unit_test(exact_curves_give_their_parameters),
        cmocka_unit_test(noise_does_not_hide_the_family),  cmocka_unit_test(waves_of_all_lengths_are_found),
        cmocka_unit_test(faint_families_are_found),        cmocka_unit_test(noise_alone_is_no_family),
        cmocka_unit_test(what_has_no_spread_has_no_error), cmocka_unit_test(odd_distances_judge_what_even_ones_fit),
        cmocka_unit_test(waves_too_fast_are_no_family),    cmocka_unit_test(what_hardly_bends_is_linear),
        cmocka_unit_test(the_choice_is_schwarz_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
