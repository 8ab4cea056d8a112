// CoPE: positions are counts. Between a query and a key, every token adds to the count as much as the query attends to
// it, so "three back" can come to mean three words, or three sentences.
#include "posenc/content/vectors.h"

typedef struct {
    long long positions;
    int layers;
} CopeOptions;

static const Option cope_options[] = {
    {"positions", OPTION_INTEGER, offsetof(CopeOptions, positions), "16", 2, 4096, NULL, "N",
     "number of trained codes: one for each count 0 to N-1; higher counts use the last"},
    LAYERS_OPTION_ROW(CopeOptions, "own"),
    {0},
};

static int vectors(const Position *pos) {
    return (int)scheme_options(pos, CopeOptions)->positions;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "e", pos->sets * vectors(pos), head_width(&pos->shape), INIT_ZERO, 0);
}

// Scratch of a block. score_forward leaves the first two; score_backward also uses the others.
typedef struct {
    real *gates; // (rows, columns) sigmoid of the raw scores
    real *P;     // (rows, N) scale q e^T
    real *dP;    // (rows, N)
    real *dp;    // (columns) gradients with respect to the counts of one row
} Work;

static Work work_take(Arena *arena, const Tables *tables, int rows, int columns) {
    Work work;
    work.gates = arena_reals(arena, (size_t)rows * columns);
    work.P = arena_reals(arena, (size_t)rows * vectors(tables->pos));
    work.dP = arena_reals(arena, (size_t)rows * vectors(tables->pos));
    work.dp = arena_reals(arena, (size_t)columns);
    return work;
}

static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    Arena counted = {0};
    work_take(&counted, tables, rows, columns);
    return counted.used / sizeof(real);
}

// gate_ij = sigmoid(S_ij) of the keys that query i sees, and going back from it, the count p_ij = gate_ii + .. +
// gate_ij, at most N-1. S_ij += P[i][p_ij], interpolated between the two whole numbers next to p_ij.
static void score_forward(const Tables *tables, const ScoreBlock *block) {
    Arena scratch = scratch_of(block);
    const Work w = work_take(&scratch, tables, block->rows, block->columns);
    const int N = vectors(tables->pos);
    vectors_forward(w.P, tables, block);
    for (int i = 0; i < block->rows; i++) {
        const int seen = block_seen(block, i);
        real *S_i = block->S + (size_t)i * block->stride, *gate = w.gates + (size_t)i * block->columns;
        const real *P_i = w.P + (size_t)i * N;
#pragma omp simd
        for (int j = 0; j < seen; j++) gate[j] = 1 / (1 + real_exp(-S_i[j]));
        double p = 0;
        int j = seen - 1;
        for (; j >= 0 && (p += (double)gate[j]) < N - 1; j--) {
            const int below = (int)p;
            S_i[j] += P_i[below] + (real)(p - below) * (P_i[below + 1] - P_i[below]);
        }
        for (; j >= 0; j--) S_i[j] += P_i[N - 1];
    }
}

// One row. Forward was S_j += P[p_j], interpolated between below and below + 1. dP of both gets dS_j times its weight;
// dp_j = (P[below + 1] - P[below]) dS_j; where p_j was cut to N-1 it has no gradient. p_j = gate_j + .. + gate_i, so
// dgate_k = sum of dp_j over j <= k, and gate = sigmoid(S): dS_k += gate_k (1 - gate_k) dgate_k.
static void row_backward(real *dS, real *dP, real *dp, const real *P, const real *gate, int N, int seen) {
    double p = 0;
    int j = seen - 1;
    for (; j >= 0 && (p += (double)gate[j]) < N - 1; j--) {
        const int below = (int)p;
        const real share = (real)(p - below);
        dP[below] += (1 - share) * dS[j];
        dP[below + 1] += share * dS[j];
        dp[j] = (P[below + 1] - P[below]) * dS[j];
    }
    const int first = j + 1;
    for (; j >= 0; j--) dP[N - 1] += dS[j];
    real dgate = 0;
    for (j = first; j < seen; j++) {
        dgate += dp[j];
        dS[j] += gate[j] * (1 - gate[j]) * dgate;
    }
}

// The gates depend on the raw scores, so dS changes.
static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    Arena scratch = scratch_of(block);
    const Work w = work_take(&scratch, tables, block->rows, block->columns);
    const int N = vectors(tables->pos);
    memset(w.dP, 0, (size_t)block->rows * N * sizeof(real));
    for (int i = 0; i < block->rows; i++)
        row_backward(grad->dS + (size_t)i * block->stride, w.dP + (size_t)i * N, w.dp, w.P + (size_t)i * N,
                     w.gates + (size_t)i * block->columns, N, block_seen(block, i));
    vectors_backward(grad, w.dP, tables, block);
}

// The products; and for each key that a query sees 9 operations forward (3 a gate, 1 the count, 5 the interpolated
// code) and 12 backward: as many as if no count were cut to N-1.
static double operations(const Position *pos, int T) {
    return vectors_operations(pos) + all_heads(pos) * 21 * keys_seen(pos, T);
}

static const Family family = {
    VECTOR_HOOKS,
    .score_forward = score_forward,
    .score_backward = score_backward,
};

const Scheme scheme_cope = {
    .name = "cope",
    .formula = "S_ij += q_i.e[p_ij]/sqrt(d), p_ij = sum over k = j..i of sigmoid(S_ik), at most N-1; e trained",
    .paper = "Golovneva et al. 2024 (2405.18719)",
    .help =
        "Contextual positions: a query counts the tokens back to a key, each weighted by how much the query "
        "attends to it. The count is seldom a whole number and is interpolated between two trained codes. What "
        "counts is itself learned, so gradients flow through the count into queries and keys. Nothing depends on "
        "the length, but all counts from N-1 on, more frequent in longer texts, look alike. (The authors' code does "
        "not divide q.e by sqrt(d).)",
    .options = cope_options,
    .has_corners = true,
    .position_free = true,
    .operations = operations,
    .params = params,
    VECTOR_SCHEME(vectors),
    .score_scratch = score_scratch,
    .family = &family,
};
