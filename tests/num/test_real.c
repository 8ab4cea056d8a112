// real_exp, real_log1p and real_turn in float compared with the C library in long double or double.
#include "tests/support/support.h"

#include <float.h>

enum { BLOCK = 4096 };

// As the program calls it: in a loop that the compiler vectorises.
static void exp_all(float *out, const float *x, int count) {
#pragma omp simd
    for (int i = 0; i < count; i++) out[i] = real_exp(x[i]);
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The error in units of the last place of the exact result.
static double ulps(float found, float x) {
    const long double exact = expl((long double)x);
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)found - exact) / ldexpl(1, exponent - FLT_MANT_DIG));
}

static void expect_within_2_ulp(const float *x, int count) {
    float out[BLOCK];
    exp_all(out, x, count);
    for (int i = 0; i < count; i++) {
        const double error = ulps(out[i], x[i]);
        if (!(error <= 2)) fail_msg("exp(%.9g) is %.9g: %g ulp off", (double)x[i], (double)out[i], error);
    }
}

// Every 997th float from -87 to 88, of each sign: all magnitudes from the smallest denormal up.
static void within_2_ulp_everywhere(void **state) {
    float x[BLOCK];
    int count = 0;
    for (uint32_t bits = 0; float_of(bits) <= 88; bits += 997) {
        x[count++] = float_of(bits);
        if (x[count - 1] <= 87) x[count++] = -float_of(bits);
        if (count < BLOCK - 1) continue;
        expect_within_2_ulp(x, count);
        count = 0;
    }
    expect_within_2_ulp(x, count);
    expect_within_2_ulp((const float[]){0, -0.0f, -87, 88, FLT_MIN, -FLT_MIN, FLT_EPSILON}, 7);
    assert_true(real_exp(0) == 1);
}

// Half-way between multiples of ln 2 the power of two changes; the error must not show it.
static void within_2_ulp_at_the_seams(void **state) {
    float x[BLOCK];
    for (int n = -125; n <= 125; n++) {
        const float seam = (float)((n + 0.5) * 0.69314718055994531);
        float at = seam;
        for (int i = 0; i < 200; i++) at = nextafterf(at, -INFINITY);
        for (int i = 0; i < 400; i++, at = nextafterf(at, INFINITY)) x[i] = at;
        expect_within_2_ulp(x, 400);
    }
}

static void nan_stays_nan(void **state) {
    float x[BLOCK], out[BLOCK];
    int count = 0;
    for (uint32_t payload = 1; payload < 0x800000; payload = 2 * payload + 1) {
        x[count++] = float_of(0x7F800000 | payload);
        x[count++] = float_of(0xFF800000 | payload);
    }
    x[count++] = NAN;
    x[count++] = -NAN;
    exp_all(out, x, count);
    for (int i = 0; i < count; i++)
        if (!isnan(out[i]) || !isnan(real_exp(x[i]))) fail_msg("NaN number %d became %g", i, (double)out[i]);
}

static void far_above_is_infinite(void **state) {
    static const float x[] = {88.00001f, 89, 100, 127, 128, 1e3f, 1e6f, 2.1e9f, 1e20f, FLT_MAX, INFINITY};
    float out[COUNT(x)];
    exp_all(out, x, COUNT(x));
    for (size_t i = 0; i < COUNT(x); i++) {
        assert_true(isinf(out[i]) && out[i] > 0);
        assert_true(isinf(real_exp(x[i])) && real_exp(x[i]) > 0);
    }
}

// A masked or very low score must weigh nothing: never NaN, never negative, never above the smallest normal number.
static void far_below_is_nothing(void **state) {
    float x[BLOCK], out[BLOCK];
    int count = 0;
    for (uint32_t bits = 0x42AE0000; bits < 0x7F800000; bits += 0x7FFFF) x[count++] = -float_of(bits); // from -87 down
    x[count++] = -FLT_MAX;
    x[count++] = -INFINITY;
    exp_all(out, x, count);
    for (int i = 0; i < count; i++) {
        if (!(out[i] >= 0 && out[i] <= 2 * FLT_MIN)) fail_msg("exp(%.9g) is %.9g", (double)x[i], (double)out[i]);
        if (!(real_exp(x[i]) >= 0 && real_exp(x[i]) <= 2 * FLT_MIN)) fail_msg("exp(%.9g), alone", (double)x[i]);
    }
}

// --- log(1 + x) and turns ---
//
// From the smallest denormal to 1, which gives log 2; softplus(x) of a very negative x needs all digits of the
// smallest.
static void log1p_within_2_ulp(void **state) {
    float x[BLOCK], out[BLOCK];
    for (uint32_t first = 0; float_of(first) <= 1;) {
        int count = 0;
        for (; count < BLOCK && float_of(first) <= 1; first += 997) x[count++] = float_of(first);
#pragma omp simd
        for (int i = 0; i < count; i++) out[i] = real_log1p(x[i]);
        for (int i = 0; i < count; i++) {
            const double exact = log1p((double)x[i]), ulp = fmax(exact * FLT_EPSILON, FLT_MIN * FLT_EPSILON);
            if (!(fabs((double)out[i] - exact) <= 2 * ulp))
                fail_msg("log1p(%.9g) is %.9g", (double)x[i], (double)out[i]);
        }
    }
    assert_true(isnan(real_log1p(NAN)));
}

// All around the circle, at the borders of quarters, and after so many turns that a float would lose the angle.
static void turns_end_where_they_should(void **state) {
    float cosine[BLOCK], sine[BLOCK];
    static const double around[] = {0, 1, -1, 7, -1000, 1e6, 1e9};
    for (size_t n = 0; n < COUNT(around); n++) {
        double turns[BLOCK];
        for (int i = 0; i < BLOCK; i++) turns[i] = around[n] + (i - BLOCK / 2) / 1024.0 + (i % 3 - 1) * 1e-6;
#pragma omp simd
        for (int i = 0; i < BLOCK; i++) real_turn(&cosine[i], &sine[i], turns[i]);
        for (int i = 0; i < BLOCK; i++) {
            const double angle = 2 * M_PI * (turns[i] - around[n]); // exact: what turns was rounded to counts
            expect_near("cos", (size_t)i, (double)cosine[i], cos(angle), 1.5e-7);
            expect_near("sin", (size_t)i, (double)sine[i], sin(angle), 1.5e-7);
        }
    }
    real_turn(cosine, sine, 0);
    assert_true(cosine[0] == 1 && sine[0] == 0);
    real_turn(cosine, sine, NAN);
    assert_true(isnan(cosine[0]) && isnan(sine[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_2_ulp_everywhere),
        cmocka_unit_test(within_2_ulp_at_the_seams),
        cmocka_unit_test(nan_stays_nan),
        cmocka_unit_test(far_above_is_infinite),
        cmocka_unit_test(far_below_is_nothing),
        cmocka_unit_test(log1p_within_2_ulp),
        cmocka_unit_test(turns_end_where_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
