// syscall() is not in POSIX.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier)
#include "num/bf16.h"

#include "base/memory.h"
#include "num/product.h"

#include <assert.h>

#if !defined REAL_DOUBLE && defined __linux__ && defined __AVX512BF16__
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

// A word holds two numbers that are neighbours along k. A and B are packed in squares of 16 x 16 words, which is what a
// register of AMX holds: a square of A has 16 rows and 32 columns, a square of B has 32 rows and 16 columns.
#define SIDE 16
#define DEEP (2 * SIDE) // numbers of a square along k
#define WIDE (2 * SIDE) // rows and columns of a tile of C: two squares of A, two of B
// The packed part of B stays in the second-level cache.
#define BLOCK_ROWS    512
#define BLOCK_COLUMNS 768

typedef uint32_t Word __attribute__((may_alias));
typedef Word Square[SIDE][SIDE] __attribute__((aligned(64))); // tile loads across cache lines take 4 times as long
typedef real Sums[2][2][SIDE][SIDE];                          // [half of the rows][half of the columns]

// --- packing: both operands are seen as X (rows, k), so B as its transpose ---

static void words_along(Word *words, const real *x) {
    _mm512_store_si512(words, (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(x + SIDE), _mm512_loadu_ps(x)));
}

static void words_across(Word *words, const real *x, const real *next) {
    const __m512i low = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(x)));
    const __m512i high = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(next)));
    _mm512_store_si512(words, _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
}

// The first 16 rows of X, 32 numbers deep: a row of words for each of them, or a column (`across`). Zeros past the end
// of X.
static void pack_square(Square square, Matrix X, bool across, int rows, int depth) {
    real filled[SIDE * DEEP];
    if (rows < SIDE || depth < DEEP) {
        for (int i = 0; i < SIDE; i++)
            for (int k = 0; k < DEEP; k++) filled[i * DEEP + k] = i < rows && k < depth ? matrix_entry(X, i, k) : 0;
        X = rows_of(filled, DEEP);
    }
    Square transposed;
    Word(*words)[SIDE] = X.transposed == across ? square : transposed;
    for (int i = 0; i < SIDE; i++) {
        if (X.transposed)
            words_across(words[i], X.at + (size_t)2 * i * X.stride, X.at + (size_t)(2 * i + 1) * X.stride);
        else
            words_along(words[i], X.at + (size_t)i * X.stride);
    }
    if (words == transposed) transpose_square((real *)square, (const real *)transposed);
}

// Two squares for each 32 numbers of depth.
static void pack_panel(Square *panel, Matrix X, bool across, int rows, int depth) {
    for (int k = 0; k < depth; k += DEEP)
        for (int row = 0; row < WIDE; row += SIDE)
            pack_square(*panel++, matrix_from(X, row, k), across, rows - row, depth - k);
}

// --- the kernels: sums = A B, for two rows of squares and two columns of squares ---

#if (defined __AMX_BF16__ || defined __AMXBF16__) && !defined BF16_VECTORS // the names of gcc and clang
#define KERNEL "AMX"

static void multiply(Sums sums, const Square *A, const Square *B, int squares) {
    // The compiler does not know that loading a tile reads memory.
    __asm__ volatile("" ::: "memory");
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (const Square *end = A + 2 * (size_t)squares; A < end; A += 2, B += 2) {
        _tile_loadd(4, A[0], sizeof A[0][0]);
        _tile_loadd(6, B[0], sizeof B[0][0]);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(5, A[1], sizeof A[1][0]);
        _tile_dpbf16ps(2, 5, 6);
        _tile_loadd(7, B[1], sizeof B[1][0]);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, sums[0][0], sizeof sums[0][0][0]);
    _tile_stored(1, sums[0][1], sizeof sums[0][1][0]);
    _tile_stored(2, sums[1][0], sizeof sums[1][0][0]);
    _tile_stored(3, sums[1][1], sizeof sums[1][1][0]);
}

// Eight tiles of 16 rows of 64 bytes.
static void begin(void) {
    static const struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } tiles = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    _tile_loadconfig(&tiles);
}

static void end(void) {
    _tile_release();
}

const char *bf16_complaint(void) {
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 }; // Linux, Documentation/arch/x86/xstate.rst
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)
               ? "Linux does not let this program use AMX, the unit for bfloat16 (it does from version 5.16 on)"
               : NULL;
}
#else
#define KERNEL "AVX512_BF16"

static void multiply(Sums sums, const Square *A, const Square *B, int squares) {
    enum { TALL = 8 }; // rows whose sums, two vectors each, stay in registers
    for (int row = 0; row < WIDE; row += TALL) {
        __m512 sum[TALL][2] = {0};
        for (int k = 0; k < squares * SIDE; k++) {
            const Square *a = A + k / SIDE * 2 + row / SIDE, *b = B + k / SIDE * 2;
#pragma GCC unroll 8
            for (int i = 0; i < TALL; i++) {
                const __m512bh pair = (__m512bh)_mm512_set1_epi32((int)a[0][row % SIDE + i][k % SIDE]);
                sum[i][0] = _mm512_dpbf16_ps(sum[i][0], pair, (__m512bh)_mm512_load_si512(b[0][k % SIDE]));
                sum[i][1] = _mm512_dpbf16_ps(sum[i][1], pair, (__m512bh)_mm512_load_si512(b[1][k % SIDE]));
            }
        }
        for (int i = 0; i < TALL; i++)
            for (int half = 0; half < 2; half++) _mm512_storeu_ps(sums[row / SIDE][half][row % SIDE + i], sum[i][half]);
    }
}

static void begin(void) {}

static void end(void) {}

const char *bf16_complaint(void) {
#ifndef BF16_VECTORS // which is for tests
    if (!__builtin_cpu_is("amd"))
        return "Intel's AVX512_BF16 is slower than its products of float; only AMX and AMD's AVX512_BF16 are faster";
#endif
    return NULL;
}
#endif

// --- the product ---

// C (rows, columns), at most 32 of each, = beta * C + sums + bias.
static void add_tile(real *C, int ldc, real beta, const Sums sums, const real *bias, int rows, int columns) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j += SIDE) {
            const __mmask16 there = (__mmask16)((1 << least(SIDE, columns - j)) - 1);
            real *c = C + (size_t)i * ldc + j;
            __m512 sum = _mm512_load_ps(sums[i / SIDE][j / SIDE][i % SIDE]);
            if (bias) sum += _mm512_maskz_loadu_ps(there, bias + j);
            if (beta != 0) sum += beta * _mm512_maskz_loadu_ps(there, c);
            _mm512_mask_storeu_ps(c, there, sum);
        }
}

// For at most BLOCK_ROWS of k and BLOCK_COLUMNS of N.
static void product_block(real *C, int ldc, real beta, Matrix A, Matrix B, const real *bias, int M, int N, int K) {
    struct {
        Square panels[BLOCK_ROWS / DEEP * (BLOCK_COLUMNS / SIDE)], strip[BLOCK_ROWS / DEEP * 2];
        _Alignas(64) Sums sums;
    } *space = thread_space();
    static_assert(sizeof *space <= THREAD_SPACE, "the panels fit");
    const int squares = (K + DEEP - 1) / DEEP;
    B.transposed = !B.transposed;
    for (int n = 0; n < N; n += WIDE)
        pack_panel(space->panels + n / SIDE * squares, matrix_from(B, n, 0), true, N - n, K);
    for (int m = 0; m < M; m += WIDE) {
        pack_panel(space->strip, matrix_from(A, m, 0), false, M - m, K);
        for (int n = 0; n < N; n += WIDE) {
            multiply(space->sums, (const Square *)space->strip, (const Square *)(space->panels + n / SIDE * squares),
                     squares);
            add_tile(C + (size_t)m * ldc + n, ldc, beta, (const real(*)[2][SIDE][SIDE])space->sums,
                     bias ? bias + n : NULL, least(WIDE, M - m), least(WIDE, N - n));
        }
    }
    thread_space_done(space);
}

void product_bf16(real *C, int ldc, real beta, Matrix A, Matrix B, const real *bias, int M, int N, int K) {
    const int rows = (block_size(K, BLOCK_ROWS) + DEEP - 1) / DEEP * DEEP;
    const int columns = (block_size(N, BLOCK_COLUMNS) + WIDE - 1) / WIDE * WIDE;
    begin();
    for (int n = 0; n < N; n += columns)
        for (int k = 0; k < K; k += rows)
            product_block(C + n, ldc, k ? 1 : beta, matrix_from(A, 0, k), matrix_from(B, k, n),
                          bias && !k ? bias + n : NULL, M, least(columns, N - n), least(rows, K - k));
    end();
}

#elif defined REAL_DOUBLE || !defined __ARM_FEATURE_BF16_VECTOR_ARITHMETIC // otherwise bf16_arm.c has them
#define KERNEL "none"

const char *bf16_complaint(void) {
    return "this program was not built for a processor with products of bfloat16 (AMX or AVX512_BF16 on Linux, BFMMLA "
           "on ARM), or not in single precision";
}

void product_bf16(real *C, int ldc, real beta, Matrix A, Matrix B, const real *bias, int M, int N, int K) {
    assert(bf16_complaint() == NULL);
}
#endif

#ifdef KERNEL
const char *bf16_kernel(void) {
    return KERNEL;
}
#endif
