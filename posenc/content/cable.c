// CABLE: ALiBi with a distance and a slope that the tokens compute for themselves. Each token adds a step to the
// distance between all that come before it and all that come after it, and each query decides how much distance costs.
#include "posenc/content/gates.h"

// Features of a token: minus its step for each head, and then its slope for each head.
static int feature_count(const Position *pos) {
    return 2 * pos->shape.heads;
}

// step = relu(z), slope = softplus(z') = log(1 + e^z') = -log(sigmoid(-z'))
static real step_or_slope(real z, int f, int F) {
    return f >= F / 2 ? -log_sigmoid(-z) : z <= 0 ? 0 : -z; // minus the step; NaN stays
}

// So dz = dstep where z > 0, and 0 elsewhere; dz' = sigmoid(z') dslope = (1 - e^-slope) dslope.
static real step_or_slope_backward(real dfeature, real feature, int f, int F) {
    return f >= F / 2 ? log_sigmoid_backward(dfeature, -feature) : feature < 0 ? -dfeature : 0;
}

static void input_forward(const Tables *tables, int layer, real *features, const real *x, int rows) {
    projected_forward(tables, layer, features, x, rows, step_or_slope);
}

static void layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                           const real *x, int rows) {
    projected_backward(tables, layer, dx, dfeatures, features, x, rows, step_or_slope_backward);
}

// The running sums, and their gradients.
static size_t score_scratch(const Tables *tables, int rows, int columns, bool training) {
    return running_scratch(columns) + (training ? (size_t)columns : 0);
}

// The features hold minus the steps a_t, so sum_t = -(a_0 + ... + a_t), and S_ij += slope_i (sum_i - sum_j) is S_ij -=
// slope_i (a_{j+1} + ... + a_i).
static void score_forward(const Tables *tables, const ScoreBlock *block) {
    const int H = tables->pos->shape.heads, stride = tables->feature_stride;
    const real *minus_steps = block->features + block->head, *slopes = minus_steps + H;
    const Running running = running_forward(block, minus_steps, stride, block->scratch);
    for (int row = 0; row < block->rows; row++) {
        const int i = block->columns - block->rows + row;
        const real slope = slopes[(size_t)i * stride];
        real *S_i = block->S + (size_t)row * block->stride;
        for (int j = 0; j < i; j++) S_i[j] += slope * running_between(running, i, j);
    }
}

// So dslope_i += the sum over j of dS_ij (sum_i - sum_j), dsum_i += the sum over j of slope_i dS_ij, and dsum_j -=
// slope_i dS_ij. The sums are those that score_forward has left.
static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad) {
    const int H = tables->pos->shape.heads, stride = tables->feature_stride;
    const real *slopes = block->features + block->head + H;
    real *dminus_steps = grad->dfeatures + block->head, *dslopes = dminus_steps + H;
    const Running running = running_of(block, block->scratch);
    real *dsum = block->scratch + running_scratch(block->columns);
    memset(dsum, 0, (size_t)block->columns * sizeof(real));
    for (int row = 0; row < block->rows; row++) {
        const int i = block->columns - block->rows + row;
        const real slope = slopes[(size_t)i * stride], *dS_i = grad->dS + (size_t)row * block->stride;
        double dslope = 0, row_sum = 0;
#pragma omp simd reduction(+ : dslope, row_sum)
        for (int j = 0; j < i; j++) {
            dslope += (double)(dS_i[j] * running_between(running, i, j));
            row_sum += (double)dS_i[j];
            dsum[j] -= slope * dS_i[j];
        }
        dslopes[(size_t)i * stride] += (real)dslope;
        dsum[i] += slope * (real)row_sum;
    }
    running_backward(dminus_steps, dsum, block, stride);
}

#define RELU_OPERATIONS 3 // of a step, forward and backward, with its bias

// For each key that a query sees five forward and eight backward; and for each key itself five in the running sums.
static double operations(const Position *pos, int T) {
    return projected_operations(pos) +
           all_heads(pos) * (RELU_OPERATIONS + LOG_SIGMOID_OPERATIONS + 13 * keys_seen(pos, T) + 5);
}

static const Family family = {
    .layout = projected_layout,
    .input_forward = input_forward,
    .layer_backward = layer_backward,
    .score_forward = score_forward,
    .score_backward = score_backward,
};

const Scheme scheme_cable = {
    .name = "cable",
    .formula = "S_ij -= m_i (a_{j+1} + .. + a_i), a_t = relu(w_h . x_t + b_h), m_i = softplus(w'_h . x_i + b'_h)",
    .paper = "Veisi et al. 2025 (2503.08067), CABLE",
    .help =
        "Context-aware biases: every token makes a step for each head, and the distance from a query to a key is the "
        "sum of the steps between them; a token may make none. Each query multiplies it by a slope of its own. Where "
        "all steps and slopes are equal, this is ALiBi; where all slopes are 1, it is fox, with relu for the logarithm "
        "of the gates.",
    .enters = ENTERS_CONTENT,
    .position_free = true,
    .relative = true,
    .has_corners = true,
    .operations = operations,
    .params = projected_params,
    .feature_count = feature_count,
    .score_scratch = score_scratch,
    .family = &family,
};
