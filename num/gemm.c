#include "num/gemm.h"

#include "num/bf16.h"
#include "num/blas.h"
#include "num/product.h"

#include <assert.h>
#include <stdio.h>

// Products of more terms than this go to the BLAS, where there is one. With AVX-512 the program's own kernels are at
// least as fast at any size, with narrower vectors only in small products (SPEED.md).
#if defined KERNELS_BLAS
#define OWN_MOST 0
#elif defined BLAS_NONE || defined __AVX512F__
#define OWN_MOST HUGE_VAL
#else
#define OWN_MOST 1e8
#endif
static double own_most = OWN_MOST;

void gemm_choose(void) {
    if (OWN_MOST > 0 && product_vector_bytes() >= 32 && blas_is_behind()) own_most = HUGE_VAL;
}

static bool is_own(int M, int N, int K) {
    return (double)M * N * K <= own_most;
}

void gemm(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, int M, int N, int K) {
    if (is_own(M, N, K))
        product(C, ldc, beta, alpha, A, B, NULL, M, N, K);
    else
        blas_product(C, ldc, beta, alpha, A, B, M, N, K);
}

static bool in_bf16;

void gemm_linear_in_bf16(bool yes) {
    in_bf16 = yes;
}

void gemm_linear(real *C, int ldc, real beta, Matrix A, Matrix B, const real *bias, int M, int N, int K) {
    if (in_bf16) {
        product_bf16(C, ldc, beta, A, B, bias, M, N, K);
    } else if (is_own(M, N, K)) {
        product(C, ldc, beta, 1, A, B, bias, M, N, K);
    } else {
        assert(!bias || beta == 0);
        if (bias)
            for (int m = 0; m < M; m++) memcpy(C + (size_t)m * ldc, bias, (size_t)N * sizeof(real));
        blas_product(C, ldc, bias ? 1 : beta, 1, A, B, M, N, K);
    }
}

size_t gemm_packed_size(int K, int N) {
    return OWN_MOST > 0 ? product_packed_size(K, N) : 0;
}

Packed gemm_pack(real *at, Matrix B, int K, int N) {
    if (OWN_MOST <= 0) at = NULL;
    if (at) product_pack(at, B, K, N);
    return (Packed){B, K, N, at, 0};
}

Packed gemm_packed_from(const Packed *packed, int column) {
    Packed from = *packed;
    assert(!packed->at || column % PACKED_COLUMNS == 0);
    from.B = matrix_from(packed->B, 0, column);
    from.first += column;
    return from;
}

void gemm_packed(real *C, int ldc, real beta, real alpha, Matrix A, const Packed *packed, int begin, int end, int M,
                 int N) {
    if (packed->at)
        product_packed(C, ldc, beta, alpha, A, packed->at, packed->N, packed->K, packed->first, begin, end, M, N);
    else
        gemm(C, ldc, beta, alpha, A, matrix_from(packed->B, begin, 0), M, N, end - begin);
}

bool gemm_uses_blas(void) {
    return own_most < HUGE_VAL;
}

const char *gemm_kernels(void) {
    static char text[48];
    snprintf(text, sizeof text, "own-%d%s%s%s", product_vector_bytes(), gemm_uses_blas() ? "+blas" : "",
             in_bf16 ? "+bf16-" : "", in_bf16 ? bf16_kernel() : "");
    return OWN_MOST > 0 ? text : strchr(text, '+') + 1;
}
