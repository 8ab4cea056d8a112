// Transformer-XL: every distance has a key of its own, which a trained matrix computes from sines and cosines. Queries
// are multiplied with it as with any key. Besides, each head adds two trained vectors to all its queries: u for their
// product with the keys of tokens, v for that with the keys of distances.
#include "posenc/embedding/code.h"

#include "num/linear.h"
#include "num/team.h"

enum { W_R, U, V };   // params (sets * C, C), (sets, C), (sets, C)
enum { CODES, KEYS }; // tables: R (D, C), r = R W_r^T (sets, D, C); D distances
enum { SLABS };       // dtables, of the layer at work: (B, D + 2, C) dr, du and dv of each sequence

#define BASE 10000.0

typedef struct {
    long long clamp;
    int layers;
} TransformerXlOptions;

static const Option transformer_xl_options[] = {
    {"clamp", OPTION_INTEGER, offsetof(TransformerXlOptions, clamp), "1000", 0, 1e9, NULL, "N",
     "treat distances above N tokens as N; 0 = no limit"},
    LAYERS_OPTION_ROW(TransformerXlOptions, "own"),
    {0},
};

static void params(Position *pos, TensorTable *table) {
    const int C = pos->shape.width;
    position_param(pos, table, "w_r", pos->sets * C, C, INIT_NORMAL, 0.02);
    position_param(pos, table, "u", pos->sets, C, INIT_ZERO, 0);
    position_param(pos, table, "v", pos->sets, C, INIT_ZERO, 0);
}

// D: distances 0 .. D-1 are told apart.
static int distances(const Tables *tables) {
    const long long clamp = scheme_options(tables->pos, TransformerXlOptions)->clamp;
    return clamp && clamp < tables->positions ? (int)clamp + 1 : tables->positions;
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    const size_t C = (size_t)pos->shape.width, keys = distances(tables) * C;
    tables->table[CODES] = arena_reals(arena, keys);
    tables->table[KEYS] = arena_reals(arena, pos->sets * keys);
    if (training) tables->dtable[SLABS] = arena_reals(arena, tables->batch * (keys + 2 * C));
}

// R (D, C): all sines, then all cosines.
static void fill_codes(const Tables *tables) {
    const int C = tables->pos->shape.width;
#pragma omp parallel for
    for (int n = 0; n < distances(tables); n++)
        code_sinusoid(tables->table[CODES] + (size_t)n * C, 1, n, C, BASE, false, tables->pos->held_as,
                      distances(tables) - 1);
    round_all(tables->table[CODES], (size_t)distances(tables) * C, tables->pos->held_as);
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, D = distances(tables);
    if (!tables->prepared) fill_codes(tables);
    for (int set = 0; set < pos->sets; set++)
        linear_forward(tables->table[KEYS] + (size_t)set * D * C, tables->table[CODES],
                       pos->params[W_R] + (size_t)set * C * C, NULL, D, C, C);
    round_all(tables->table[KEYS], (size_t)pos->sets * D * C, pos->held_as);
}

// What one block works with.
typedef struct {
    const real *u, *v; // (d)
    const real *r;     // (count, d), rows C apart
    int count;         // of the distances that a block can have: coordinates rise along a text
    real *qv;          // (rows, d) q + v
    real *P;           // (rows, count) scale (q + v) r^T
    real *by_key;      // (columns)
} Work;

static void work_take(Work *work, Arena *arena, int rows, int columns, int d) {
    work->qv = arena_reals(arena, (size_t)rows * d);
    work->P = arena_reals(arena, (size_t)rows * work->count);
    work->by_key = arena_reals(arena, (size_t)columns);
}

static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    Arena counted = {0};
    Work most = {.count = distances(tables)};
    work_take(&most, &counted, rows, columns, head_width(&tables->pos->shape));
    return counted.used / sizeof(real);
}

static Work work_of(const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, d = head_width(&pos->shape), D = distances(tables);
    const int set = position_set(pos, block->layer), farthest = block->query_at[block->rows - 1].t - block->key_at[0].t;
    const size_t head = (size_t)block->head * d;
    Arena scratch = scratch_of(block);
    Work work = {.u = pos->params[U] + (size_t)set * C + head,
                 .v = pos->params[V] + (size_t)set * C + head,
                 .r = tables->table[KEYS] + (size_t)set * D * C + head,
                 .count = farthest < D ? farthest + 1 : D};
    work_take(&work, &scratch, block->rows, block->columns, d);
    return work;
}

// S_ij += scale u . k_j + scale (q_i + v) . r_{i-j}
static void score_forward(const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const Work w = work_of(tables, block);
    const int C = pos->shape.width, d = head_width(&pos->shape), rows = block->rows, columns = block->columns;
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < d; c++) w.qv[i * d + c] = block->q[(size_t)i * block->q_stride + c] + w.v[c];
    gemm(w.P, w.count, 0, block->scale, rows_of(w.qv, d), columns_of(w.r, C), rows, w.count, d);
    gemm(w.by_key, columns, 0, block->scale, rows_of(w.u, d), columns_of(block->k, block->k_stride), 1, columns, d);
    for (int i = 0; i < rows; i++) {
        const int seen = block_seen(block, i);
        const real *P_i = w.P + (size_t)i * w.count;
        real *S_i = block->S + (size_t)i * block->stride;
        for (int j = 0; j < seen; j++) S_i[j] += w.by_key[j] + P_i[block_distance(block, i, j, w.count)];
    }
}

// Forward was S_ij += scale u . k_j + P[i][i - j]. So the gradient with respect to scale u . k_j is the sum of dS_ij
// over i, and dP[i][n] is the sum over the keys at distance n (many keys, from the clamp on). P = scale (q + v) r^T, so
// dr = scale dP^T (q + v), dq += scale dP r, and dv += the sum of scale dP r over i.
static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    const Position *pos = tables->pos;
    const Work w = work_of(tables, block);
    const int C = pos->shape.width, d = head_width(&pos->shape), rows = block->rows, columns = block->columns;
    const size_t D = (size_t)distances(tables), head = (size_t)block->head * d;
    real *dr = tables->dtable[SLABS] + block->sequence * (D + 2) * C + head, *du = dr + D * C, *dv = du + C;
    real *dP = w.P, *by_key = w.by_key, *dqv = w.qv; // each overwrites what is no longer needed
    memset(dP, 0, (size_t)rows * w.count * sizeof(real));
    memset(by_key, 0, (size_t)columns * sizeof(real));
    for (int i = 0; i < rows; i++) {
        const int seen = block_seen(block, i);
        const real *dS_i = grad->dS + (size_t)i * block->stride;
        real *dP_i = dP + (size_t)i * w.count;
        for (int j = 0; j < seen; j++) by_key[j] += dS_i[j];
        for (int j = 0; j < seen; j++) dP_i[block_distance(block, i, j, w.count)] += dS_i[j];
    }
    gemm(du, d, 1, block->scale, rows_of(by_key, columns), rows_of(block->k, block->k_stride), 1, d, columns);
    gemm(grad->dk, block->k_stride, 1, block->scale, rows_of(by_key, 1), rows_of(w.u, d), columns, d, 1);
    gemm(dr, C, 1, block->scale, columns_of(dP, w.count), rows_of(w.qv, d), w.count, d, rows);
    gemm(dqv, d, 0, block->scale, rows_of(dP, w.count), rows_of(w.r, C), rows, d, w.count);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < d; c++) {
            grad->dq[(size_t)i * block->q_stride + c] += dqv[i * d + c];
            dv[c] += dqv[i * d + c];
        }
}

// Forward was r = R W_r^T, so dW_r = dr^T R. The sum over sequences goes to the slab of the first.
static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, D = distances(tables), set = position_set(pos, layer);
    const size_t slab = (size_t)(D + 2) * C;
    const Share own = share_columns(C);
    real *dr = tables->dtable[SLABS], *du = dr + (size_t)D * C, *dv = du + C; // the first slab, which becomes the sum
    slabs_reduce(dr, dr + slab, tables->batch - 1, (int)slab);
    team_barrier();
    linear_backward_weights(pos->dparams[W_R] + (size_t)set * C * C, NULL, dr, tables->table[CODES], D, C, C);
    for (int c = own.begin; c < own.end; c++) {
        pos->dparams[U][(size_t)set * C + c] += du[c];
        pos->dparams[V][(size_t)set * C + c] += dv[c];
    }
    for (int n = 0; n < D + 2; n++)
        memset(dr + (size_t)n * C + own.begin, 0, (size_t)(own.end - own.begin) * sizeof(real));
}

// The distances that a query meets, as the mean over a window of T: from the clamp on they are all the same.
static double distances_met(const Position *pos, int T) {
    const long long clamp = scheme_options(pos, TransformerXlOptions)->clamp;
    return keys_seen_within(pos, T, clamp > 0 && clamp < T ? (int)clamp + 1 : 0);
}

// In each head: three products of a query with the distances it meets (P, dr, dqv) and of a key with u (u.k, du, dk);
// four additions for each key that a query sees; and q + v, dq and dv. W_r is used once a step, whatever the tokens.
static double operations(const Position *pos, int T) {
    const double d = head_width(&pos->shape);
    return all_heads(pos) * (3 * 2 * d * (distances_met(pos, T) + 1) + 4 * keys_seen(pos, T) + 3 * d);
}

static const Family family = {
    .layout = layout,
    .prepare = prepare,
    .rounds = "angles, their sines and cosines, and then the keys of distances",
    .score_forward = score_forward,
    .score_backward = score_backward,
    .layer_backward = layer_backward,
};

const Scheme scheme_transformer_xl = {
    .name = "transformer-xl",
    .formula =
        "S_ij = (q_i + u).k_j/sqrt(d) + (q_i + v).r_{i-j}/sqrt(d), r_n = W R_n, R sines and cosines; W, u, v trained",
    .paper = "Dai et al. 2019 (1901.02860)",
    .help = "A query can ask for a distance as it asks for content: each distance has a key, made from its sines and "
            "cosines by a trained matrix. u and v are what a head looks for whatever the query: u for contents, v for "
            "distances. Past the trained length the sines continue, but those keys were never trained; from `clamp` "
            "on, all distances share one key.",
    .options = transformer_xl_options,
    .enters = ENTERS_CONTENT,
    .relative = true,
    .reads_queries = true,
    .check = sinusoid_check,
    .operations = operations,
    .params = params,
    .score_scratch = score_scratch,
    .family = &family,
};
