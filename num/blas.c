#include "num/blas.h"

#include "num/product.h"
#include "num/team.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined BLAS_NONE
#define BLAS_NAME "none"
#elif defined BLAS_MKL
#include <mkl_cblas.h>
#define BLAS_NAME "Intel's MKL"
#elif defined BLAS_ACCELERATE
#include <Accelerate/Accelerate.h>
#define BLAS_NAME "Apple's Accelerate"
#else
#include <cblas.h>
#endif

#ifdef BLAS_NAME
static int (*const openblas_get_parallel)(void) = NULL;
static char *(*const openblas_get_config)(void) = NULL;
static char *(*const openblas_get_corename)(void) = NULL;
#else
#define BLAS_NAME "a BLAS that does not tell its name"
// OpenBLAS's own functions; BLIS and others leave them undefined, so they are weak.
extern int openblas_get_parallel(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));
#endif

void blas_product(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, int M, int N, int K) {
#if defined BLAS_NONE
    assert(!"this program was built without a BLAS");
#else
#ifdef REAL_DOUBLE
#define CBLAS_GEMM cblas_dgemm
#else
#define CBLAS_GEMM cblas_sgemm
#endif
    CBLAS_GEMM(CblasRowMajor, A.transposed ? CblasTrans : CblasNoTrans, B.transposed ? CblasTrans : CblasNoTrans, M, N,
               K, alpha, A.at, A.stride, B.at, B.stride, beta, C, ldc);
#endif
}

enum { SEQUENTIAL, OWN_THREADS, OPENMP }; // what openblas_get_parallel() returns

// A sequential build shares buffers between calls without a lock: two at a time give wrong products.
int blas_threads_most(void) {
    return openblas_get_parallel && openblas_get_parallel() == SEQUENTIAL ? 1 : THREADS_MOST;
}

const char *blas_complaint(void) {
    if (!openblas_get_parallel || openblas_get_parallel() == OPENMP) return NULL;
    return openblas_get_parallel() == SEQUENTIAL
               ? "this OpenBLAS is a sequential build, so training uses one core; install the OpenMP build"
               : "this OpenBLAS brings its own threads, which fight with OpenMP's (up to 4 times slower); install the "
                 "OpenMP build";
}

const char *blas_description(void) {
    return openblas_get_config ? openblas_get_config() : BLAS_NAME;
}

const char *blas_core(void) {
    return openblas_get_corename ? openblas_get_corename() : "unknown";
}

bool blas_is_behind(void) {
    static const char *const cores[] = {"Katmai",    "Coppermine",  "Northwood",  "Prescott",   "Banias",
                                        "Core2",     "Penryn",      "Dunnington", "Nehalem",    "Atom",
                                        "Athlon",    "Opteron",     "Nano",       "Bobcat",     "Opteron_SSE3",
                                        "Barcelona", "Sandybridge", "Bulldozer",  "Piledriver", "Steamroller"};
    const char *core = openblas_get_corename ? openblas_get_corename() : "";
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (strcmp(core, cores[i]) == 0) return !getenv("OPENBLAS_CORETYPE");
    return false;
}

// Products of these sizes are large enough that OpenBLAS uses its usual kernels (with fewer than a million terms it may
// not), and they are not multiples of a vector's length.
bool blas_is_right(void) {
    enum { M = 93, N = 131, K = 101 };
    real a[M * K], b[K * N], C[M * N], own[M * N];
    bool right = true;
    for (int i = 0; i < M * K; i++) a[i] = (real)(i % 89 - 44) / 44;
    for (int i = 0; i < K * N; i++) b[i] = (real)(i % 97 - 48) / 48;
    // On one thread, as when a team calls it: if the library started threads, a process forked later would hang.
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    for (int transposed = 0; transposed < 4; transposed++) {
        const Matrix A = transposed & 1 ? columns_of(a, M) : rows_of(a, K);
        const Matrix B = transposed & 2 ? columns_of(b, K) : rows_of(b, N);
        blas_product(C, N, 0, 1, A, B, M, N, K);
        product(own, N, 0, 1, A, B, NULL, M, N, K);
        for (int i = 0; i < M * N; i++) right = right && fabs((double)(C[i] - own[i])) <= 1e-3;
    }
    omp_set_num_threads(threads);
    return right;
}
