// Shaw's relative positions: a trained vector for each distance is added to the key as the query sees it, so that the
// same key looks different from nearby and from afar.
#include "posenc/content/vectors.h"

typedef struct {
    long long clip;
    int layers;
} ShawOptions;

static const Option shaw_options[] = {
    {"clip", OPTION_INTEGER, offsetof(ShawOptions, clip), "16", 1, 4096, NULL, "N",
     "distances of N tokens and more share one vector"},
    LAYERS_OPTION_ROW(ShawOptions, "own"),
    {0},
};

static int vectors(const Position *pos) { // of one set
    return (int)scheme_options(pos, ShawOptions)->clip + 1;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "a", pos->sets * vectors(pos), head_width(&pos->shape), INIT_NORMAL, 0.02);
}

// P (rows, N)
static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    return (size_t)rows * vectors(tables->pos);
}

// S_ij += P[i][min(i - j, clip)], P = scale q a^T.
static void score_forward(const Tables *tables, const ScoreBlock *block) {
    const int N = vectors(tables->pos);
    vectors_forward(block->scratch, tables, block);
    for (int i = 0; i < block->rows; i++) {
        const real *P_i = block->scratch + (size_t)i * N;
        real *S_i = block->S + (size_t)i * block->stride;
        for (int j = 0; j < block_seen(block, i); j++) S_i[j] += P_i[block_distance(block, i, j, N)];
    }
}

// So dP[i][n] = sum of dS_ij over the keys n apart.
static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    const int N = vectors(tables->pos);
    real *dP = block->scratch;
    memset(dP, 0, (size_t)block->rows * N * sizeof(real));
    for (int i = 0; i < block->rows; i++) {
        const real *dS_i = grad->dS + (size_t)i * block->stride;
        real *dP_i = dP + (size_t)i * N;
        for (int j = 0; j < block_seen(block, i); j++) dP_i[block_distance(block, i, j, N)] += dS_i[j];
    }
    vectors_backward(grad, dP, tables, block);
}

// The products, and an addition for each key that a query sees, forward and backward.
static double operations(const Position *pos, int T) {
    return vectors_operations(pos) + all_heads(pos) * 2 * keys_seen(pos, T);
}

static const Family family = {
    VECTOR_HOOKS,
    .score_forward = score_forward,
    .score_backward = score_backward,
};

const Scheme scheme_shaw = {
    .name = "shaw",
    .formula = "S_ij = q_i.(k_j + a_min(i-j,clip))/sqrt(d), a trained",
    .paper = "Shaw et al. 2018 (1803.02155)",
    .help = "The first relative positions: each distance up to `clip` has a trained vector that is added to the keys "
            "that far away, so how much a distance matters depends on the query. All longer distances share the last "
            "vector: any length is defined, but beyond `clip` tokens the order is lost. The paper adds such vectors to "
            "the values too.",
    .options = shaw_options,
    .operations = operations,
    .params = params,
    VECTOR_SCHEME(vectors),
    .score_scratch = score_scratch,
    .family = &family,
};
