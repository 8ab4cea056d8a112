#include "posenc/embedding/code.h"

#include "model/base/team.h"

#include <assert.h>

void code_layout(Tables *tables, Arena *arena, bool training) {
    assert(tables->pos->scheme->code && "CODE_HOOKS: the scheme has no .code");
    tables->code.values = arena_reals(arena, (size_t)tables->positions * tables->pos->shape.width);
}

void code_prepare(Tables *tables) {
    const Position *pos = tables->pos;
#pragma omp parallel for
    for (int t = 0; t < tables->positions; t++)
        pos->scheme->code(tables->code.values + (size_t)t * pos->shape.width, tables, t);
}

void code_forward(const Tables *tables, real *x, const Place *at, int rows) {
    const int C = tables->pos->shape.width;
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *code = tables->code.values + (size_t)at[r].t * C;
        real *x_r = x + (size_t)r * C;
        for (int c = 0; c < C; c++) x_r[c] += code[c];
    }
}

double code_operations(const Position *pos, int T) {
    return pos->shape.width;
}

const char *sinusoid_check(const Position *pos) {
    return pos->shape.width % 2 ? "sines and cosines come in pairs, so --width must be even" : NULL;
}

void code_sinusoid(real *code, double peak, int t, int C, double base, bool side_by_side) {
    for (int i = 0; i < C / 2; i++) {
        const double angle = t * pow(base, -2.0 * i / C);
        code[side_by_side ? 2 * i : i] = (real)(peak * sin(angle));
        code[side_by_side ? 2 * i + 1 : C / 2 + i] = (real)(peak * cos(angle));
    }
}
