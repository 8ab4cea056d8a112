// Products of bfloat16 for ARM processors with BFMMLA, which adds the products of two rows of A and two columns of B,
// four numbers deep, to 2 x 2 sums ("Arm Architecture Reference Manual", BFMMLA).
#include "num/bf16.h"

#include "base/memory.h"

#include <assert.h>

#if !defined REAL_DOUBLE && defined __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
#include <arm_neon.h>

#define DEEP  4 // numbers of a vector along k
#define PAIRS 4 // of rows, or of columns, of a tile of C: its sums take 16 of the 32 registers
#define WIDE  (2 * PAIRS)
// The packed part of B stays in the second-level cache.
#define BLOCK_ROWS    384
#define BLOCK_COLUMNS 384

// DEEP numbers of both rows of each pair, one row after the other.
typedef bfloat16_t Pack[PAIRS][2][DEEP];

// The first WIDE rows of X (rows, k), `depth` numbers deep; zeros past the end of X.
static void pack_panel(Pack *panel, Matrix X, int rows, int depth) {
    for (int k = 0; k < depth; k += DEEP, panel++)
        for (int row = 0; row < WIDE; row++) {
            real four[DEEP] = {0};
            for (int i = 0; row < rows && i < least(DEEP, depth - k); i++) four[i] = matrix_entry(X, row, k + i);
            vst1_bf16((*panel)[row / 2][row % 2], vcvt_bf16_f32(vld1q_f32(four)));
        }
}

// tile (WIDE, WIDE) = A B.
static void multiply(real *tile, const Pack *A, const Pack *B, int packs) {
    float32x4_t sums[PAIRS][PAIRS] = {0}; // of two rows and two columns: both of the first row, then of the second
    for (int k = 0; k < packs; k++)
        for (int i = 0; i < PAIRS; i++)
            for (int j = 0; j < PAIRS; j++)
                sums[i][j] = vbfmmlaq_f32(sums[i][j], vld1q_bf16(A[k][i][0]), vld1q_bf16(B[k][j][0]));
    for (int i = 0; i < PAIRS; i++)
        for (int j = 0; j < PAIRS; j++) {
            vst1_f32(tile + (size_t)2 * i * WIDE + 2 * j, vget_low_f32(sums[i][j]));
            vst1_f32(tile + (size_t)(2 * i + 1) * WIDE + 2 * j, vget_high_f32(sums[i][j]));
        }
}

// For at most BLOCK_ROWS of k and BLOCK_COLUMNS of N.
static void product_block(real *C, int ldc, real beta, Matrix A, Matrix B, const real *bias, int M, int N, int K) {
    enum { PACKS = BLOCK_ROWS / DEEP };
    struct {
        Pack panels[BLOCK_COLUMNS / WIDE][PACKS], strip[PACKS];
    } *space = thread_space();
    static_assert(sizeof *space <= THREAD_SPACE, "the panels fit");
    B.transposed = !B.transposed; // its columns are packed as rows
    for (int n = 0; n < N; n += WIDE) pack_panel(space->panels[n / WIDE], matrix_from(B, n, 0), N - n, K);
    for (int m = 0; m < M; m += WIDE) {
        pack_panel(space->strip, matrix_from(A, m, 0), M - m, K);
        for (int n = 0; n < N; n += WIDE) {
            real tile[WIDE * WIDE];
            multiply(tile, (const Pack *)space->strip, (const Pack *)space->panels[n / WIDE], (K + DEEP - 1) / DEEP);
            for (int i = 0; i < least(WIDE, M - m); i++)
                for (int j = 0; j < least(WIDE, N - n); j++) {
                    real *c = C + (size_t)(m + i) * ldc + n + j;
                    *c = (beta == 0 ? 0 : beta * *c) + (bias ? bias[n + j] : 0) + tile[i * WIDE + j];
                }
        }
    }
    thread_space_done(space);
}

void product_bf16(real *C, int ldc, real beta, Matrix A, Matrix B, const real *bias, int M, int N, int K) {
    for (int n = 0; n < N; n += BLOCK_COLUMNS)
        for (int k = 0; k < K; k += BLOCK_ROWS)
            product_block(C + n, ldc, k ? 1 : beta, matrix_from(A, 0, k), matrix_from(B, k, n),
                          bias && !k ? bias + n : NULL, M, least(BLOCK_COLUMNS, N - n), least(BLOCK_ROWS, K - k));
}

const char *bf16_complaint(void) {
    return NULL;
}

const char *bf16_kernel(void) {
    return "BFMMLA";
}
#endif
