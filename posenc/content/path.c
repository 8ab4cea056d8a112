// PaTH: where RoPE turns by a fixed angle at every token, each token decides the transformation itself. It computes a
// vector w and a strength beta for every head; between a query and a key, every token reflects along its w.
#include "posenc/content/gates.h"
#include "posenc/content/reflect.h"

#include "num/linear.h"
#include "num/team.h"
#include "posenc/attention_op.h"

#include <assert.h>

// params: (L*rank, C), (L*C, rank), (L*G, C), (L, G), (L*taps, C); of the G gates H make beta, the other H forget
enum { DOWN, UP, GATE, BIAS, CONV };
enum { HIDDEN };                 // tables (rows, rank), of the layer at work
enum { DHIDDEN, DGATES, SLABS }; // dtables, of the layer at work: (rows, rank), (rows, G), (B, taps, C)

#define EPSILON 1e-6 // under the root of w's length, as in fla

typedef struct {
    long long rank, conv;
    bool forget;
} PathOptions;

static const Option path_options[] = {
    {"rank", OPTION_INTEGER, offsetof(PathOptions, rank), "32", 1, 4096, NULL, "N",
     "rank of the product of two matrices that makes w from x"},
    {"conv", OPTION_INTEGER, offsetof(PathOptions, conv), "3", 1, TOKENS_BEFORE + 1, NULL, "N",
     "tokens mixed into w by a causal convolution and silu; 1 = w is the token's own, without silu"},
    {"forget", OPTION_FLAG, offsetof(PathOptions, forget), "false", 0, 0, NULL, "BOOL",
     "PaTH-FoX: also the gates of the scheme fox"},
    {0},
};

static int rank_of(const Position *pos) {
    return (int)scheme_options(pos, PathOptions)->rank;
}

static int taps_of(const Position *pos) {
    return (int)scheme_options(pos, PathOptions)->conv;
}

static int gate_features(const Position *pos) {
    return pos->shape.heads * (scheme_options(pos, PathOptions)->forget ? 2 : 1);
}

static void params(Position *pos, TensorTable *table) {
    const int L = pos->shape.layers, C = pos->shape.width;
    position_param(pos, table, "down", L * rank_of(pos), C, INIT_NORMAL, 0.02);
    position_param(pos, table, "up", L * C, rank_of(pos), INIT_NORMAL, 0.02);
    position_param(pos, table, "gate", L * gate_features(pos), C, INIT_NORMAL, 0.02);
    position_param(pos, table, "bias", L, gate_features(pos), INIT_ZERO, 0);
    if (taps_of(pos) > 1) position_param(pos, table, "conv", L * taps_of(pos), C, INIT_ZERO, 0);
}

// The newest token's tap is 1 and the others 0, so that w begins as the token's own.
static void init(Position *pos, uint64_t seed) {
    const int C = pos->shape.width, taps = taps_of(pos);
    if (taps == 1) return;
    for (int layer = 0; layer < pos->shape.layers; layer++)
        for (int c = 0; c < C; c++) pos->params[CONV][(size_t)layer * taps * C + c] = 1;
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    const size_t rows = (size_t)tables->batch * (size_t)tables->positions;
    tables->table[HIDDEN] = arena_reals(arena, rows * rank_of(pos));
    if (!training) return;
    tables->dtable[DHIDDEN] = arena_reals(arena, rows * rank_of(pos));
    tables->dtable[DGATES] = arena_reals(arena, rows * gate_features(pos));
    tables->dtable[SLABS] = arena_reals(arena, (size_t)tables->batch * taps_of(pos) * pos->shape.width);
}

// For each token: C numbers from which w is computed, and the logarithms of its G gates.
static int feature_count(const Position *pos) {
    return pos->shape.width + gate_features(pos);
}

// --- from the layer's input to features, token by token ---
//
// One layer's parameters, or their gradients.
typedef struct {
    real *down, *up, *gate, *bias; // (rank, C), (C, rank), (G, C), (G)
} Projections;

static Projections projections_of(const Position *pos, real *const *params, int layer) {
    const size_t l = (size_t)layer, C = (size_t)pos->shape.width, rank = (size_t)rank_of(pos),
                 G = (size_t)gate_features(pos);
    return (Projections){params[DOWN] + l * rank * C, params[UP] + l * C * rank, params[GATE] + l * G * C,
                         params[BIAS] + l * G};
}

// features = (x down^T) up^T, and log(sigmoid(x gate^T + bias))
static void input_forward(const Tables *tables, int layer, real *features, const real *x, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, stride = tables->feature_stride, rank = rank_of(pos), G = gate_features(pos);
    const Projections p = projections_of(pos, pos->params, layer);
    const Share own = share_rows(rows);
    real *hidden = tables->table[HIDDEN], *to = features + (size_t)own.begin * stride;
    linear_forward(hidden, x, p.down, NULL, rows, C, rank);
    if (own.begin == own.end) return;
    gemm(to, stride, 0, 1, rows_of(hidden + (size_t)own.begin * rank, rank), columns_of(p.up, rank),
         own.end - own.begin, C, rank);
    gemm(to + C, stride, 0, 1, rows_of(x + (size_t)own.begin * C, C), columns_of(p.gate, C), own.end - own.begin, G, C);
    for (int r = own.begin; r < own.end; r++)
        for (int g = 0; g < G; g++) {
            real *gate = features + (size_t)r * stride + C + g;
            *gate = log_sigmoid(*gate + p.bias[g]);
        }
}

// Forward was w = hidden up^T with hidden = x down^T, so dhidden = dw up and dup = dw^T hidden; the rest is linear
// layers.
static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, stride = tables->feature_stride, rank = rank_of(pos), G = gate_features(pos);
    const Projections p = projections_of(pos, pos->params, layer), dp = projections_of(pos, pos->dparams, layer);
    const Share own = share_rows(rows), columns = share_columns(C);
    real *hidden = tables->table[HIDDEN], *dhidden = tables->dtable[DHIDDEN], *dgates = tables->dtable[DGATES];
    linear_forward(hidden, x, p.down, NULL, rows, C, rank);
    if (own.begin < own.end)
        gemm(dhidden + (size_t)own.begin * rank, rank, 0, 1, rows_of(dfeatures + (size_t)own.begin * stride, stride),
             rows_of(p.up, rank), own.end - own.begin, rank, C);
    for (int r = own.begin; r < own.end; r++)
        for (int g = 0; g < G; g++) {
            const size_t at = (size_t)r * stride + C + g;
            dgates[(size_t)r * G + g] = log_sigmoid_backward(dfeatures[at], features[at]);
        }
    linear_backward_add(dx, dhidden, p.down, rows, C, rank);
    linear_backward_add(dx, dgates, p.gate, rows, C, G);
    team_barrier();
    if (columns.begin < columns.end)
        gemm(dp.up + (size_t)columns.begin * rank, rank, 1, 1, columns_of(dfeatures + columns.begin, stride),
             rows_of(hidden, rank), columns.end - columns.begin, rank, rows);
    linear_backward_weights(dp.down, NULL, dhidden, x, rows, C, rank);
    linear_backward_weights(dp.gate, dp.bias, dgates, x, rows, C, G);
    if (taps_of(pos) == 1) return;
    const int taps = taps_of(pos) * C; // which all sequences share
    slabs_reduce(pos->dparams[CONV] + (size_t)layer * taps, tables->dtable[SLABS], tables->batch, taps);
}

// --- from features to reflections, which depend on earlier tokens, too, and to scores ---
//
// What one head of one sequence works with.
typedef struct {
    int d, taps, stride, C;
    int before;             // tokens before key 0 whose features are there
    const real *raw, *conv; // (keys, stride) and (taps, C), d of them the head's
    const real *log_s;      // (keys), stride apart: log(beta / 2)
    const real *log_f;      // (keys), stride apart; NULL: nothing is forgotten
    real *z;                // (keys, d) raw, convolved, where there is a convolution
    real *shrink;           // (keys) 1 / length of what becomes w
    real *forget;           // (running_scratch)
    Reflections reflections;
} Head;

// Its memory, taken from the arena; `keys` are all that the head has.
static Head head_take(Arena *arena, const Tables *tables, int rows, int keys) {
    const Position *pos = tables->pos;
    const size_t N = (size_t)keys;
    Head h = {
        .d = head_width(&pos->shape), .taps = taps_of(pos), .stride = tables->feature_stride, .C = pos->shape.width};
    h.z = arena_reals(arena, N * h.d);
    h.shrink = arena_reals(arena, N);
    h.forget = arena_reals(arena, running_scratch(keys));
    h.reflections = reflections_take(arena, rows, keys, h.d);
    return h;
}

static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    Arena counted = {0};
    head_take(&counted, tables, rows, columns);
    return counted.used / sizeof(real);
}

// z_t = sum over a of conv_a * raw_{t-a}, y = silu(z) = z sigmoid(z), of d numbers each.
static void conv_forward(real *y, const Head *h, int t) {
    const real *raw = h->raw + (size_t)t * h->stride;
    real *z = h->z + (size_t)t * h->d;
    memset(z, 0, (size_t)h->d * sizeof(real));
    for (int a = 0; a < h->taps && a <= t + h->before; a++)
        for (int c = 0; c < h->d; c++) z[c] += h->conv[a * h->C + c] * raw[c - a * h->stride];
    for (int c = 0; c < h->d; c++) y[c] = z[c] / (1 + real_exp(-z[c]));
}

// dz = dy sigmoid(z) (1 + z (1 - sigmoid(z))), in dy's place; draw_{t-a} += conv_a * dz, dconv_a += dz * raw_{t-a}.
static void conv_backward(real *draw, real *dconv, real *dy, const Head *h, int t) {
    const real *raw = h->raw + (size_t)t * h->stride, *z = h->z + (size_t)t * h->d;
    for (int c = 0; c < h->d; c++) {
        const real sigmoid = 1 / (1 + real_exp(-z[c]));
        dy[c] *= sigmoid * (1 + z[c] * (1 - sigmoid));
    }
    assert(h->before == 0); // training sees whole sequences, so no tap reads a token before key 0
    for (int a = 0; a < h->taps && a <= t; a++)
        for (int c = 0; c < h->d; c++) {
            draw[c - a * h->stride] += h->conv[a * h->C + c] * dy[c];
            dconv[a * h->C + c] += dy[c] * raw[c - a * h->stride];
        }
}

// w = y / length of y, beta = 2 s.
static void reflection_forward(const Head *h, int t) {
    real *w = h->reflections.w + (size_t)t * h->d, squares = 0;
    if (h->conv)
        conv_forward(w, h, t);
    else
        memcpy(w, h->raw + (size_t)t * h->stride, (size_t)h->d * sizeof(real));
#pragma omp simd reduction(+ : squares)
    for (int c = 0; c < h->d; c++) squares += w[c] * w[c];
    h->shrink[t] = 1 / real_sqrt(squares + (real)EPSILON);
    for (int c = 0; c < h->d; c++) w[c] *= h->shrink[t];
    h->reflections.beta[t] = 2 * real_exp(h->log_s[(size_t)t * h->stride]);
}

// Only the part of dw that is orthogonal to w remains: dy = (dw - w (w . dw)) / length, in dw's place. And dlog s =
// dlog beta.
static void reflection_backward(real *draw, real *dconv, real *dlog_s, const Head *h, int t) {
    const real *w = h->reflections.w + (size_t)t * h->d;
    real *dy = h->reflections.dw + (size_t)t * h->d, along = 0;
#pragma omp simd reduction(+ : along)
    for (int c = 0; c < h->d; c++) along += w[c] * dy[c];
    for (int c = 0; c < h->d; c++) dy[c] = h->shrink[t] * (dy[c] - w[c] * along);
    if (h->conv)
        conv_backward(draw, dconv, dy, h, t);
    else
        for (int c = 0; c < h->d; c++) draw[c] += dy[c];
    *dlog_s += h->reflections.dlog_beta[t];
}

static Head head_of(const OwnHead *own) {
    const Position *pos = own->tables->pos;
    const ScoreBlock *all = &own->all;
    Arena scratch = scratch_of(all);
    Head h = head_take(&scratch, own->tables, own->rows, all->columns);
    const size_t first = (size_t)all->head * h.d;
    h.before = own->before;
    h.raw = all->features + first;
    h.log_s = all->features + h.C + all->head;
    h.log_f = scheme_options(pos, PathOptions)->forget ? h.log_s + pos->shape.heads : NULL;
    h.conv = h.taps > 1 ? pos->params[CONV] + (size_t)all->layer * h.taps * h.C + first : NULL;
    return h;
}

static Operands begin(const OwnHead *own) {
    const Head h = head_of(own);
    for (int t = 0; t < own->all.columns; t++) reflection_forward(&h, t);
    reflect_keys(&h.reflections, own->all.k, own->all.k_stride);
    return (Operands){0};
}

static void scores(const OwnHead *own, const ScoreBlock *block, int first) {
    const Head h = head_of(own);
    reflect_forward(block, first, &h.reflections);
    if (h.log_f) forget_forward(block, h.log_f + (size_t)first * h.stride, h.stride, h.forget);
}

static void begin_backward(const OwnHead *own) {
    const Head h = head_of(own);
    reflect_keys_prepare(&h.reflections);
}

static void scores_backward(const OwnHead *own, const ScoreGradient *grad, const ScoreBlock *block, int first) {
    const Head h = head_of(own);
    if (h.log_f) forget_backward(grad->dfeatures + (h.log_f - own->all.features), grad->dS, block, h.stride, h.forget);
    reflect_backward(grad, block, first, &h.reflections);
}

static void end_backward(const OwnHead *own, const ScoreGradient *grad) {
    const Head h = head_of(own);
    real *draw = grad->dfeatures + (h.raw - own->all.features),
         *dlog_s = grad->dfeatures + (h.log_s - own->all.features);
    real *dconv = own->tables->dtable[SLABS] + (size_t)own->all.sequence * h.taps * h.C + (size_t)own->all.head * h.d;
    reflect_keys_backward(grad->dk, own->all.k_stride, &h.reflections);
    for (int t = 0; t < own->all.columns; t++)
        reflection_backward(draw + (size_t)t * h.stride, dconv, dlog_s + (size_t)t * h.stride, &h, t);
}

static const AttentionOp attention = {begin, scores, begin_backward, scores_backward, end_backward};

// In each layer, for a token: three matrices that make w and the gates; the gates; for each channel of w its taps with
// silu, 6 a tap and 9 (without them, 1), and its length, 8; and in each head the reflections.
static double operations(const Position *pos, int T) {
    const double C = pos->shape.width, G = gate_features(pos), H = pos->shape.heads, taps = taps_of(pos);
    const double projections = 3 * 2 * (C * (rank_of(pos) + G) + C * rank_of(pos)), gates = LOG_SIGMOID_OPERATIONS * G,
                 vectors = C * (taps > 1 ? 6 * taps + 9 + 8 : 1 + 8), keys = keys_seen(pos, T),
                 forget = scheme_options(pos, PathOptions)->forget ? forget_operations(keys) : 0;
    return pos->shape.layers *
           (projections + gates + vectors + H * (reflect_operations(keys, head_width(&pos->shape)) + forget));
}

static const Family family = {
    .layout = layout,
    .input_forward = input_forward,
    .layer_backward = layer_backward,
};

const Scheme scheme_path = {
    .name = "path",
    .formula = "S_ij = scale q_i . H_i H_{i-1} ... H_{j+1} k_j, H_t = I - beta_t w_t w_t^T, |w| = 1; w, beta from x",
    .paper = "Yang et al. 2025 (2505.16381)",
    .help = "Where RoPE turns by the same angles at every token, here each token decides what happens to all queries "
            "that look back across it: beta 0 leaves the queries unchanged, 1 erases the component along w, 2 reflects "
            "it. So "
            "a token can overwrite what an earlier one stored, or invert it, and the model can track states that no "
            "fixed rotation can.",
    .options = path_options,
    .enters = ENTERS_CONTENT,
    .position_free = true,
    .relative = true,
    .reads_queries = true,
    .operations = operations,
    .params = params,
    .init = init,
    .feature_count = feature_count,
    .score_scratch = score_scratch,
    .family = &family,
    .attention = &attention,
};
