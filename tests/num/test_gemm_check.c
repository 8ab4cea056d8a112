// blas_is_right notices a BLAS that multiplies wrongly: this program contains one that makes mistakes on demand.
#include "num/blas.h"
#include "tests/support/support.h"

typedef enum { RIGHT, ONE_ENTRY, LAST_TERM, NOT_A_NUMBER, IGNORES_TRANSPOSED_B } Mistake;

static Mistake mistake;

static float at(const float *matrix, bool transposed, int stride, int row, int column) {
    return transposed ? matrix[column * stride + row] : matrix[row * stride + column];
}

// Replaces the library's function of that name. Declared without a header, because each library's header is different.
enum { TRANSPOSED = 112 }; // CblasTrans
void cblas_sgemm(int order, int transpose_a, int transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                 const float *B, int ldb, float beta, float *C, int ldc);

void cblas_sgemm(int order, int transpose_a, int transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                 const float *B, int ldb, float beta, float *C, int ldc) {
    const bool a_transposed = transpose_a == TRANSPOSED;
    const bool b_transposed = transpose_b == TRANSPOSED && mistake != IGNORES_TRANSPOSED_B;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            double sum = 0;
            for (int k = 0; k < K - (mistake == LAST_TERM); k++)
                sum += (double)at(A, a_transposed, lda, m, k) * (double)at(B, b_transposed, ldb, k, n);
            C[m * ldc + n] = alpha * (float)sum;
        }
    if (mistake == ONE_ENTRY) C[(M - 1) * ldc + N - 1] += 0.01f;
    if (mistake == NOT_A_NUMBER) C[ldc + 1] = NAN;
}

static void a_right_product_passes(void **state) {
#ifdef BLAS_NONE
    puts("this build has no BLAS; make it with BLAS=openblas");
    skip();
#endif
    mistake = RIGHT;
    assert_true(blas_is_right());
}

static void each_mistake_is_noticed(void **state) {
#ifdef BLAS_NONE
    puts("this build has no BLAS; make it with BLAS=openblas");
    skip();
#endif
    for (mistake = ONE_ENTRY; mistake <= IGNORES_TRANSPOSED_B; mistake++) assert_false(blas_is_right());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_product_passes),
        cmocka_unit_test(each_mistake_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
