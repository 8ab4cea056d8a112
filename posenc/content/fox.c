// FoX, the forgetting transformer: ALiBi with a slope that each token computes for itself.
#include "posenc/content/gates.h"

typedef struct {
    double bias;
} FoxOptions;

static const Option fox_options[] = {
    {"bias", OPTION_NUMBER, offsetof(FoxOptions, bias), "0", -20, 20, NULL, "B",
     "initial value of b: with 0 a gate keeps 1/2 of what came before, with 5 it keeps 99.3%"},
    {0},
};

static void init(Position *pos, uint64_t seed) {
    for (int n = 0; n < pos->shape.layers * pos->shape.heads; n++)
        pos->params[PROJECTED_B][n] = (real)scheme_options(pos, FoxOptions)->bias;
}

static int feature_count(const Position *pos) {
    return pos->shape.heads;
}

// features = log f = log(sigmoid(z))
static real gate(real z, int f, int F) {
    return log_sigmoid(z);
}

static real gate_backward(real dlog_f, real log_f, int f, int F) {
    return log_sigmoid_backward(dlog_f, log_f);
}

static void input_forward(const Tables *tables, int layer, real *features, const real *x, int rows) {
    projected_forward(tables, layer, features, x, rows, gate);
}

static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    projected_backward(tables, layer, dx, dfeatures, features, x, rows, gate_backward);
}

// In each layer, H gates for a token, from a matrix (H, C).
static double operations(const Position *pos, int T) {
    return projected_operations(pos) + all_heads(pos) * (LOG_SIGMOID_OPERATIONS + forget_operations(keys_seen(pos, T)));
}

static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    return running_scratch(columns);
}

static void score_forward(const Tables *tables, const ScoreBlock *block) {
    forget_forward(block, block->features + block->head, tables->feature_stride, block->scratch);
}

static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    forget_backward(grad->dfeatures + block->head, grad->dS, block, tables->feature_stride, block->scratch);
}

static const Family family = {
    .layout = projected_layout,
    .input_forward = input_forward,
    .layer_backward = layer_backward,
    .score_forward = score_forward,
    .score_backward = score_backward,
};

const Scheme scheme_fox = {
    .name = "fox",
    .formula = "S_ij += sum of log f_t over t = j+1 .. i, f_t = sigmoid(w_h . x_t + b_h); w, b trained",
    .paper = "Lin et al. 2025 (2503.02130)",
    .help = "Every token has a gate for each head: the fraction of everything before it that is kept. The attention of "
            "a query to a key is scaled down by all gates between the two, so distance is measured in gates, and a "
            "full stop can separate two words more than twenty words do. Where all gates are equal, this is ALiBi.",
    .options = fox_options,
    .enters = ENTERS_CONTENT,
    .position_free = true,
    .relative = true,
    .operations = operations,
    .params = projected_params,
    .init = init,
    .feature_count = feature_count,
    .score_scratch = score_scratch,
    .family = &family,
};
