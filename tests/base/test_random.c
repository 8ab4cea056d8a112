// The random generator: its exact values (another generator would silently change every run), its statistics, and its
// permutation.
#include "base/random.h"
#include "tests/support/support.h"

#include <math.h>

// Computed by a separate program in another language from the definition in random.h.
static void bits_have_not_changed(void **state) {
    assert_true(random_bits(0, 0) == 0);
    assert_true(random_bits(0, 1) == 0x48218226FF3CD4BF);
    assert_true(random_bits(1, 0) == 0xD9BF17D113F38957);
    assert_true(random_bits(1337, 42) == 0x24FC66E2BA91A34D);
    assert_true(random_bits(UINT64_MAX, UINT64_MAX) == 0xD59879A606844AD4);
}

static void keys_have_not_changed(void **state) {
    assert_true(random_key(0, "") == 0x638DF5C814661EF8);
    assert_true(random_key(1337, "init") == 0x81E1FDCCFEABB36A);
    assert_true(random_key(1337, "batches") == 0x219744A269F3D83E);
}

static void derived_numbers_have_not_changed(void **state) {
    static const double normals[] = {1.1594798457695847, -0.5428188935105088, -0.16211682108857328};
    static const int belows[] = {49, 14, 22, 89, 97, 33};
    static const uint64_t permuted[] = {6, 8, 9, 4, 0, 2, 3, 5, 7, 1};
    assert_true(random_uniform(7, 0) == 0.4912923910305863);
    assert_true(random_uniform(7, 1) == 0.01176266133268733);
    for (uint64_t i = 0; i < 3; i++) assert_true(fabs(random_normal(7, i) - normals[i]) <= 1e-14); // libms differ
    Random random = {.key = 3};
    for (int i = 0; i < 6; i++) assert_int_equal(random_below(&random, 100), belows[i]);
    for (uint64_t i = 0; i < 10; i++) assert_int_equal(random_permute(i, 10, 99), permuted[i]);
    assert_true(random_permute(0, 1000000000000, 5) == 106411822701);
    assert_true(random_permute(999999999999, 1000000000000, 5) == 457906269358);
}

static void below_stays_below_and_reaches_all(void **state) {
    Random random = {.key = 5};
    int seen[7] = {0};
    for (int i = 0; i < 7000; i++) {
        int value = random_below(&random, 7);
        assert_in_range(value, 0, 6);
        seen[value]++;
    }
    for (int i = 0; i < 7; i++) assert_in_range(seen[i], 1000 - 150, 1000 + 150);
    assert_int_equal(random.counter, 7000);
    assert_int_equal(random_below(&random, 1), 0);
}

// The distinct values of i -> random_permute(i, n, key) in 0..n-1.
static uint64_t count_images(uint64_t n, uint64_t key) {
    unsigned char *seen = calloc(n, 1);
    uint64_t images = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t image = random_permute(i, n, key);
        assert_true(image < n);
        images += !seen[image];
        seen[image] = 1;
    }
    free(seen);
    return images;
}

static void permutation_is_one(void **state) {
    for (uint64_t n = 1; n <= 300; n++)
        for (uint64_t key = 0; key < 4; key++) assert_int_equal(count_images(n, key), n);
    static const uint64_t sizes[] = {1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537, 100003};
    for (size_t i = 0; i < COUNT(sizes); i++) assert_int_equal(count_images(sizes[i], i), sizes[i]);
}

static void permutation_of_huge_n_stays_inside(void **state) {
    const uint64_t n = (UINT64_C(1) << 62) + 12345;
    for (uint64_t i = 0; i < 1000; i++) assert_true(random_permute(i, n, 1) < n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_have_not_changed),
        cmocka_unit_test(keys_have_not_changed),
        cmocka_unit_test(derived_numbers_have_not_changed),
        cmocka_unit_test(below_stays_below_and_reaches_all),
        cmocka_unit_test(permutation_is_one),
        cmocka_unit_test(permutation_of_huge_n_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
