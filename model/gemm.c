#include "model/gemm.h"

#include "model/team.h"

#include <cblas.h>

// OpenBLAS only; other BLAS libraries leave these undefined, so they are weak.
extern int openblas_get_parallel(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));

void gemm(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, int M, int N, int K) {
#ifdef REAL_DOUBLE
#define CBLAS_GEMM cblas_dgemm
#else
#define CBLAS_GEMM cblas_sgemm
#endif
    CBLAS_GEMM(CblasRowMajor, A.transposed ? CblasTrans : CblasNoTrans, B.transposed ? CblasTrans : CblasNoTrans, M, N,
               K, alpha, A.at, A.stride, B.at, B.stride, beta, C, ldc);
}

enum { SEQUENTIAL, OWN_THREADS, OPENMP }; // what openblas_get_parallel() returns

// A sequential build shares buffers between calls without a lock: two at a time give wrong products.
int gemm_threads_most(void) {
    return openblas_get_parallel && openblas_get_parallel() == SEQUENTIAL ? 1 : THREADS_MOST;
}

const char *gemm_complaint(void) {
    if (!openblas_get_parallel || openblas_get_parallel() == OPENMP) return NULL;
    return openblas_get_parallel() == SEQUENTIAL
               ? "this OpenBLAS is a sequential build, so training uses one core; install the OpenMP build"
               : "this OpenBLAS brings its own threads, which fight with OpenMP's (up to 4 times slower); install the "
                 "OpenMP build";
}

const char *gemm_description(void) {
    return openblas_get_config ? openblas_get_config() : "BLAS without openblas_get_config";
}
