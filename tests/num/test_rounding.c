// Rounding to fewer digits, compared with all values of fp8 and bf16 read bit by bit.
#include "num/rounding.h"
#include "tests/support/support.h"

#include <float.h>

// The value of an fp8 (E4M3) number: sign, 4 bits of exponent, 3 of fraction. All ones is NaN; there is no infinity.
static double fp8_value(int bits) {
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const double size = exponent == 15 && fraction == 7 ? (double)NAN
                        : exponent == 0                 ? ldexp(fraction, -9)
                                                        : ldexp(8 + fraction, exponent - 10);
    return bits & 128 ? -size : size;
}

static double bf16_value(uint32_t bits) {
    float value;
    bits <<= 16;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void expect_rounded(double x, NumberFormat format, double expected) {
    const double found = rounded(x, format, 0);
    if (!(found == expected)) fail_msg("%.17g in format %d is %.17g, not %.17g", x, (int)format, found, expected);
}

// The numbers of a format rise with their bits. Between two neighbours, the midpoint is rounded to the one whose last
// bit is 0, and other numbers to the nearer one.
static void expect_between(double low, double high, bool low_is_even, NumberFormat format) {
    const double half = (low + high) / 2;
    for (int sign = -1; sign <= 1; sign += 2) {
        expect_rounded(sign * low, format, sign * low);
        expect_rounded(sign * half, format, sign * (low_is_even ? low : high));
        expect_rounded(sign * nextafter(half, 0), format, sign * low);
        expect_rounded(sign * nextafter(half, HUGE_VAL), format, sign * high);
    }
}

static void all_256_of_fp8(void **state) {
    int nans = 0;
    for (int bits = 0; bits < 256; bits++) {
        const double value = fp8_value(bits);
        nans += isnan(value);
        if (isnan(value))
            assert_true(isnan(rounded(value, FORMAT_FP8, 0)));
        else
            expect_rounded(value, FORMAT_FP8, value);
    }
    assert_int_equal(nans, 2);
}

static void fp8_takes_the_nearest(void **state) {
    for (int bits = 0; bits < 126; bits++)
        expect_between(fp8_value(bits), fp8_value(bits + 1), bits % 2 == 0, FORMAT_FP8);
}

static void fp8_saturates(void **state) {
    const double beyond[] = {448, 449, 464, 480, 1e30, HUGE_VAL};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        expect_rounded(beyond[i], FORMAT_FP8, 448);
        expect_rounded(-beyond[i], FORMAT_FP8, -448);
    }
}

static void bf16_takes_the_nearest(void **state) {
    for (uint32_t bits = 0; bits < 0x7F7F; bits++)
        expect_between(bf16_value(bits), bf16_value(bits + 1), bits % 2 == 0, FORMAT_BF16);
}

// The largest number is 0x7F7F; half a step beyond it, the even neighbour is infinity.
static void bf16_has_infinity(void **state) {
    const double largest = bf16_value(0x7F7F), half = ldexp(511, 119);
    expect_rounded(largest, FORMAT_BF16, largest);
    expect_rounded(nextafter(half, 0), FORMAT_BF16, largest);
    expect_rounded(half, FORMAT_BF16, HUGE_VAL);
    expect_rounded(-half, FORMAT_BF16, -HUGE_VAL);
    expect_rounded(-HUGE_VAL, FORMAT_BF16, -HUGE_VAL);
}

static void nan_stays(void **state) {
    for (int format = FORMAT_FLOAT; format <= FORMAT_INT8; format++)
        assert_true(isnan(rounded((double)NAN, (NumberFormat)format, 1)));
}

static void float_is_left_alone(void **state) {
    real x[] = {(real)0.1, (real)1e-40, (real)-3e38, INFINITY}, before[4];
    memcpy(before, x, sizeof x);
    round_all(x, 4, FORMAT_FLOAT);
    assert_memory_equal(x, before, sizeof x);
    assert_true(rounded(M_PI, FORMAT_FLOAT, 0) == M_PI); // not even to single precision
}

// int8 has 255 values, evenly spaced; midpoints are rounded to the even one.
static void int8_is_a_ruler(void **state) {
    for (int n = -127; n <= 127; n++) {
        assert_true(rounded(n, FORMAT_INT8, 127) == n);
        assert_true(rounded(n + 0.5, FORMAT_INT8, 127) == (n == 127 ? 127 : n % 2 == 0 ? n : n + 1));
        assert_true(rounded(n + 0.25, FORMAT_INT8, 127) == n);
    }
    assert_true(rounded(1000, FORMAT_INT8, 127) == 127 && rounded(-HUGE_VAL, FORMAT_INT8, 127) == -127);
    assert_true(rounded(0, FORMAT_INT8, 0) == 0);
}

static void int8_has_one_scale_a_table(void **state) {
    real x[] = {-2, (real)0.007, (real)0.009, 1, NAN};
    round_all(x, 5, FORMAT_INT8);
    expect_near("the largest", 0, (double)x[0], -2, 0);
    expect_near("less than half a step", 1, (double)x[1], 0, 0);
    expect_near("more than half a step", 2, (double)x[2], 2.0 / 127, 1e-8);
    expect_near("63.5 steps", 3, (double)x[3], 2 * 64.0 / 127, 1e-7);
    assert_true(isnan(x[4]));
    real infinite[] = {INFINITY, 1};
    round_all(infinite, 2, FORMAT_INT8);
    assert_true(infinite[0] == 1 && infinite[1] == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_256_of_fp8),
        cmocka_unit_test(fp8_takes_the_nearest),
        cmocka_unit_test(fp8_saturates),
        cmocka_unit_test(bf16_takes_the_nearest),
        cmocka_unit_test(bf16_has_infinity),
        cmocka_unit_test(nan_stays),
        cmocka_unit_test(float_is_left_alone),
        cmocka_unit_test(int8_is_a_ruler),
        cmocka_unit_test(int8_has_one_scale_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
