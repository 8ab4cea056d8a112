#include "num/product.h"

#include "base/memory.h"

#include <assert.h>

// Bytes of a vector: the processor's widest, unless the build says something else (make VECTOR=16).
#ifndef VECTOR
#if defined __AVX512F__
#define VECTOR 64
#elif defined __AVX__
#define VECTOR 32
#else
#define VECTOR 16
#endif
#endif
// A tile of C stays in registers while its products are summed: TALL rows of two vectors, which leaves some of the
// processor's 32 or 16 registers for A and B. On ARM, gcc loads so much of A in advance that only 10 rows fit.
#if VECTOR == 64 || (defined __aarch64__ && defined __clang__)
#define TALL 12
#elif defined __aarch64__
#define TALL 10
#else
#define TALL 6
#endif
#define LANES      ((int)(VECTOR / sizeof(real)))
#define WIDE       (2 * LANES)
#define BLOCK      384 // rows, and columns, of B that are packed at a time: they stay in the second-level cache
#define CHUNK      (48 / TALL * TALL) // rows of A that a panel of B serves while it is in the first-level cache
#define TRANSPOSED 16                 // columns that are transposed at a time
// UNROLL: a loop of constant length becomes plain statements. WHOLE: vectors are not cut in two, as clang does with 64
// bytes unless it is told not to.
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define WHOLE  __attribute__((min_vector_width(8 * VECTOR)))
#else
#define UNROLL _Pragma("GCC unroll 16")
#define WHOLE
#endif
#define INLINE static inline __attribute__((always_inline))

typedef real Vector __attribute__((vector_size(VECTOR), aligned(sizeof(real)), may_alias));

// --- B, packed: panels of WIDE columns, each row after row; the last panel may be of LANES columns ---

// The width of the panel that begins `left` columns before the end.
static int panel_width(int left) {
    return left > LANES ? WIDE : LANES;
}

// out (2n) = a[0], b[0], a[1], b[1], ...
static void interleave(real *restrict out, const real *restrict a, const real *restrict b, int n) {
    for (int j = 0; j < n; j++) {
        out[2 * j] = a[j];
        out[2 * j + 1] = b[j];
    }
}

// out (TRANSPOSED, width) = the transpose of in (width, TRANSPOSED), whose rows start `stride` apart; width is a power
// of 2. Interleaving the first half of the rows with the second half, again and again, ends in a single row: the
// transpose.
static void transpose(real *out, const real *in, int stride, int width) {
    real buffers[2][(WIDE > TRANSPOSED ? WIDE : TRANSPOSED) * TRANSPOSED];
    int length = TRANSPOSED;
    for (int half = width / 2, turn = 0; half >= 1; half /= 2, turn = !turn) {
        real *to = half == 1 ? out : buffers[turn];
        for (int r = 0; r < half; r++)
            interleave(to + (size_t)r * 2 * length, in + (size_t)r * stride, in + (size_t)(r + half) * stride, length);
        length *= 2;
        in = to;
        stride = length;
    }
}

void transpose_square(real *out, const real *in) {
    transpose(out, in, TRANSPOSED, TRANSPOSED);
}

// One panel of `width` columns, the first `have` of them from B; the others are zero.
static void pack_panel(real *panel, Matrix B, int K, int have, int width) {
    int k = 0;
    if (have == width && B.transposed)
        for (; k + TRANSPOSED <= K; k += TRANSPOSED) transpose(panel + (size_t)k * width, B.at + k, B.stride, width);
    else if (have == LANES && width == LANES)
        for (; k < K; k++) memcpy(panel + (size_t)k * LANES, B.at + (size_t)k * B.stride, LANES * sizeof(real));
    for (; k < K; k++)
        for (int j = 0; j < width; j++) panel[(size_t)k * width + j] = j < have ? matrix_entry(B, k, j) : 0;
}

static void pack_block(real *packed, Matrix B, int K, int N) {
    // Whole panels of rows are filled together, so that B is read in the order in which it lies in memory.
    const int whole = B.transposed ? 0 : N / WIDE * WIDE;
    for (int k = 0; k < K; k++)
        for (int n = 0; n < whole; n += WIDE)
            memcpy(packed + (size_t)n * K + k * WIDE, B.at + (size_t)k * B.stride + n, WIDE * sizeof(real));
    for (int n = whole; n < N; n += WIDE) {
        const int width = panel_width(N - n);
        pack_panel(packed + (size_t)n * K, matrix_from(B, 0, n), K, least(N - n, width), width);
    }
}

int product_vector_bytes(void) {
    return VECTOR;
}

static size_t padded(int N) {
    return ((size_t)N + LANES - 1) / LANES * LANES;
}

size_t product_packed_size(int K, int N) {
    return padded(N) * (size_t)K;
}

void product_pack(real *packed, Matrix B, int K, int N) {
    const int rows = block_size(K, BLOCK);
    for (int k = 0; k < K; k += rows)
        pack_block(packed + padded(N) * (size_t)k, matrix_from(B, k, 0), least(rows, K - k), N);
}

// --- the kernel ---

// Consecutive rows of a panel of B, and the other numbers of the product. These stay in memory until the sums are done,
// because the loop needs all registers.
typedef struct {
    const real *at, *bias; // (K, width), (width)
    int K, width;
    real beta, alpha;
} Panel;

// C (rows, vectors) = beta * C + alpha * A (rows, K) * panel + bias, for constant `rows` and `vectors`. Rows of A are
// `down` apart, its columns `along`.
INLINE void tile(real *C, int ldc, const real *A, size_t down, size_t along, const Panel *panel, const int rows,
                 const int vectors) {
    const Vector *b = (const Vector *)panel->at, *bias = (const Vector *)panel->bias;
    Vector sum[TALL][2];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vectors; j++) sum[i][j] = (Vector){0};
    // Rows in groups of four, so that a row's address is its group's start plus at most 3 times `down`.
    const real *A0 = A, *A4 = rows > 4 ? A + 4 * down : A, *A8 = rows > 8 ? A + 8 * down : A;
    for (int k = 0; k < panel->K; k++) {
        UNROLL
        for (int i = 0; i < rows; i++) {
            const real a = i < 4 ? A0[i * down] : i < 8 ? A4[(i - 4) * down] : A8[(i - 8) * down];
            UNROLL
            for (int j = 0; j < vectors; j++) sum[i][j] += a * b[j];
        }
        b += vectors;
        A0 += along;
        A4 += along;
        A8 += along;
    }
    UNROLL
    for (int i = 0; i < rows; i++) {
        Vector *c = (Vector *)(C + (size_t)i * ldc);
        UNROLL
        for (int j = 0; j < vectors; j++) {
            Vector value = panel->alpha * sum[i][j] + bias[j];
            if (panel->beta != 0) value += panel->beta * c[j];
            c[j] = value;
        }
    }
}

// The tile of constant size. If A is transposed, its rows are 1 apart; otherwise its columns are.
#define TILE(rows, vectors)                                                                                            \
    (A.transposed ? tile(C, ldc, A.at, 1, (size_t)A.stride, panel, rows, vectors)                                      \
                  : tile(C, ldc, A.at, (size_t)A.stride, 1, panel, rows, vectors))
#define TILE_ROWS(rows) (panel->width == WIDE ? TILE(rows, 2) : TILE(rows, 1))

WHOLE static void whole_tile(real *C, int ldc, Matrix A, const Panel *panel, int rows) {
    switch (rows) {
    case TALL:
        TILE_ROWS(TALL);
        break;
#if TALL > 8
    case 8:
        TILE_ROWS(8);
        break;
#endif
    case 4:
        TILE_ROWS(4);
        break;
    case 2:
        TILE_ROWS(2);
        break;
    default:
        TILE_ROWS(1);
    }
}

static int tile_rows(int left) {
    return left >= TALL ? TALL : left >= 8 && TALL > 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

// The tile at the right edge of C, which has fewer columns than the panel.
static void edge_tile(real *C, int ldc, Matrix A, const Panel *panel, int rows, int columns) {
    real tile[TALL * WIDE];
    const int width = panel->width;
    if (panel->beta != 0)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < width; j++) tile[i * width + j] = j < columns ? C[(size_t)i * ldc + j] : 0;
    whole_tile(tile, width, A, panel, rows);
    for (int i = 0; i < rows; i++) memcpy(C + (size_t)i * ldc, tile + i * width, (size_t)columns * sizeof(real));
}

// out (rows, K) = A's first rows, tile after tile, and in each tile column after column.
static void gather_columns(real *out, Matrix A, int K, int rows) {
    const int whole = rows / TALL * TALL;
    for (int k = 0; k < K; k++)
        for (int m = 0; m < whole; m += TALL)
            memcpy(out + (size_t)m * K + k * TALL, A.at + (size_t)k * A.stride + m, TALL * sizeof(real));
    for (int m = whole, tall; m < rows; m += tall) {
        tall = tile_rows(rows - m);
        for (int k = 0; k < K; k++)
            for (int i = 0; i < tall; i++) out[(size_t)m * K + k * tall + i] = A.at[(size_t)k * A.stride + m + i];
    }
}

// `panels` are those of a block of B with K_all rows, of which K, at most BLOCK, are used from row `begin` on.
static void product_block(real *C, int ldc, real beta, real alpha, Matrix A, const real *panels, const real *bias,
                          int K_all, int begin, int K, int M, int N, int N_all) {
    static const real zeros[WIDE];
    real near[CHUNK * BLOCK];
    for (int first = 0; first < M; first += CHUNK) {
        const int chunk = least(CHUNK, M - first);
        const Matrix A_chunk = matrix_from(A, first, 0);
        const bool gathered = A.transposed && N > 2 * WIDE;
        if (gathered) gather_columns(near, A_chunk, K, chunk);
        for (int n = 0; n < N; n += WIDE) {
            const int width = panel_width(N_all - n), columns = least(N - n, width);
            const real *at = panels + (size_t)n * K_all + (size_t)begin * width;
            real edge[WIDE] = {0}, *C_n = C + (size_t)first * ldc + n;
            if (bias && columns < width) memcpy(edge, bias + n, (size_t)columns * sizeof(real));
            const Panel panel = {at, !bias ? zeros : columns < width ? edge : bias + n, K, width, beta, alpha};
            for (int m = 0, rows; m < chunk; m += rows) {
                rows = tile_rows(chunk - m);
                const Matrix A_m = gathered ? columns_of(near + (size_t)m * K, rows) : matrix_from(A_chunk, m, 0);
                if (columns == width)
                    whole_tile(C_n + (size_t)m * ldc, ldc, A_m, &panel, rows);
                else
                    edge_tile(C_n + (size_t)m * ldc, ldc, A_m, &panel, rows, columns);
            }
        }
    }
}

void product_packed(real *C, int ldc, real beta, real alpha, Matrix A, const real *packed, int N_all, int K, int first,
                    int begin, int end, int M, int N) {
    assert(first % WIDE == 0);
    const int rows = block_size(K, BLOCK);
    for (int k = begin / rows * rows; k < end; k += rows) {
        const int K_all = least(rows, K - k), from = k < begin ? begin - k : 0, to = least(K_all, end - k);
        const real *panels = packed + padded(N_all) * (size_t)k + (size_t)first * K_all;
        product_block(C, ldc, beta, alpha, A, panels, NULL, K_all, from, to - from, M, N, N_all - first);
        A = matrix_from(A, 0, to - from);
        beta = 1;
    }
}

// --- without a packed operand ---

// Few rows of A are not worth packing B.
static void few_rows(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, const real *bias, int M, int N,
                     int K) {
    for (int m = 0; m < M; m++) {
        const real *a = A.at + (size_t)m * A.stride;
        real *c = C + (size_t)m * ldc;
        for (int n = 0; n < N; n++) c[n] = (beta == 0 ? 0 : beta * c[n]) + (bias ? bias[n] : 0);
        if (B.transposed)
            for (int n = 0; n < N; n++) {
                const real *b = B.at + (size_t)n * B.stride;
                real sum = 0;
#pragma omp simd reduction(+ : sum)
                for (int k = 0; k < K; k++) sum += a[k] * b[k];
                c[n] += alpha * sum;
            }
        else
            for (int k = 0; k < K; k++)
                for (int n = 0; n < N; n++) c[n] += alpha * a[k] * B.at[(size_t)k * B.stride + n];
    }
}

void product(real *C, int ldc, real beta, real alpha, Matrix A, Matrix B, const real *bias, int M, int N, int K) {
    if (M < 4 && !A.transposed) {
        few_rows(C, ldc, beta, alpha, A, B, bias, M, N, K);
        return;
    }
    real *panels = thread_space(); // BLOCK * BLOCK
    static_assert(BLOCK * BLOCK * sizeof(real) <= THREAD_SPACE, "the panels fit");
    const int rows = block_size(K, BLOCK);
    for (int n = 0; n < N; n += BLOCK) {
        const int columns = least(BLOCK, N - n);
        for (int k = 0; k < K; k += rows) {
            const int K_k = least(rows, K - k);
            pack_block(panels, matrix_from(B, k, n), K_k, columns);
            product_block(C + n, ldc, k ? 1 : beta, alpha, matrix_from(A, 0, k), panels, bias && !k ? bias + n : NULL,
                          K_k, 0, K_k, M, columns, columns);
        }
    }
    thread_space_done(panels);
}
