// Reflections in chunks of keys compared with the loops at the top of reflect.c, one query and one key at a time,
// forward and backward.
#include "posenc/content/reflect.h"

#include "tests/support/scene.h"

enum { D = 5, STRIDE = 12 }; // of q, k and their gradients

typedef struct {
    int rows, columns;
    ScoreBlock block;
    Reflections r;
    Arena arena;
    real *q, *k, *S, *dS, *dq, *dk; // dS (rows, columns), 0 at keys after a query's own; dq, dk begin at 1
    real *ones;
} Case;

static double dot(const double *x, const real *y) {
    double sum = 0;
    for (int c = 0; c < D; c++) sum += x[c] * y[c];
    return sum;
}

static void case_make(Case *x, int rows, int columns) {
    const size_t numbers = (size_t)columns * STRIDE;
    Error error;
    *x = (Case){.rows = rows, .columns = columns};
    reflections_take(&x->arena, rows, columns, D);
    must(arena_allocate(&x->arena, "reflections", &error), &error);
    x->r = reflections_take(&x->arena, rows, columns, D);
    x->q = random_reals(numbers, "q", 1), x->k = random_reals(numbers, "k", 1);
    x->S = nan_reals((size_t)rows * columns), x->dS = random_reals((size_t)rows * columns, "dS", 1);
    x->ones = malloc(numbers * sizeof *x->ones);
    for (size_t n = 0; n < numbers; n++) x->ones[n] = 1;
    x->dq = copy_reals(x->ones, numbers), x->dk = copy_reals(x->ones, numbers);
    real *w = random_reals((size_t)columns * D, "w", 1), *beta = random_reals((size_t)columns, "beta", 1);
    for (int n = 0; n < columns; n++) {
        double squares = 0;
        for (int c = 0; c < D; c++) squares += w[n * D + c] * w[n * D + c];
        for (int c = 0; c < D; c++) x->r.w[n * D + c] = w[n * D + c] / sqrt(squares);
        x->r.beta[n] = n % 7 == 3 ? 1 : 2 / (1 + exp(-beta[n])); // of all strengths, and some that erase
    }
    for (int i = 0; i < rows; i++)
        for (int j = columns - rows + i + 1; j < columns; j++) x->dS[i * columns + j] = 0;
    x->block = (ScoreBlock){.S = x->S,
                            .stride = columns,
                            .rows = rows,
                            .columns = columns,
                            .q = x->q,
                            .k = x->k,
                            .q_stride = STRIDE,
                            .k_stride = STRIDE,
                            .scale = 0.7};
    free(w), free(beta);
}

static void case_free(Case *x) {
    real *const all[] = {x->q, x->k, x->S, x->dS, x->dq, x->dk, x->ones};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
    arena_free(&x->arena);
}

// One query, at key `own`: S (own + 1), and each Q as it was at key n.
static void plain_forward(double *S, double (*Q_at)[D], double *u, const Case *x, const double *q, int own) {
    double Q[D];
    memcpy(Q, q, sizeof Q);
    for (int n = own; n >= 0; n--) {
        memcpy(Q_at[n], Q, sizeof Q);
        S[n] = x->block.scale * dot(Q, x->k + n * STRIDE);
        u[n] = x->r.beta[n] * dot(Q, x->r.w + n * D);
        for (int c = 0; c < D; c++) Q[c] -= u[n] * x->r.w[n * D + c];
    }
}

// Sets dQ to the gradient of the query; adds to dw (columns, D), dk (columns, STRIDE) and dbeta.
static void plain_backward(double dQ[D], double *dw, double *dk, double *dbeta, const Case *x, const real *dS,
                           double (*Q_at)[D], const double *u, int own) {
    for (int c = 0; c < D; c++) dQ[c] = 0;
    for (int n = 0; n <= own; n++) {
        const real *w = x->r.w + n * D, *k = x->k + n * STRIDE;
        const double beta = x->r.beta[n], scale = x->block.scale, du = -dot(dQ, w), *Q = Q_at[n];
        dbeta[n] += du * dot(Q, w);
        for (int c = 0; c < D; c++) {
            dw[n * D + c] += beta * du * Q[c] - u[n] * dQ[c];
            dQ[c] += beta * du * w[c] + scale * dS[n] * k[c];
            dk[n * STRIDE + c] += scale * dS[n] * Q[c];
        }
    }
}

static void check(int rows, int columns) {
    Case x;
    case_make(&x, rows, columns);
    double *dw = calloc((size_t)columns * D, sizeof *dw), *dk = calloc((size_t)columns * STRIDE, sizeof *dk);
    double *dbeta = calloc((size_t)columns, sizeof *dbeta), *S = calloc((size_t)columns, sizeof *S);
    double *u = calloc((size_t)columns, sizeof *u), (*Q_at)[D] = calloc((size_t)columns, sizeof *Q_at);
    reflect_keys(&x.r, x.k, STRIDE);
    reflect_keys_prepare(&x.r);
    reflect_forward(&x.block, 0, &x.r);
    reflect_backward(&(ScoreGradient){x.dS, x.dq, NULL, NULL}, &x.block, 0, &x.r);
    reflect_keys_backward(x.dk, STRIDE, &x.r);
    for (int i = 0; i < rows; i++) {
        const int own = columns - rows + i;
        double q[D], dQ[D];
        for (int c = 0; c < D; c++) q[c] = x.q[i * STRIDE + c];
        plain_forward(S, Q_at, u, &x, q, own);
        plain_backward(dQ, dw, dk, dbeta, &x, x.dS + i * columns, Q_at, u, own);
        for (int n = 0; n <= own; n++) expect_near("S", (size_t)n, x.S[i * columns + n], S[n], 1e-12);
        for (int c = 0; c < D; c++) expect_near("dq", (size_t)c, x.dq[i * STRIDE + c], 1 + dQ[c], 1e-11);
    }
    for (int n = 0; n < columns * STRIDE; n++) expect_near("dk", (size_t)n, x.dk[n], 1 + dk[n], 1e-11);
    for (int n = 0; n < columns * D; n++) expect_near("dw", (size_t)n, x.r.dw[n], dw[n], 1e-11);
    for (int n = 0; n < columns; n++)
        expect_near("dlog beta", (size_t)n, x.r.dlog_beta[n], x.r.beta[n] * dbeta[n], 1e-11);
    free(dw), free(dk), free(dbeta), free(S), free(u), free(Q_at);
    case_free(&x);
}

static void chunks_do_what_the_loops_do(void **state) {
    static const int blocks[][2] = {{1, 1}, {1, 17}, {5, 5}, {16, 16}, {33, 50}, {6, 70}, {64, 64}};
    for (size_t n = 0; n < COUNT(blocks); n++) check(blocks[n][0], blocks[n][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_do_what_the_loops_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
