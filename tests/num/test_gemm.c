// The matrix product compared with three plain loops.
#include "num/gemm.h"
#include "tests/support/support.h"

#include <float.h>
#include <omp.h>

// One product: sizes, how both operands are stored, and what else the call says.
typedef struct {
    int M, N, K;
    bool a_transposed, b_transposed;
    int padding; // numbers between the end of a row and the start of the next, in all three
    real alpha, beta;
} Product;

static double entry(Matrix matrix, int row, int column) {
    return (double)
        matrix.at[matrix.transposed ? (size_t)column * matrix.stride + row : (size_t)row * matrix.stride + column];
}

// `before` is what C held; rounding errs by less than one unit for each of the K + 2 terms.
static void expect_product(const Product *p, const real *C, const real *before, Matrix A, Matrix B) {
    const int ldc = p->N + p->padding;
    for (int i = 0; i < p->M; i++) {
        for (int j = 0; j < ldc; j++) {
            const size_t at = (size_t)i * ldc + j;
            if (j >= p->N) {
                assert_memory_equal(&C[at], &before[at], sizeof *C);
                continue;
            }
            const double kept = p->beta == 0 ? 0 : (double)p->beta * (double)before[at];
            double sum = 0, size = fabs(kept);
            for (int k = 0; k < p->K; k++) {
                const double term = (double)p->alpha * entry(A, i, k) * entry(B, k, j);
                sum += term;
                size += fabs(term);
            }
            expect_near("C", at, (double)C[at], kept + sum, (p->K + 2) * FLT_EPSILON * size);
        }
    }
}

static void check(const Product *p) {
    const int a_rows = p->a_transposed ? p->K : p->M, a_columns = p->a_transposed ? p->M : p->K;
    const int b_rows = p->b_transposed ? p->N : p->K, b_columns = p->b_transposed ? p->K : p->N;
    const int lda = a_columns + p->padding, ldb = b_columns + p->padding, ldc = p->N + p->padding;
    real *a = stored("A", a_rows, a_columns, lda), *b = stored("B", b_rows, b_columns, ldb);
    real *C = p->beta == 0 ? nan_reals((size_t)p->M * ldc) : stored("C", p->M, p->N, ldc);
    real *before = copy_reals(C, (size_t)p->M * ldc);
    const Matrix A = p->a_transposed ? columns_of(a, lda) : rows_of(a, lda);
    const Matrix B = p->b_transposed ? columns_of(b, ldb) : rows_of(b, ldb);
    gemm(C, ldc, p->beta, p->alpha, A, B, p->M, p->N, p->K);
    expect_product(p, C, before, A, B);
    free(a);
    free(b);
    free(C);
    free(before);
}

static const struct {
    int M, N, K;
} sizes[] = {{1, 1, 1},    {1, 9, 5},     {7, 1, 3},      {5, 6, 1},   {13, 17, 19},
             {64, 32, 48}, {131, 67, 97}, {25, 130, 400}, {9, 800, 33}};

static void check_all(real alpha, real beta) {
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int transposed = 0; transposed < 4; transposed++)
            for (int padding = 0; padding <= 3; padding += 3)
                check(&(Product){sizes[i].M, sizes[i].N, sizes[i].K, transposed & 1, transposed & 2, padding, alpha,
                                 beta});
}

static void beta_0_overwrites_even_nan(void **state) {
    check_all(1, 0);
}

static void beta_1_accumulates(void **state) {
    check_all(1, 1);
}

// NaN and infinity must reach the loss, where they stop the run.
static void nan_and_infinity_pass_through(void **state) {
    enum { SIZE = 33 };
    real *a = random_reals(SIZE * SIZE, "A", 1), *b = random_reals(SIZE * SIZE, "B", 1), *C = nan_reals(SIZE * SIZE);
    a[5 * SIZE + 7] = NAN;
    a[9 * SIZE + 2] = INFINITY;
    gemm(C, SIZE, 0, 1, rows_of(a, SIZE), rows_of(b, SIZE), SIZE, SIZE, SIZE);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            const real found = C[i * SIZE + j];
            if (i == 5 ? !isnan(found) : i == 9 ? !isinf(found) : !isfinite(found))
                fail_msg("C[%d][%d] is %g", i, j, (double)found);
        }
    free(a);
    free(b);
    free(C);
}

// Attention calls it from parallel threads, each with its own operands.
static void threads_may_call_it(void **state) {
    enum { SIZE = 48, CALLS = 64 };
    const size_t numbers = SIZE * SIZE;
    const Product p = {.M = SIZE, .N = SIZE, .K = SIZE, .alpha = 1};
    real *a = random_reals(CALLS * numbers, "A", 1), *b = random_reals(CALLS * numbers, "B", 1);
    real *C = nan_reals(CALLS * numbers);
#pragma omp parallel for num_threads(2)
    for (int call = 0; call < CALLS; call++)
        gemm(C + call * numbers, SIZE, 0, 1, rows_of(a + call * numbers, SIZE), rows_of(b + call * numbers, SIZE), SIZE,
             SIZE, SIZE);
    for (int call = 0; call < CALLS; call++)
        expect_product(&p, C + call * numbers, NULL, rows_of(a + call * numbers, SIZE),
                       rows_of(b + call * numbers, SIZE));
    free(a);
    free(b);
    free(C);
}

static void a_bias_is_added_to_every_row(void **state) {
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const int M = sizes[i].M, N = sizes[i].N, K = sizes[i].K;
        real *a = random_reals((size_t)M * K, "A", 1), *b = random_reals((size_t)N * K, "B", 1);
        real *bias = random_reals((size_t)N, "bias", 1), *C = nan_reals((size_t)M * N),
             *sum = copy_reals(C, (size_t)M * N);
        gemm_linear(C, N, 0, rows_of(a, K), columns_of(b, K), bias, M, N, K);
        gemm(sum, N, 0, 1, rows_of(a, K), columns_of(b, K), M, N, K);
        for (int n = 0; n < M * N; n++)
            expect_near("C", (size_t)n, (double)C[n], (double)sum[n] + (double)bias[n % N], 1e-5 * K);
        free(a);
        free(b);
        free(bias);
        free(C);
        free(sum);
    }
}

// Every range of rows of a packed matrix, also across the blocks in which it is packed.
static void packed_operands_give_the_same_products(void **state) {
    enum { M = 21, N = 75, K = 901 };
    static const int ranges[][2] = {{0, K}, {0, 1}, {K - 1, K}, {5, 300}, {290, 310}, {64, 901}, {299, 602}};
    real *a = random_reals((size_t)M * K, "A", 1), *b = random_reals((size_t)N * K, "B", 1);
    real *packed = nan_reals(gemm_packed_size(K, N) + 1), *C = nan_reals(M * N), *expected = nan_reals(M * N);
    for (int kind = 0; kind < 4; kind++) {
        const Matrix B = kind & 1 ? columns_of(b, K) : rows_of(b, N);
        const Packed whole = gemm_pack(kind & 2 ? packed : NULL, B, K, N);
        for (size_t r = 0; r < COUNT(ranges); r++) {
            const int begin = ranges[r][0], end = ranges[r][1];
            for (int columns = 1; columns <= N; columns += 37) {
                gemm_packed(C, N, 0, 2, rows_of(a + begin, K), &whole, begin, end, M, columns);
                gemm(expected, N, 0, 2, rows_of(a + begin, K), matrix_from(B, begin, 0), M, columns, end - begin);
                for (int m = 0; m < M; m++)
                    expect_all_near("C", C + m * N, expected + m * N, (size_t)columns, 1e-4 * sqrt(end - begin));
            }
        }
    }
    free(a);
    free(b);
    free(packed);
    free(C);
    free(expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beta_0_overwrites_even_nan),    cmocka_unit_test(beta_1_accumulates),
        cmocka_unit_test(nan_and_infinity_pass_through), cmocka_unit_test(threads_may_call_it),
        cmocka_unit_test(a_bias_is_added_to_every_row),  cmocka_unit_test(packed_operands_give_the_same_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
