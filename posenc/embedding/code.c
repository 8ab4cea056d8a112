#include "posenc/embedding/code.h"

#include "num/team.h"

#include <assert.h>

enum { CODES };           // tables (positions, C)
enum { DFACTOR, DCODES }; // dtables: (C) what each channel adds to the gradient of the factor; (positions, C)

static const Code *code_of(const Position *pos) {
    return pos->scheme->recipe;
}

static bool has_gain(const Position *pos) {
    return position_trained(pos) && !code_of(pos)->is_table && !code_of(pos)->code_backward;
}

// Is it computed from trained parameters?
static bool computes_code(const Position *pos) {
    return position_trained(pos) && code_of(pos)->code_backward;
}

// What the code is multiplied by.
static real factor_of(const Position *pos) {
    return (has_gain(pos) ? pos->params[0][0] : 1) * gate_of(pos, 0);
}

static void layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    const size_t C = (size_t)pos->shape.width;
    assert(pos->scheme->recipe && code_of(pos)->code && "CODE_SCHEME: the scheme has no .code");
    tables->table[CODES] = arena_reals(arena, (size_t)tables->positions * C);
    if (training && (has_gain(pos) || pos->gated)) tables->dtable[DFACTOR] = arena_reals(arena, C);
    if (training && computes_code(pos)) tables->dtable[DCODES] = arena_reals(arena, (size_t)tables->positions * C);
}

static void prepare(Tables *tables) {
    const Position *pos = tables->pos;
    if (tables->prepared && !code_of(pos)->is_table && !computes_code(pos)) return; // only its factor is trained
#pragma omp parallel for
    for (int t = 0; t < tables->positions; t++)
        code_of(pos)->code(tables->table[CODES] + (size_t)t * pos->shape.width, tables, t);
    round_all(tables->table[CODES], (size_t)tables->positions * pos->shape.width, pos->held_as);
}

static void embed_forward(const Tables *tables, real *x, const Place *at, int rows) {
    const int C = tables->pos->shape.width;
    const real factor = factor_of(tables->pos);
    const Share own = share_rows(rows);
    for (int r = own.begin; r < own.end; r++) {
        const real *code = tables->table[CODES] + (size_t)at[r].t * C;
        real *x_r = x + (size_t)r * C;
        for (int c = 0; c < C; c++) x_r[c] += factor * code[c];
    }
}

// The factor is gain * gate, so each gets the sum times the other.
static void factor_backward(const Tables *tables) {
    const Position *pos = tables->pos;
    double sum = 0;
    for (int c = 0; c < pos->shape.width; c++) sum += (double)tables->dtable[DFACTOR][c];
    const double gain = has_gain(pos) ? (double)pos->params[0][0] : 1, gate = (double)gate_of(pos, 0);
    if (has_gain(pos)) pos->dparams[0][0] += (real)(gate * sum);
    if (pos->gated) *dgate_of(pos, 0) += (real)(gain * sum);
    memset(tables->dtable[DFACTOR], 0, (size_t)pos->shape.width * sizeof(real));
}

// The parameters that the codes are computed from get the sum over all positions.
static void codes_backward(const Tables *tables) {
    const Position *pos = tables->pos;
    const size_t C = (size_t)pos->shape.width;
    for (int t = 0; t < tables->positions; t++)
        code_of(pos)->code_backward(tables, tables->dtable[DCODES] + (size_t)t * C, t);
    memset(tables->dtable[DCODES], 0, (size_t)tables->positions * C * sizeof(real));
}

// Forward was x[r] += factor code[at[r]], so each row of a trained table collects the gradients of the tokens that read
// it, and the factor collects dx . code. Threads share the channels, not the rows: rows may have equal positions.
static void embed_backward(const Tables *tables, const real *dx, const Place *at, int rows) {
    const Position *pos = tables->pos;
    const int C = pos->shape.width;
    const real factor = factor_of(pos);
    const Share own = share_columns(C);
    real *dcodes = code_of(pos)->is_table ? pos->dparams[0] : tables->dtable[DCODES],
         *dfactor = tables->dtable[DFACTOR];
    for (int r = 0; r < rows; r++) {
        const size_t t = (size_t)at[r].t * C;
        const real *dx_r = dx + (size_t)r * C, *code = tables->table[CODES] + t;
        for (int c = own.begin; dcodes && c < own.end; c++) dcodes[t + c] += factor * dx_r[c];
        for (int c = own.begin; dfactor && c < own.end; c++) dfactor[c] += dx_r[c] * code[c];
    }
    if (!tables->dtable[DFACTOR] && !tables->dtable[DCODES]) return;
    team_barrier();
#pragma omp single
    {
        if (tables->dtable[DFACTOR]) factor_backward(tables);
        if (tables->dtable[DCODES]) codes_backward(tables);
    }
}

const Family code_family = {
    .layout = layout,
    .prepare = prepare,
    .rounds = "codes, and before that the angles of sinusoidal ones",
    .embed_forward = embed_forward,
    .embed_backward = embed_backward,
};

// For each channel an addition, with a trained table another one backward, and four where a factor is trained.
double code_operations(const Position *pos, int T) {
    const int each = has_gain(pos) || pos->gated ? 4 : 1;
    return (each + (code_of(pos)->is_table || computes_code(pos))) * (double)pos->shape.width;
}

const char *sinusoid_check(const Position *pos) {
    return pos->shape.width % 2 ? "sines and cosines come in pairs, so --width must be even" : NULL;
}

void code_sinusoid(real *code, double peak, int t, int C, double base, bool side_by_side, NumberFormat held_as,
                   int last) {
    for (int i = 0; i < C / 2; i++) {
        const double angle = rounded(t * pow(base, -2.0 * i / C), held_as, last);
        code[side_by_side ? 2 * i : i] = (real)(peak * sin(angle));
        code[side_by_side ? 2 * i + 1 : C / 2 + i] = (real)(peak * cos(angle));
    }
}
