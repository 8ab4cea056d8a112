#include "posenc/content/vectors.h"

#include "num/gemm.h"
#include "num/team.h"

#include <assert.h>

enum { ROUNDED }; // tables: a copy of the vectors where they are not held in float
enum { SLABS };   // dtables: gradients of the layer at work (B, H, N, d)

static int count_of(const Position *pos) {
    const Vectors *vectors = pos->scheme->recipe;
    return vectors->count(pos);
}

// Numbers of a set.
static size_t set_size(const Position *pos) {
    return (size_t)count_of(pos) * head_width(&pos->shape);
}

// e, or de, of the layer's set.
static real *set_of(real *vectors, const Position *pos, int layer) {
    return vectors + position_set(pos, layer) * set_size(pos);
}

void vectors_layout(Tables *tables, Arena *arena, bool training) {
    const Position *pos = tables->pos;
    assert(pos->scheme->recipe && "VECTOR_HOOKS without VECTOR_SCHEME");
    if (training) tables->dtable[SLABS] = arena_reals(arena, (size_t)tables->batch * pos->shape.heads * set_size(pos));
    if (pos->held_as != FORMAT_FLOAT) tables->table[ROUNDED] = arena_reals(arena, pos->sets * set_size(pos));
}

void vectors_prepare(Tables *tables) {
    const Position *pos = tables->pos;
    if (pos->held_as == FORMAT_FLOAT) return;
    memcpy(tables->table[ROUNDED], pos->params[0], pos->sets * set_size(pos) * sizeof(real));
    round_all(tables->table[ROUNDED], pos->sets * set_size(pos), pos->held_as);
}

void vectors_forward(real *P, const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), N = count_of(pos);
    const real *e = set_of(tables->table[ROUNDED] ? tables->table[ROUNDED] : pos->params[0], pos, block->layer);
    gemm(P, N, 0, block->scale, rows_of(block->q, block->q_stride), columns_of(e, d), block->rows, N, d);
}

// Forward was P = scale q e^T, so dq = scale dP e and de = scale dP^T q.
void vectors_backward(const ScoreGradient *grad, const real *dP, const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), N = count_of(pos), rows = block->rows;
    const real *e = set_of(pos->params[0], pos, block->layer);
    real *de = tables->dtable[SLABS] + ((size_t)block->sequence * pos->shape.heads + block->head) * set_size(pos);
    gemm(grad->dq, block->q_stride, 1, block->scale, rows_of(dP, N), rows_of(e, d), rows, d, N);
    gemm(de, d, 1, block->scale, columns_of(dP, N), rows_of(block->q, block->q_stride), N, d, rows);
}

double vectors_operations(const Position *pos) {
    return all_heads(pos) * 3 * 2 * count_of(pos) * head_width(&pos->shape);
}

void vectors_layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                            const real *x, int rows) {
    const Position *pos = tables->pos;
    slabs_reduce(set_of(pos->dparams[0], pos, layer), tables->dtable[SLABS], tables->batch * pos->shape.heads,
                 (int)set_size(pos));
}
