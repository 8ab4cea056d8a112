#include "posenc/content/gates.h"

#include "num/linear.h"
#include "num/team.h"

// --- a linear layer ---

void projected_params(Position *pos, TensorTable *table) {
    const int F = position_features(pos);
    position_param(pos, table, "w", pos->shape.layers * F, pos->shape.width, INIT_NORMAL, 0.02);
    position_param(pos, table, "b", pos->shape.layers, F, INIT_ZERO, 0);
}

void projected_layout(Tables *tables, Arena *arena, bool training) {
    if (training)
        tables->dtable[0] =
            arena_reals(arena, (size_t)tables->batch * (size_t)tables->positions * position_features(tables->pos));
}

// z = x w^T + b, in the place of the features
void projected_forward(const Tables *tables, int layer, real *features, const real *x, int rows, Feature *forward) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, F = position_features(pos), stride = tables->feature_stride;
    const real *w = pos->params[PROJECTED_W] + (size_t)layer * F * C, *b = pos->params[PROJECTED_B] + (size_t)layer * F;
    const Share own = share_rows(rows);
    if (own.begin == own.end) return;
    gemm_linear(features + (size_t)own.begin * stride, stride, 0, rows_of(x + (size_t)own.begin * C, C),
                columns_of(w, C), b, own.end - own.begin, F, C);
    for (int r = own.begin; r < own.end; r++)
        for (int f = 0; f < F; f++) features[(size_t)r * stride + f] = forward(features[(size_t)r * stride + f], f, F);
}

// So dx = dz w, dw = dz^T x and db = the sum of dz over rows.
void projected_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                        const real *x, int rows, FeatureBackward *backward) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, F = position_features(pos);
    const size_t w = (size_t)layer * F * C, b = (size_t)layer * F;
    const Share own = share_rows(rows);
    real *dz = tables->dtable[0];
    for (int r = own.begin; r < own.end; r++)
        for (int f = 0; f < F; f++) {
            const size_t at = (size_t)r * tables->feature_stride + f;
            dz[(size_t)r * F + f] = backward(dfeatures[at], features[at], f, F);
        }
    linear_backward_add(dx, dz, pos->params[PROJECTED_W] + w, rows, C, F);
    team_barrier();
    linear_backward_weights(pos->dparams[PROJECTED_W] + w, pos->dparams[PROJECTED_B] + b, dz, x, rows, C, F);
}

double projected_operations(const Position *pos) {
    return 3.0 * 2 * pos->shape.width * pos->shape.layers * position_features(pos);
}

// --- running sums ---

Running running_forward(const ScoreBlock *block, const real *numbers, int stride, real *scratch) {
    const Running running = running_of(block, scratch);
    double sum = 0;
    for (int t = 0; t < block->columns; t++) {
        sum += (double)numbers[(size_t)t * stride];
        running.sum[t] = (real)sum;
        running.rest[t] = (real)(sum - (double)running.sum[t]);
    }
    return running;
}

// Number t is part of sum_u for all u >= t, so its gradient is dsum_u added up over these.
void running_backward(real *dnumbers, const real *dsum, const ScoreBlock *block, int stride) {
    double sum = 0;
    for (int t = block->columns - 1; t >= 0; t--) {
        sum += (double)dsum[t];
        dnumbers[(size_t)t * stride] += (real)sum;
    }
}

// --- gates ---

// Neither form of exp may overflow: log f = -log(1 + e^-z) where z >= 0, and z - log(1 + e^z) where z < 0.
real log_sigmoid(real z) {
    return (real)(fmin((double)z, 0) - log1p(exp(-fabs((double)z))));
}

// dz = (1 - f) dlog f
real log_sigmoid_backward(real dlog_f, real log_f) {
    return (real)(-expm1((double)log_f) * (double)dlog_f);
}

// S_ij += log f_{j+1} + ... + log f_i = sum_i - sum_j, where sum_t is the sum of log f over all tokens up to t.
void forget_forward(const ScoreBlock *block, const real *log_f, int stride, real *scratch) {
    const Running running = running_forward(block, log_f, stride, scratch);
    for (int row = 0; row < block->rows; row++) {
        const int i = block->columns - block->rows + row;
        real *S_i = block->S + (size_t)row * block->stride;
        for (int j = 0; j < i; j++) S_i[j] += running_between(running, i, j);
    }
}

// So dsum_i += the sum of row i of dS, and dsum_j -= the sum of column j.
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
    running_backward(dlog_f, dsum, block, stride);
}

// For each key that a query sees, four forward and two backward; and for each key itself five in the running sums.
double forget_operations(double keys) {
    return 6 * keys + 5;
}
