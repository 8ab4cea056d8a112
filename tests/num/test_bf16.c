// Products in bfloat16 compared with sums in double of the rounded operands.
#include "num/bf16.h"
#include "tests/support/support.h"

#include <float.h>

typedef struct {
    int M, N, K;
    bool a_transposed, b_transposed, with_bias;
    int padding; // numbers between the end of a row and the start of the next, in all three
    real beta;
} Product;

// To the nearest bfloat16, by arithmetic instead of bits: adding and subtracting a number 2^16 times as large leaves 8
// binary digits, and rounds halves to even.
static double rounded(real x) {
    volatile real large = x * 65537, rest = large - x; // Veltkamp's way
    return (double)(large - rest);
}

static void needs_bf16(void) {
    if (!bf16_complaint()) return;
    puts(bf16_complaint());
    skip();
}

// The largest difference from the expected product, as a multiple of what rounding in float sums can explain; more than
// 1 is wrong. `exact` does not round the operands: the negative control.
static double worst_error(const Product *p, bool exact) {
    const int lda = (p->a_transposed ? p->M : p->K) + p->padding, ldb = (p->b_transposed ? p->K : p->N) + p->padding;
    const int ldc = p->N + p->padding;
    real *a = stored("A", p->a_transposed ? p->K : p->M, lda - p->padding, lda);
    real *b = stored("B", p->b_transposed ? p->N : p->K, ldb - p->padding, ldb);
    real *bias = random_reals((size_t)p->N, "bias", 1), *C = stored("C", p->M, p->N, ldc);
    for (int n = 0; p->beta == 0 && n < p->M * ldc; n++) C[n] = NAN;
    real *before = copy_reals(C, (size_t)p->M * ldc);
    const Matrix A = {a, lda, p->a_transposed}, B = {b, ldb, p->b_transposed};
    product_bf16(C, ldc, p->beta, A, B, p->with_bias ? bias : NULL, p->M, p->N, p->K);
    double worst = 0;
    for (int i = 0; i < p->M; i++)
        for (int j = 0; j < ldc; j++) {
            const size_t at = (size_t)i * ldc + j;
            if (j >= p->N) {
                assert_memory_equal(&C[at], &before[at], sizeof *C);
                continue;
            }
            double sum = p->beta == 0 ? 0 : (double)p->beta * (double)before[at];
            if (p->with_bias) sum += (double)bias[j];
            double size = fabs(sum) + 1;
            for (int k = 0; k < p->K; k++) {
                const real a_ik = matrix_entry(A, i, k), b_kj = matrix_entry(B, k, j);
                const double term = exact ? (double)a_ik * (double)b_kj : rounded(a_ik) * rounded(b_kj);
                sum += term;
                size += fabs(term);
            }
            const double error = fabs((double)C[at] - sum) / ((sqrt(p->K) + 2) * FLT_EPSILON * size);
            worst = fmax(worst, isfinite(error) ? error : INFINITY);
        }
    free(a);
    free(b);
    free(bias);
    free(C);
    free(before);
    return worst;
}

static void products_of_every_shape_are_right(void **state) {
    needs_bf16();
    const int sizes[][3] = {{1, 1, 1},    {1, 40, 5},   {33, 1, 31},     {5, 6, 33},     {16, 16, 32},    {32, 32, 64},
                            {64, 64, 64}, {47, 65, 97}, {70, 801, 1030}, {100, 31, 513}, {20, 1536, 1024}};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (int i = 0; i < 32; i++) {
            const Product p = {sizes[s][0], sizes[s][1], sizes[s][2],   i & 1,
                               i & 2,       i & 4,       i & 8 ? 3 : 0, i & 16 ? (real)-0.5 : 0};
            const double error = worst_error(&p, false);
            if (!(error <= 1)) fail_msg("%d x %d x %d, case %d: %g times the rounding error", p.M, p.N, p.K, i, error);
        }
}

// The comparison notices unrounded operands, so it would notice other rounding.
static void unrounded_operands_are_noticed(void **state) {
    needs_bf16();
    const Product p = {.M = 33, .N = 65, .K = 97};
    const double error = worst_error(&p, true);
    if (!(error > 10)) fail_msg("the exact product differs by only %g times the rounding error", error);
}

// Each number is multiplied by 1, as an element of A and of B, each stored both ways.
static void halves_go_to_even_and_nan_and_infinity_pass(void **state) {
    needs_bf16();
    const real cases[][2] = {
        {1 + 0x1p-8f, 1},    {1 + 0x1.8p-7f, 1 + 0x1p-6f}, {1 + 0x1.01p-8f, 1 + 0x1p-7f}, {-1 - 0x1p-8f, -1},
        {FLT_MAX, INFINITY}, {INFINITY, INFINITY},         {-INFINITY, -INFINITY},        {NAN, NAN},
        {-NAN, NAN}};
    const real one = 1;
    for (size_t n = 0; n < COUNT(cases); n++)
        for (int i = 0; i < 8; i++) {
            // A whole square and a part of one are packed by different ways.
            real numbers[16 * 32] = {0}, ones[32], C[16];
            for (int k = 0; k < 32; k++) ones[k] = k == 0 ? one : 0;
            const bool transposed = i & 1;
            const int side = i & 4 ? 16 : 3, depth = i & 4 ? 32 : 5;
            numbers[transposed ? 1 : depth] = cases[n][0]; // row 1, k = 0
            const Matrix X = {numbers, transposed ? side : depth, transposed}, one_row = rows_of(ones, 32);
            const Matrix X_transposed = {X.at, X.stride, !transposed};
            if (i & 2)
                product_bf16(C, 1, 0, X, columns_of(ones, 32), NULL, side, 1, depth);
            else
                product_bf16(C, side, 0, one_row, X_transposed, NULL, 1, side, depth);
            const real found = C[1], expected = cases[n][1];
            if (isnan(expected) ? !isnan(found) : found != expected)
                fail_msg("%a, case %d: %a instead of %a", (double)cases[n][0], i, (double)found, (double)expected);
            if (C[0] != 0) fail_msg("%a, case %d: spread to another row", (double)cases[n][0], i);
        }
}

static void parts_have_the_bits_of_the_whole(void **state) {
    needs_bf16();
    enum { M = 70, N = 900, K = 1100 };
    real *a = random_reals((size_t)M * K, "A", 1), *b = random_reals((size_t)K * N, "B", 1);
    real *whole = nan_reals((size_t)M * N), *parts = nan_reals((size_t)M * N);
    const Matrix A = rows_of(a, K), B = rows_of(b, N);
    product_bf16(whole, N, 0, A, B, NULL, M, N, K);
    for (int m = 0; m < M; m += 27)
        for (int n = 0; n < N; n += 211)
            product_bf16(parts + (size_t)m * N + n, N, 0, matrix_from(A, m, 0), matrix_from(B, 0, n), NULL,
                         least(27, M - m), least(211, N - n), K);
    assert_memory_equal(parts, whole, (size_t)M * N * sizeof *whole);
    free(a);
    free(b);
    free(whole);
    free(parts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_every_shape_are_right),
        cmocka_unit_test(unrounded_operands_are_noticed),
        cmocka_unit_test(halves_go_to_even_and_nan_and_infinity_pass),
        cmocka_unit_test(parts_have_the_bits_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
