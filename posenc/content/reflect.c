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
// and for all queries of a block and a chunk of keys everything is matrix products but the little triangle of the first
// sum (the "UT transform" of the authors). With W, K, U one row for each key, Q one for each query, WW and WK the
// products w_m . w_n and w_m . k_n where m > n, else 0:
//
//     U = beta * (W Q^T - WW^T U),   S = scale (Q K^T - U^T WK),   Q -= U^T W.
#include "posenc/content/reflect.h"

#include "model/base/gemm.h"

#define CHUNK 16 // keys; half and twice that are slower

static int chunks_of(int columns) {
    return (columns + CHUNK - 1) / CHUNK;
}

Reflections reflections_take(Arena *arena, int rows, int columns, int d) {
    const size_t R = (size_t)rows, N = (size_t)columns;
    Reflections r = {.d = d};
    r.w = arena_reals(arena, N * d);
    r.dw = arena_reals(arena, N * d);
    r.beta = arena_reals(arena, N);
    r.dlog_beta = arena_reals(arena, N);
    r.Q = arena_reals(arena, chunks_of(columns) * R * d);
    r.U = arena_reals(arena, N * R);
    r.dQ = arena_reals(arena, R * d);
    r.dU = arena_reals(arena, CHUNK * R);
    real **const squares[] = {&r.WW, &r.WK, &r.dWW, &r.dWK};
    for (size_t n = 0; n < 4; n++) *squares[n] = arena_reals(arena, CHUNK * CHUNK);
    return r;
}

// The keys at work: n of them from `first` on.
typedef struct {
    int first, n;
    Matrix W, WT, K, KT; // (n, d) and (d, n)
    const real *beta;    // (n)
    real *U;             // (n, rows)
} Chunk;

static Chunk chunk_of(const Reflections *r, const ScoreBlock *block, int index) {
    const int first = index * CHUNK, left = block->columns - first, d = r->d;
    const real *w = r->w + (size_t)first * d, *k = block->k + (size_t)first * block->k_stride;
    return (Chunk){
        .first = first,
        .n = left < CHUNK ? left : CHUNK,
        .W = rows_of(w, d),
        .WT = columns_of(w, d),
        .K = rows_of(k, block->k_stride),
        .KT = columns_of(k, block->k_stride),
        .beta = r->beta + first,
        .U = r->U + (size_t)first * block->rows,
    };
}

// The first row of the block whose query stands at key n of the chunk or after it: those before do not see the key.
static int first_row(const ScoreBlock *block, const Chunk *chunk, int n) {
    const int row = chunk->first + n - (block->columns - block->rows);
    return row > 0 ? row : 0;
}

// M (n, n), rows CHUNK apart: zeros where the row is not below the diagonal.
static void keep_below_diagonal(real *M, int n) {
    for (int row = 0; row < n; row++)
        for (int column = row; column < n; column++) M[row * CHUNK + column] = 0;
}

static void chunk_products(const Reflections *r, const Chunk *chunk) {
    const int n = chunk->n, d = r->d;
    gemm(r->WW, CHUNK, 0, 1, chunk->W, chunk->WT, n, n, d);
    gemm(r->WK, CHUNK, 0, 1, chunk->W, chunk->KT, n, n, d);
    keep_below_diagonal(r->WW, n);
    keep_below_diagonal(r->WK, n);
}

// From W Q^T to U = beta * (W Q^T - WW^T U), in place, the last key first.
static void triangle_forward(const ScoreBlock *block, const Chunk *chunk, const real *WW) {
    const int rows = block->rows;
    for (int n = chunk->n - 1; n >= 0; n--) {
        const int start = first_row(block, chunk, n);
        real *u_n = chunk->U + (size_t)n * rows;
        for (int i = 0; i < start; i++) u_n[i] = 0;
        for (int m = n + 1; m < chunk->n; m++) {
            const real *u_m = chunk->U + (size_t)m * rows;
            for (int i = start; i < rows; i++) u_n[i] -= WW[m * CHUNK + n] * u_m[i];
        }
        for (int i = start; i < rows; i++) u_n[i] *= chunk->beta[n];
    }
}

void reflect_forward(const ScoreBlock *block, const Reflections *r) {
    const int rows = block->rows, d = r->d, last = chunks_of(block->columns) - 1;
    const size_t size = (size_t)rows * d;
    for (int i = 0; i < rows; i++)
        memcpy(r->Q + last * size + (size_t)i * d, block->q + (size_t)i * block->q_stride, (size_t)d * sizeof(real));
    for (int index = last; index >= 0; index--) {
        const Chunk chunk = chunk_of(r, block, index);
        real *S = block->S + chunk.first, *Q = r->Q + index * size, *next = Q - size;
        const Matrix UT = columns_of(chunk.U, rows);
        chunk_products(r, &chunk);
        gemm(chunk.U, rows, 0, 1, chunk.W, columns_of(Q, d), chunk.n, rows, d);
        triangle_forward(block, &chunk, r->WW);
        gemm(S, block->stride, 0, block->scale, rows_of(Q, d), chunk.KT, rows, chunk.n, d);
        gemm(S, block->stride, 1, -block->scale, UT, rows_of(r->WK, CHUNK), rows, chunk.n, chunk.n);
        if (index == 0) break;
        memcpy(next, Q, size * sizeof(real));
        gemm(next, d, 1, -1, UT, chunk.W, rows, d, chunk.n);
    }
}

// Forward was U = beta * A, A = W Q^T - WW^T U. So dlog beta_n = u_n . du_n, dA = beta * dU, in dU's place, and of what
// U gave to A: du_m -= WW_mn da_n. This time the first key first, because du_n is complete when the keys before n are
// done.
static void triangle_backward(real *dU, real *dlog_beta, const ScoreBlock *block, const Chunk *chunk, const real *WW) {
    const int rows = block->rows;
    for (int n = 0; n < chunk->n; n++) {
        const int start = first_row(block, chunk, n);
        const real *u_n = chunk->U + (size_t)n * rows;
        real *da_n = dU + (size_t)n * rows, sum = 0;
        for (int i = 0; i < start; i++) da_n[i] = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = start; i < rows; i++) {
            sum += u_n[i] * da_n[i];
            da_n[i] *= chunk->beta[n];
        }
        dlog_beta[n] = sum;
        for (int m = n + 1; m < chunk->n; m++) {
            real *du_m = dU + (size_t)m * rows;
            for (int i = start; i < rows; i++) du_m[i] -= WW[m * CHUNK + n] * da_n[i];
        }
    }
}

// One chunk, from its first key to its last. dQ comes in as the gradient with respect to the queries after the chunk's
// reflections and goes out as that with respect to the queries before them.
static void chunk_backward(real *dw, real *dk, real *dlog_beta, const real *dS, const Reflections *r, const real *Q,
                           const ScoreBlock *block, const Chunk *chunk) {
    const int rows = block->rows, n = chunk->n, d = r->d, dks = block->k_stride;
    const real scale = block->scale;
    real *dQ = r->dQ, *dU = r->dU, *dWW = r->dWW, *dWK = r->dWK;
    const Matrix U = rows_of(chunk->U, rows), dA = rows_of(dU, rows), dAT = columns_of(dU, rows);
    const Matrix S = rows_of(dS, block->stride), ST = columns_of(dS, block->stride);
    // Q -= U^T W
    gemm(dw, d, 0, -1, U, rows_of(dQ, d), n, d, rows);
    gemm(dU, rows, 0, -1, chunk->W, columns_of(dQ, d), n, rows, d);
    // S = scale (Q K^T - U^T WK)
    gemm(dU, rows, 1, -scale, rows_of(r->WK, CHUNK), ST, n, rows, n);
    gemm(dWK, CHUNK, 0, -scale, U, S, n, n, rows);
    gemm(dQ, d, 1, scale, S, chunk->K, rows, d, n);
    gemm(dk, dks, 1, scale, ST, rows_of(Q, d), n, d, rows);
    // U = beta * (W Q^T - WW^T U)
    triangle_backward(dU, dlog_beta, block, chunk, r->WW);
    gemm(dWW, CHUNK, 0, -1, U, dAT, n, n, rows);
    gemm(dQ, d, 1, 1, dAT, chunk->W, rows, d, n);
    gemm(dw, d, 1, 1, dA, rows_of(Q, d), n, d, rows);
    // WW = W W^T and WK = W K^T, below the diagonal
    keep_below_diagonal(dWW, n);
    keep_below_diagonal(dWK, n);
    gemm(dw, d, 1, 1, rows_of(dWW, CHUNK), chunk->W, n, d, n);
    gemm(dw, d, 1, 1, columns_of(dWW, CHUNK), chunk->W, n, d, n);
    gemm(dw, d, 1, 1, rows_of(dWK, CHUNK), chunk->K, n, d, n);
    gemm(dk, dks, 1, 1, columns_of(dWK, CHUNK), chunk->W, n, d, n);
}

void reflect_backward(const ScoreGradient *grad, const ScoreBlock *block, const Reflections *r) {
    const int rows = block->rows, d = r->d;
    const size_t size = (size_t)rows * d;
    memset(r->dQ, 0, size * sizeof(real));
    for (int index = 0; index < chunks_of(block->columns); index++) {
        const Chunk chunk = chunk_of(r, block, index);
        chunk_products(r, &chunk);
        chunk_backward(r->dw + (size_t)chunk.first * d, grad->dk + (size_t)chunk.first * block->k_stride,
                       r->dlog_beta + chunk.first, grad->dS + chunk.first, r, r->Q + index * size, block, &chunk);
    }
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < d; c++) grad->dq[(size_t)i * block->q_stride + c] += r->dQ[(size_t)i * d + c];
}
