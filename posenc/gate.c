#include "posenc/gate.h"

#include "model/base/team.h"

#include <stdio.h>

static const Option gate_option =
    CHOICE_ROW("gate", 0, "none", "none|trained", "HOW", "trained: a number for each layer weighs the scheme");

// --- the option ---

bool gate_parse(bool *gated, char rest[TEXT_CAPACITY], const char *list, const char *owner, Error *error) {
    size_t used = 0;
    int kept = 0;
    bool seen = false;
    *gated = false;
    *rest = 0;
    while (list && *list) {
        const size_t length = strcspn(list, ","), name = strcspn(list, "=,");
        if (name != strlen("gate") || strncmp(list, "gate", name) != 0) {
            used += (size_t)snprintf(rest + used, TEXT_CAPACITY - used, "%s%.*s", kept++ ? "," : "", (int)length, list);
        } else {
            char value[TEXT_CAPACITY], label[TEXT_CAPACITY];
            int choice;
            snprintf(value, sizeof value, "%.*s", (int)(length - name), list + name);
            snprintf(label, sizeof label, "%.*s:gate", (int)strcspn(owner, ":"), owner);
            if (seen) return fail_input(error, "%s is given twice", label);
            if (!option_set(&choice, &gate_option, *value ? value + 1 : "", label, error)) return false;
            *gated = choice == 1;
            seen = true;
        }
        if (list[length] && !list[length + 1])
            snprintf(rest + used, TEXT_CAPACITY - used, ","); // there is another, empty
        list += length + (list[length] == ',');
    }
    return true;
}

// --- codes added to the embeddings ---

static void codes_layout(Tables *tables, Arena *arena, bool training) {
    const size_t C = (size_t)tables->pos->shape.width;
    tables->gate.code = arena_reals(arena, (size_t)tables->batch * (size_t)tables->positions * C);
    if (training) tables->gate.sums = arena_reals(arena, C);
}

// The codes of the calling thread's rows.
static void codes_forward(const Tables *tables, const Place *at, int rows) {
    const size_t C = (size_t)tables->pos->shape.width;
    const Share own = share_rows(rows);
    memset(tables->gate.code + own.begin * C, 0, (size_t)(own.end - own.begin) * C * sizeof(real));
    tables->pos->scheme->embed_forward(tables, tables->gate.code, at, rows);
}

// x += g code
static void embed_forward(const Tables *tables, real *x, const Place *at, int rows) {
    const size_t C = (size_t)tables->pos->shape.width;
    const real g = gates_of(tables->pos)[0], *code = tables->gate.code;
    const Share own = share_rows(rows);
    codes_forward(tables, at, rows);
    for (size_t n = own.begin * C; n < own.end * C; n++) x[n] += g * code[n];
}

// So dg = dx . code, and dcode = g dx, which takes the place of the code.
static void embed_backward(const Tables *tables, const real *dx, const Place *at, int rows) {
    const Scheme *scheme = tables->pos->scheme;
    const int C = tables->pos->shape.width;
    const real g = gates_of(tables->pos)[0];
    real *code = tables->gate.code;
    const Share own = share_columns(C);
    codes_forward(tables, at, rows);
    team_barrier();
    for (int r = 0; r < rows; r++)
        for (int c = own.begin; c < own.end; c++) {
            const size_t n = (size_t)r * C + c;
            tables->gate.sums[c] += dx[n] * code[n];
            code[n] = g * dx[n];
        }
    team_barrier();
    if (scheme->embed_backward) scheme->embed_backward(tables, code, at, rows);
}

// dg is the sum of its parts, one for each channel.
static void codes_reduce(Tables *tables) {
    const int C = tables->pos->shape.width;
    double dg = 0;
    for (int c = 0; c < C; c++) dg += (double)tables->gate.sums[c];
    dgates_of(tables->pos)[0] += (real)dg;
    memset(tables->gate.sums, 0, (size_t)C * sizeof(real));
}

// For each channel a product forward, and three operations backward.
static double codes_operations(const Position *pos, int T) {
    return 4.0 * pos->shape.width;
}

static const Gated codes = {
    .layout = codes_layout,
    .reduce = codes_reduce,
    .operations = codes_operations,
    .embed_forward = embed_forward,
    .embed_backward = embed_backward,
};

// --- scores ---

static void scores_layout(Tables *tables, Arena *arena, bool training) {
    if (training) tables->gate.slabs = arena_reals(arena, (size_t)tables->batch * tables->pos->shape.heads);
}

static size_t score_scratch(int rows, int columns) {
    return (size_t)rows * columns;
}

// S -> g F(S) + (1 - g) S, which is F(S) where g = 1 and S where g = 0, to the last bit. What is left for backward is
// F(S) - S.
static void score_forward(const Tables *tables, const ScoreBlock *block, real *scratch) {
    const real g = gates_of(tables->pos)[block->layer];
    for (int i = 0; i < block->rows; i++)
        memcpy(scratch + (size_t)i * block->columns, block->S + (size_t)i * block->stride,
               (size_t)block->columns * sizeof(real));
    tables->pos->scheme->score_forward(tables, block);
    for (int i = 0; i < block->rows; i++) {
        const int seen = block_seen(block, i);
        real *S_i = block->S + (size_t)i * block->stride, *before = scratch + (size_t)i * block->columns;
        for (int j = 0; j < seen; j++) {
            const real F = S_i[j], S = before[j];
            S_i[j] = g * F + (1 - g) * S;
            before[j] = F - S;
        }
    }
}

// So dg = dS . (F(S) - S); F gets g dS, from which the scheme makes its gradients and that of its scores; and (1 - g)
// dS goes past it. A scheme that computes its own scores reads none: of them there is no gradient.
static void score_backward(const Tables *tables, const ScoreBlock *block, const ScoreGradient *grad, real *scratch) {
    const Scheme *scheme = tables->pos->scheme;
    const real g = gates_of(tables->pos)[block->layer];
    double dg = 0;
    for (int i = 0; i < block->rows; i++) {
        const int seen = block_seen(block, i);
        real *dS_i = grad->dS + (size_t)i * block->stride, *kept = scratch + (size_t)i * block->columns;
        for (int j = 0; j < seen; j++) {
            dg += (double)(dS_i[j] * kept[j]);
            kept[j] = dS_i[j];
            if (scheme->score_backward) dS_i[j] *= g;
        }
    }
    tables->gate.slabs[block->sequence * tables->pos->shape.heads + block->head] += (real)dg;
    if (!scheme->score_backward) return;
    scheme->score_backward(tables, block, grad);
    for (int i = 0; i < block->rows; i++) {
        const int seen = block_seen(block, i);
        real *dS_i = grad->dS + (size_t)i * block->stride;
        const real *kept = scratch + (size_t)i * block->columns;
        for (int j = 0; j < seen; j++) dS_i[j] = (scheme->own_scores ? 0 : dS_i[j]) + (1 - g) * kept[j];
    }
}

static void score_reduce(const Tables *tables, int layer) {
    const Scheme *scheme = tables->pos->scheme;
    slabs_reduce(dgates_of(tables->pos) + layer, tables->gate.slabs, tables->batch * tables->pos->shape.heads, 1);
    if (scheme->score_reduce) scheme->score_reduce(tables, layer);
}

// For each key that a query sees four forward; backward two, and three more where scores have a gradient.
static double scores_operations(const Position *pos, int T) {
    return all_heads(pos) * (pos->scheme->score_backward ? 9 : 6) * keys_seen(pos, T);
}

static const Gated scores = {
    .layout = scores_layout,
    .operations = scores_operations,
    .score_scratch = score_scratch,
    .score_forward = score_forward,
    .score_backward = score_backward,
    .score_reduce = score_reduce,
};

// --- any of them ---

static const Gated *way_of(const Scheme *scheme) {
    return scheme->gated ? scheme->gated : scheme->embed_forward ? &codes : scheme->score_forward ? &scores : NULL;
}

const Gated *gated_of(const Position *pos) {
    return pos->gated ? way_of(pos->scheme) : NULL;
}

bool gate_check(const Position *pos, Error *error) {
    const char *name = pos->scheme->name;
    const Gated *gated = gated_of(pos);
    const char *complaint = gated && gated->complaint ? gated->complaint(pos) : NULL;
    if (complaint) return fail_input(error, "%s: %s", name, complaint);
    if (!pos->gated || gated) return true;
    if (!pos->scheme->qk_forward)
        return fail_input(error, "%s has no positions that a gate could weigh; leave out gate=trained", name);
    return fail_input(error,
                      "%s: gate=trained multiplies the angle t theta of rotations that are the same in all heads, and "
                      "this scheme changes queries and keys otherwise; use rope, partial or prope",
                      name);
}

void gate_params(Position *pos, TensorTable *table) {
    position_param(pos, table, GATE_TENSOR, gate_count(pos), 0, INIT_ONE, 0);
}
