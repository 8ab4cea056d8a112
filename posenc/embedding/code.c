#include "posenc/embedding/code.h"

#include "model/base/team.h"

void code_layout(Position *pos, Arena *arena, bool training) {
    (void)training;
    pos->code.values = arena_reals(arena, (size_t)pos->positions * pos->shape.width);
}

void code_prepare(Position *pos, void (*fill)(real *code, const Position *pos, int t)) {
#pragma omp parallel for
    for (int t = 0; t < pos->positions; t++) fill(pos->code.values + (size_t)t * pos->shape.width, pos, t);
}

void code_forward(const Position *pos, real *x, const Place *at, int rows) {
    const int C = pos->shape.width;
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *code = pos->code.values + (size_t)at[r].t * C;
        real *x_r = x + (size_t)r * C;
        for (int c = 0; c < C; c++) x_r[c] += code[c];
    }
}

void code_sinusoid(real *code, double peak, int t, int C, double base, bool side_by_side) {
    for (int i = 0; i < C / 2; i++) {
        const double angle = t * pow(base, -2.0 * i / C);
        code[side_by_side ? 2 * i : i] = (real)(peak * sin(angle));
        code[side_by_side ? 2 * i + 1 : C / 2 + i] = (real)(peak * cos(angle));
    }
}
