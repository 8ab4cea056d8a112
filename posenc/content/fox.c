// FoX, the forgetting transformer: ALiBi with a slope that each token computes for itself.
#include "posenc/content/fox.h"

#include "model/base/linear.h"
#include "model/base/team.h"

enum { WEIGHT, BIAS }; // params (layers * H, C), (layers, H)
enum { DZ };           // dtables (rows, H), of the layer at work: gradients with respect to the inputs of the sigmoids

typedef struct {
    double bias;
} FoxOptions;

static const Option fox_options[] = {
    {"bias", OPTION_NUMBER, offsetof(FoxOptions, bias), "0", -20, 20, NULL, "B",
     "initial value of b: with 0 a gate keeps 1/2 of what came before, with 5 it keeps 99.3%"},
    {0},
};

static void params(Position *pos, TensorTable *table) {
    position_param(pos, table, "w", pos->shape.layers * pos->shape.heads, pos->inputs, INIT_NORMAL, 0.02);
    position_param(pos, table, "b", pos->shape.layers, pos->shape.heads, INIT_ZERO, 0);
}

static void init(Position *pos, uint64_t seed) {
    for (int n = 0; n < pos->shape.layers * pos->shape.heads; n++)
        pos->params[BIAS][n] = (real)scheme_options(pos, FoxOptions)->bias;
}

static void layout(Tables *tables, Arena *arena, bool training) {
    if (training)
        tables->dtable[DZ] =
            arena_reals(arena, (size_t)tables->batch * (size_t)tables->positions * (size_t)tables->pos->shape.heads);
}

static int features(const Position *pos) {
    return pos->shape.heads;
}

// Neither form of exp may overflow: log f = -log(1 + e^-z) where z >= 0, and z - log(1 + e^z) where z < 0.
real log_sigmoid(real z) {
    return (real)(fmin((double)z, 0) - log1p(exp(-fabs((double)z))));
}

// dz = (1 - f) dlog f
real log_sigmoid_backward(real dlog_f, real log_f) {
    return (real)(-expm1((double)log_f) * (double)dlog_f);
}

// features = log f = log(sigmoid(x w^T + b))
static void input_forward(const Tables *tables, int layer, real *features, const real *x, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->inputs, H = pos->shape.heads, F = tables->features;
    const real *w = pos->params[WEIGHT] + (size_t)layer * H * C, *b = pos->params[BIAS] + (size_t)layer * H;
    const Share own = share_rows(rows);
    if (own.begin == own.end) return;
    gemm_linear(features + (size_t)own.begin * F, F, 0, rows_of(x + (size_t)own.begin * C, C), columns_of(w, C), b,
                own.end - own.begin, H, C);
    for (int r = own.begin; r < own.end; r++)
        for (int h = 0; h < H; h++) features[(size_t)r * F + h] = log_sigmoid(features[(size_t)r * F + h]);
}

static void input_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->inputs, H = pos->shape.heads, F = tables->features;
    const size_t w = (size_t)layer * H * C, b = (size_t)layer * H;
    const Share own = share_rows(rows);
    real *dz = tables->dtable[DZ];
    for (int r = own.begin; r < own.end; r++)
        for (int h = 0; h < H; h++) {
            const size_t n = (size_t)r * F + h;
            dz[(size_t)r * H + h] = log_sigmoid_backward(dfeatures[n], features[n]);
        }
    linear_backward_add(dx, dz, pos->params[WEIGHT] + w, rows, C, H);
    team_barrier();
    linear_backward_weights(pos->dparams[WEIGHT] + w, pos->dparams[BIAS] + b, dz, x, rows, C, H);
}

size_t forget_scratch(int columns) {
    return 2 * (size_t)columns;
}

// S_ij += log f_{j+1} + ... + log f_i = sum_i - sum_j, with sum_t that of log f over all tokens up to t. These sums
// grow with the text while the differences that matter stay small, so each is held in two numbers, what a real can hold
// and the rest.
void forget_forward(const ScoreBlock *block, const real *log_f, int stride, real *scratch) {
    real *sum = scratch, *rest = scratch + block->columns;
    double running = 0;
    for (int t = 0; t < block->columns; t++) {
        running += (double)log_f[(size_t)t * stride];
        sum[t] = (real)running;
        rest[t] = (real)(running - (double)sum[t]);
    }
    for (int row = 0; row < block->rows; row++) {
        const int i = block->columns - block->rows + row;
        real *S_i = block->S + (size_t)row * block->stride;
        for (int j = 0; j < i; j++) S_i[j] += (sum[i] - sum[j]) + (rest[i] - rest[j]);
    }
}

// So dsum_i += row i of dS added up, and dsum_j -= column j added up. log f_t is part of sum_u for all u >= t: dlog f_t
// is dsum_u added up over these.
void forget_backward(real *dlog_f, const real *dS, const ScoreBlock *block, int stride, real *scratch) {
    real *dsum = scratch;
    memset(dsum, 0, (size_t)block->columns * sizeof(real));
    for (int row = 0; row < block->rows; row++) {
        const int i = block->columns - block->rows + row;
        const real *dS_i = dS + (size_t)row * block->stride;
        double row_sum = 0;
#pragma omp simd reduction(+ : row_sum)
        for (int j = 0; j < i; j++) {
            row_sum += (double)dS_i[j];
            dsum[j] -= dS_i[j];
        }
        dsum[i] += (real)row_sum;
    }
    double running = 0;
    for (int t = block->columns - 1; t >= 0; t--) {
        running += (double)dsum[t];
        dlog_f[(size_t)t * stride] += (real)running;
    }
}

// For each key that a query sees, four forward and two backward; and for each key itself five in the running sums.
double forget_operations(double keys) {
    return 6 * keys + 5;
}

// In each layer, H gates for a token, from a matrix (H, C).
static double operations(const Position *pos, int T) {
    return all_heads(pos) * (3 * 2 * pos->inputs + LOG_SIGMOID_OPERATIONS + forget_operations(keys_seen(pos, T)));
}

static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    return forget_scratch(columns);
}

static void score_forward(const Tables *tables, const ScoreBlock *block) {
    forget_forward(block, block->features + block->head, tables->features, block->scratch);
}

static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    forget_backward(grad->dfeatures + block->head, grad->dS, block, tables->features, block->scratch);
}

const Scheme scheme_fox = {
    .name = "fox",
    .formula = "S_ij += sum of log f_t over t = j+1 .. i, f_t = sigmoid(w_h . x_t + b_h); w, b trained",
    .paper = "Lin et al. 2025 (2503.02130)",
    .help = "Every token has a gate for each head: the fraction of everything before it that is kept. The attention of "
            "a query to a key is scaled down by all gates between the two, so distance is measured in gates, and a "
            "full stop can separate two words more than twenty words do. Where all gates are equal, this is ALiBi.",
    .options = fox_options,
    .enters = ENTERS_CONTENT,
    .placeless = true,
    .relative = true,
    .operations = operations,
    .params = params,
    .init = init,
    .layout = layout,
    .features = features,
    .input_forward = input_forward,
    .input_backward = input_backward,
    .score_scratch = score_scratch,
    .score_forward = score_forward,
    .score_backward = score_backward,
};
