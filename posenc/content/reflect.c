// A query walks from its own key back to the first. At each key it is scored and then reflected:
//
//     for (int n = i; n >= 0; n--) {
//         S[n] = scale * dot(Q, k[n]);
//         u[n] = beta[n] * dot(Q, w[n]);
//         Q -= u[n] * w[n];
//     }
//
// Backward walks the other way. It meets each Q again as it was at key n, and its gradient dQ:
//
//     for (int n = 0; n <= i; n++) {
//         du = -dot(dQ, w[n]);              dw[n] -= u[n] * dQ;             // Q -= u w
//         dbeta[n] += du * dot(Q, w[n]);    dw[n] += beta[n] * du * Q;      // u = beta (Q . w)
//         dQ += beta[n] * du * w[n];
//         dk[n] += scale * dS[n] * Q;       dQ += scale * dS[n] * k[n];     // S = scale Q . k
//     }
//
// tests/posenc/double_reflect.c runs these loops and compares. Taken key by key, Q is read and written at every step.
// But the Q that meets key n is the one that met the last key of a chunk, less the sum of u_m w_m over the keys m > n
// in between, so
//
//     u_n = beta_n (Q . w_n - sum of u_m (w_m . w_n)),   S_n = scale (Q . k_n - sum of u_m (w_m . k_n)),
//
// and for all queries of a block and a chunk of keys everything is matrix products (the "UT transform" of the authors).
// With W, K one row for each key, and Q, U one for each query, let WW and WK be the products w_m . w_n and w_m . k_n
// where m > n, else 0. Then U (1/beta + WW) = Q W^T, and with T the inverse of that triangle, 1/beta on its diagonal,
//
//     [B, S] = Q [W; K]^T,   B = 0 at keys after a query's own,   U = B T,   [S, Q] -= U [WK, W].
//
// F = [W; K], T and G = [WK, W] depend only on the keys: in training they are computed once for all blocks of a head.
#include "posenc/content/reflect.h"

#include "num/gemm.h"

#include <assert.h>

#define CHUNK 16 // keys; larger chunks need more arithmetic, smaller chunks have smaller products

// n keys from `first` on.
struct Chunk {
    int first, n;
    real *F, *dF;   // (2n, d) W, K
    real *WG, *dWG; // (n, 2n + d) WW, WK, W; dWG has the gradient of the triangle in the place of that of WW
    real *T;        // (n, n)
};

static int chunks_of(int keys) {
    return (keys + CHUNK - 1) / CHUNK;
}

static struct Chunk chunk_take(Arena *arena, int d) {
    const size_t D = (size_t)d, N = CHUNK;
    struct Chunk chunk = {0};
    real **const members[] = {&chunk.F, &chunk.dF, &chunk.WG, &chunk.dWG, &chunk.T};
    const size_t sizes[] = {2 * N * D, 2 * N * D, N * (2 * N + D), N * (2 * N + D), N * N};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *members[i] = arena_reals(arena, sizes[i]);
    return chunk;
}

static size_t chunk_size(int d) {
    Arena counted = {0};
    chunk_take(&counted, d);
    return counted.used / sizeof(real);
}

Reflections reflections_take(Arena *arena, int rows, int keys, int d) {
    const size_t R = (size_t)rows, N = (size_t)keys, chunks = (size_t)chunks_of(keys);
    Reflections r = {.d = d, .keys = keys};
    r.w = arena_reals(arena, N * d);
    r.dw = arena_reals(arena, N * d);
    r.beta = arena_reals(arena, N);
    r.dlog_beta = arena_reals(arena, N);
    r.chunks = arena_take(arena, chunks * sizeof *r.chunks);
    r.memory = arena_reals(arena, chunks * chunk_size(d));
    r.Q = arena_reals(arena, chunks * R * d);
    r.U = arena_reals(arena, chunks * R * CHUNK);
    r.X = arena_reals(arena, R * (2 * CHUNK + d));
    r.dU = arena_reals(arena, R * CHUNK);
    return r;
}

// M (n, n), rows `stride` apart: zeros where the row is not below the diagonal.
static void keep_below_diagonal(real *M, int stride, int n) {
    for (int row = 0; row < n; row++)
        for (int column = row; column < n; column++) M[(size_t)row * stride + column] = 0;
}

// T (n, n), the inverse of the triangle with 1/beta on the diagonal and WW below.
static void invert_triangle(real *T, const real *WW, int stride, const real *beta, int n) {
    for (int m = 0; m < n; m++) {
        real *T_m = T + (size_t)m * n;
        memset(T_m, 0, (size_t)n * sizeof(real));
        for (int k = 0; k < m; k++)
            for (int c = 0; c < n; c++) T_m[c] -= WW[(size_t)m * stride + k] * T[(size_t)k * n + c];
        T_m[m] = 1;
        for (int c = 0; c < n; c++) T_m[c] *= beta[m];
    }
}

// What belongs to the keys of a chunk and is the same for all blocks of queries.
static void chunk_make(const Reflections *r, const real *k, int k_stride, int index) {
    const int d = r->d, first = index * CHUNK, left = r->keys - first, n = left < CHUNK ? left : CHUNK;
    const int wide = 2 * n + d;
    Arena memory = {.base = (unsigned char *)(r->memory + (size_t)index * chunk_size(d))};
    struct Chunk *c = &r->chunks[index];
    *c = chunk_take(&memory, d);
    c->first = first;
    c->n = n;
    memcpy(c->F, r->w + (size_t)first * d, (size_t)n * d * sizeof(real));
    for (int m = 0; m < n; m++)
        memcpy(c->F + (size_t)(n + m) * d, k + (size_t)(first + m) * k_stride, (size_t)d * sizeof(real));
    gemm(c->WG, wide, 0, 1, rows_of(c->F, d), columns_of(c->F, d), n, 2 * n, d);
    keep_below_diagonal(c->WG, wide, n);
    keep_below_diagonal(c->WG + n, wide, n);
    for (int m = 0; m < n; m++)
        memcpy(c->WG + (size_t)m * wide + 2 * n, c->F + (size_t)m * d, (size_t)d * sizeof(real));
    invert_triangle(c->T, c->WG, wide, r->beta + first, n);
}

void reflect_keys(const Reflections *r, const real *k, int k_stride) {
    for (int index = 0; index < chunks_of(r->keys); index++) chunk_make(r, k, k_stride, index);
}

// The first row of the block whose query is in the chunk that begins with this column, or after that chunk: earlier
// rows see none of its keys.
static int first_row(const ScoreBlock *block, int column) {
    const int row = column - (block->columns - block->rows);
    return row > 0 ? row : 0;
}

// B (rows, n), rows `stride` apart, from the block's row `start` on: 0 at the keys after a query's own. B's first key
// is the block's `column`.
static void keep_seen(real *B, int stride, const ScoreBlock *block, int column, int n, int start) {
    for (int i = start; i < block->rows; i++)
        for (int m = block_seen(block, i) - column; m < n; m++) B[(size_t)(i - start) * stride + m] = 0;
}

void reflect_forward(const ScoreBlock *block, int first, const Reflections *r) {
    const int d = r->d, begin = first / CHUNK;
    assert(first % CHUNK == 0);
    for (int index = chunks_of(first + block->columns) - 1, joined = block->rows; index >= begin; index--) {
        const struct Chunk *c = &r->chunks[index];
        const int n = c->n, wide = 2 * n + d, column = c->first - first;
        const int start = first_row(block, column), rows = block->rows - start;
        const size_t size = (size_t)block->rows * d;
        real *Q = r->Q + index * size + (size_t)start * d, *U = r->U + (size_t)index * block->rows * CHUNK;
        for (int i = start; i < joined; i++) // these queries meet their first key
            memcpy(Q + (size_t)(i - start) * d, block->q + (size_t)i * block->q_stride, (size_t)d * sizeof(real));
        joined = start;
        for (int i = 0; i < start; i++)
            memset(block->S + (size_t)i * block->stride + column, 0, (size_t)n * sizeof(real));
        gemm(r->X, wide, 0, 1, rows_of(Q, d), columns_of(c->F, d), rows, 2 * n, d);
        keep_seen(r->X, wide, block, column, n, start);
        gemm(U, n, 0, 1, rows_of(r->X, wide), rows_of(c->T, n), rows, n, n);
        for (int i = 0; i < rows; i++)
            memcpy(r->X + (size_t)i * wide + 2 * n, Q + (size_t)i * d, (size_t)d * sizeof(real));
        gemm(r->X + n, wide, 1, -1, rows_of(U, n), rows_of(c->WG + n, wide), rows, n + d, n);
        for (int i = 0; i < rows; i++) {
            const real *X_i = r->X + (size_t)i * wide;
            real *S_i = block->S + (size_t)(start + i) * block->stride + column;
            for (int m = 0; m < n; m++) S_i[m] = block->scale * X_i[n + m];
            if (index > begin) memcpy(Q - size + (size_t)i * d, X_i + 2 * n, (size_t)d * sizeof(real));
        }
    }
}

// One chunk. X = [dB, dS, dQ], from the row `start` on; dQ comes in as the gradient with respect to the queries after
// the chunk's reflections and goes out as that with respect to the queries before them.
static void chunk_backward(real *X, int stride, const Reflections *r, const ScoreBlock *block, const struct Chunk *c,
                           const real *Q, const real *U, int column) {
    const int n = c->n, d = r->d, start = first_row(block, column), rows = block->rows - start;
    // [S, Q] -= U [WK, W]
    gemm(r->dU, n, 0, -1, rows_of(X + n, stride), columns_of(c->WG + n, 2 * n + d), rows, n, n + d);
    // U (1/beta + WW) = B, so dB = dU T^T, and the gradient of the triangle is -U^T dB
    gemm(X, stride, 0, 1, rows_of(r->dU, n), columns_of(c->T, n), rows, n, n);
    keep_seen(X, stride, block, column, n, start);
    gemm(c->dWG, 2 * n + d, 1, -1, columns_of(U, n), rows_of(X, stride), n, 2 * n + d, rows);
    // [B, S] = Q F^T
    gemm(c->dF, d, 1, 1, columns_of(X, stride), rows_of(Q, d), 2 * n, d, rows);
    gemm(X + 2 * n, stride, 1, 1, rows_of(X, stride), rows_of(c->F, d), rows, d, 2 * n);
}

// After all blocks of a head. Forward was [WW, WK] = W F^T below the diagonal.
static void chunk_finish(real *dk, int dk_stride, const Reflections *r, const struct Chunk *c) {
    const int n = c->n, d = r->d, wide = 2 * n + d;
    real *dw = r->dw + (size_t)c->first * d;
    for (int m = 0; m < n; m++) r->dlog_beta[c->first + m] = -c->dWG[(size_t)m * wide + m] / r->beta[c->first + m];
    keep_below_diagonal(c->dWG, wide, n);
    keep_below_diagonal(c->dWG + n, wide, n);
    gemm(c->dWG + 2 * n, wide, 1, 1, rows_of(c->dWG, wide), rows_of(c->F, d), n, d, 2 * n);
    gemm(c->dF, d, 1, 1, columns_of(c->dWG, wide), rows_of(c->F, d), 2 * n, d, n);
    for (int m = 0; m < n; m++)
        for (int i = 0; i < d; i++) {
            dw[m * d + i] = c->dF[m * d + i] + c->dWG[m * wide + 2 * n + i];
            dk[(size_t)(c->first + m) * dk_stride + i] += c->dF[(n + m) * d + i];
        }
}

void reflect_keys_prepare(const Reflections *r) {
    for (struct Chunk *c = r->chunks; c < r->chunks + chunks_of(r->keys); c++) {
        memset(c->dF, 0, (size_t)2 * c->n * r->d * sizeof(real));
        memset(c->dWG, 0, (size_t)c->n * (2 * c->n + r->d) * sizeof(real));
    }
}

void reflect_backward(const ScoreGradient *grad, const ScoreBlock *block, int first, const Reflections *r) {
    const int d = r->d, stride = 2 * CHUNK + d;
    real *dQ = r->X + 2 * CHUNK; // the last columns of X; a chunk of fewer keys leaves out the first ones
    for (int i = 0; i < block->rows; i++) memset(dQ + (size_t)i * stride, 0, (size_t)d * sizeof(real));
    for (int index = first / CHUNK; index < chunks_of(first + block->columns); index++) {
        const struct Chunk *c = &r->chunks[index];
        const int n = c->n, column = c->first - first, start = first_row(block, column);
        real *X = dQ + (size_t)start * stride - 2 * n;
        for (int i = start; i < block->rows; i++)
            for (int m = 0; m < n; m++)
                X[(size_t)(i - start) * stride + n + m] =
                    block->scale * grad->dS[column + (size_t)i * block->stride + m];
        chunk_backward(X, stride, r, block, c, r->Q + ((size_t)index * block->rows + start) * d,
                       r->U + (size_t)index * block->rows * CHUNK, column);
    }
    for (int i = 0; i < block->rows; i++)
        for (int c = 0; c < d; c++) grad->dq[(size_t)i * block->q_stride + c] += dQ[(size_t)i * stride + c];
}

void reflect_keys_backward(real *dk, int dk_stride, const Reflections *r) {
    for (int index = 0; index < chunks_of(r->keys); index++) chunk_finish(dk, dk_stride, r, &r->chunks[index]);
}

// With chunks of n keys. For each key that a query sees, forward has products of 6 d + 4 n operations and backward of
// 12 d + 8 n; a score and its gradients without reflections are 2 d + 4 d of these. And what belongs to the keys: for
// each, products of 12 n d, and n^2 for the inverse of the triangle.
double reflect_operations(double keys, int d) {
    return keys * 12 * (d + CHUNK) + CHUNK * (12.0 * d + CHUNK);
}
