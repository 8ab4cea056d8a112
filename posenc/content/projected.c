#include "posenc/content/projected.h"

#include "num/linear.h"
#include "num/team.h"

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

// z = x w^T + b
void projected_forward(const Tables *tables, int layer, real *z, const real *x, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, F = position_features(pos), stride = tables->feature_stride;
    const real *w = pos->params[PROJECTED_W] + (size_t)layer * F * C, *b = pos->params[PROJECTED_B] + (size_t)layer * F;
    const Share own = share_rows(rows);
    if (own.begin == own.end) return;
    gemm_linear(z + (size_t)own.begin * stride, stride, 0, rows_of(x + (size_t)own.begin * C, C), columns_of(w, C), b,
                own.end - own.begin, F, C);
}

// So dx = dz w, dw = dz^T x and db = the sum of dz over rows.
void projected_backward(const Tables *tables, int layer, real *dx, const real *x, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width, F = position_features(pos);
    const size_t w = (size_t)layer * F * C, b = (size_t)layer * F;
    const real *dz = projected_dz(tables);
    linear_backward_add(dx, dz, pos->params[PROJECTED_W] + w, rows, C, F);
    team_barrier();
    linear_backward_weights(pos->dparams[PROJECTED_W] + w, pos->dparams[PROJECTED_B] + b, dz, x, rows, C, F);
}

double projected_operations(const Position *pos) {
    return 3.0 * 2 * pos->shape.width * pos->shape.layers * position_features(pos);
}
