#include "posenc/content/operands.h"

#include "num/gemm.h"

static const MakesOperands *recipe_of(const Tables *tables) {
    return tables->pos->scheme->recipe;
}

// In training a head has as many queries as keys.
static Operands operands_take(Arena *arena, const Tables *tables, int rows, int columns, bool training) {
    const MakesOperands *recipe = recipe_of(tables);
    const int d = head_width(&tables->pos->shape), w = recipe->wide * d;
    const size_t queries = (size_t)(training ? columns : rows) * (size_t)w, keys = (size_t)columns * (size_t)w;
    const size_t across = gemm_packed_size(w, columns), down = gemm_packed_size(columns, w);
    Operands o = {.width = w, .q = arena_reals(arena, queries), .k = arena_reals(arena, keys)};
    o.own = arena_reals(arena, ((size_t)recipe->own_rows * (size_t)columns + (size_t)recipe->own_vectors) * (size_t)d);
    if (!training) return o;
    o.dq = arena_reals(arena, queries);
    o.dk = arena_reals(arena, keys);
    for (int i = 0; i < 3; i++) o.packed[i] = arena_reals(arena, across > down ? across : down);
    return o;
}

size_t operands_scratch(const Tables *tables, int rows, int columns, bool training) {
    Arena counted = {0};
    operands_take(&counted, tables, rows, columns, training);
    return counted.used / sizeof(real);
}

static Operands operands_of(const OwnHead *head) {
    Arena scratch = scratch_of(&head->all);
    return operands_take(&scratch, head->tables, head->all.rows, head->all.columns, head->training);
}

static Operands begin(const OwnHead *head) {
    const Operands o = operands_of(head);
    recipe_of(head->tables)->forward(head->tables, &head->all, &o);
    return o;
}

static void begin_backward(const OwnHead *head) {
    const Operands o = operands_of(head);
    memset(o.dk, 0, (size_t)head->all.columns * o.width * sizeof(real));
}

static void end_backward(const OwnHead *head, const ScoreGradient *grad) {
    const Operands o = operands_of(head);
    recipe_of(head->tables)->backward(head->tables, &head->all, grad, &o);
}

const AttentionOp operands_attention = {.begin = begin, .begin_backward = begin_backward, .end_backward = end_backward};
