// Shaw's relative positions: a trained vector for each distance is added to the key as the query sees it, so that the
// same key looks different from nearby and from afar.
#include "posenc/posenc.h"
#include "posenc/slabs.h"

#include "model/base/gemm.h"

enum { A };     // params (sets * (clip + 1), d), shared by heads
enum { SLABS }; // dtables, of the layer at work (B, H, D, d); D distances

typedef struct {
    long long clip;
    int layers;
} ShawOptions;

static const Option shaw_options[] = {
    {"clip", OPTION_INTEGER, offsetof(ShawOptions, clip), "16", 1, 4096, NULL, "N",
     "keys N tokens away and all that are further share one vector"},
    LAYERS_OPTION_ROW(ShawOptions, "own"),
    {0},
};

static int vectors(const Position *pos) { // of one set
    return (int)((const ShawOptions *)pos->options)->clip + 1;
}

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "a", pos->sets * vectors(pos), head_width(&pos->shape), INIT_NORMAL, 0.02);
}

// D: of the vectors, those that coordinates this far apart can reach.
static int distances(const Tables *tables) {
    const Position *pos = tables->pos;
    return vectors(pos) < tables->positions ? vectors(pos) : tables->positions;
}

static size_t slab_size(const Tables *tables) {
    return (size_t)distances(tables) * head_width(&tables->pos->shape);
}

static void layout(Tables *tables, Arena *arena, bool training) {
    if (training)
        tables->dtable[SLABS] =
            arena_reals(arena, (size_t)tables->batch * tables->pos->shape.heads * slab_size(tables));
}

// P (rows, D)
static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    (void)columns, (void)training;
    return (size_t)rows * distances(tables);
}

static const real *vectors_of(const Position *pos, int layer) { // (clip + 1, d)
    return pos->params[A] + (size_t)position_set(pos, layer) * vectors(pos) * head_width(&pos->shape);
}

// The distance from row i's query to key j, which it sees, as a row of a.
static inline int distance(const ScoreBlock *block, int i, int j, int D) {
    const int n = block->query_at[i].t - block->key_at[j].t;
    return n < D ? n : D - 1;
}

// S_ij += P[i][min(i - j, clip)], P = scale q a^T.
static void score_forward(const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), D = distances(tables);
    real *P = block->scratch;
    gemm(P, D, 0, block->scale, rows_of(block->q, block->q_stride), columns_of(vectors_of(pos, block->layer), d),
         block->rows, D, d);
    for (int i = 0; i < block->rows; i++) {
        const int seen = block->columns - block->rows + i + 1;
        const real *P_i = P + (size_t)i * D;
        real *S_i = block->S + (size_t)i * block->stride;
        for (int j = 0; j < seen; j++) S_i[j] += P_i[distance(block, i, j, D)];
    }
}

// So dP[i][n] = sum of dS_ij over the keys n apart, and from P = scale q a^T: dq = scale dP a, da = scale dP^T q.
static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), D = distances(tables), rows = block->rows;
    real *da = tables->dtable[SLABS] + ((size_t)block->sequence * pos->shape.heads + block->head) * slab_size(tables);
    real *dP = block->scratch;
    memset(dP, 0, (size_t)rows * D * sizeof(real));
    for (int i = 0; i < rows; i++) {
        const int seen = block->columns - rows + i + 1;
        const real *dS_i = grad->dS + (size_t)i * block->stride;
        real *dP_i = dP + (size_t)i * D;
        for (int j = 0; j < seen; j++) dP_i[distance(block, i, j, D)] += dS_i[j];
    }
    gemm(grad->dq, block->q_stride, 1, block->scale, rows_of(dP, D), rows_of(vectors_of(pos, block->layer), d), rows, d,
         D);
    gemm(da, d, 1, block->scale, columns_of(dP, D), rows_of(block->q, block->q_stride), D, d, rows);
}

// All sequences and heads share the vectors.
static void score_reduce(const Tables *tables, int layer) {
    const Position *pos = tables->pos;
    real *da = pos->dparams[A] + (size_t)position_set(pos, layer) * vectors(pos) * head_width(&pos->shape);
    slabs_reduce(da, tables->dtable[SLABS], tables->batch * pos->shape.heads, (int)slab_size(tables));
}

const Scheme scheme_shaw = {
    .name = "shaw",
    .formula = "S_ij = q_i.(k_j + a_min(i-j,clip))/sqrt(d), a trained",
    .paper = "Shaw et al. 2018 (1803.02155)",
    .help = "The first relative positions: each distance up to `clip` has a trained vector that is added to the keys "
            "that far away, so how much a distance matters depends on what the query asks. All further ones share the "
            "last vector: any length is defined, but beyond `clip` tokens the order is lost. The paper adds such "
            "vectors to the values too.",
    .options = shaw_options,
    .layers = &shaw_options[1],
    .enters = ENTERS_CONTENT,
    .relative = true,
    .params = params,
    .layout = layout,
    .score_scratch = score_scratch,
    .score_forward = score_forward,
    .score_backward = score_backward,
    .score_reduce = score_reduce,
};
