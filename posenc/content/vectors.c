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

static int reached(const Position *pos, int positions) {
    const int all = count_of(pos);
    return all <= positions ? all : positions + 1;
}

int vectors_reached(const Tables *tables) {
    return reached(tables->pos, tables->positions);
}

static size_t slab_size(const Tables *tables) {
    return (size_t)vectors_reached(tables) * head_width(&tables->pos->shape);
}

static size_t all_vectors(const Position *pos) {
    return (size_t)pos->sets * count_of(pos) * head_width(&pos->shape);
}

// e, or de, of the layer's set.
static real *set_of(real *vectors, const Position *pos, int layer) {
    return vectors + (size_t)position_set(pos, layer) * count_of(pos) * head_width(&pos->shape);
}

void vectors_layout(Tables *tables, Arena *arena, bool training) {
    assert(tables->pos->scheme->recipe && "VECTOR_HOOKS without VECTOR_SCHEME");
    if (training)
        tables->dtable[SLABS] =
            arena_reals(arena, (size_t)tables->batch * tables->pos->shape.heads * slab_size(tables));
    if (tables->pos->held_as != FORMAT_FLOAT) tables->table[ROUNDED] = arena_reals(arena, all_vectors(tables->pos));
}

void vectors_prepare(Tables *tables) {
    const Position *pos = tables->pos;
    if (pos->held_as == FORMAT_FLOAT) return;
    memcpy(tables->table[ROUNDED], pos->params[0], all_vectors(pos) * sizeof(real));
    round_all(tables->table[ROUNDED], all_vectors(pos), pos->held_as);
}

void vectors_forward(real *P, const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), N = vectors_reached(tables);
    const real *e = set_of(tables->table[ROUNDED] ? tables->table[ROUNDED] : pos->params[0], pos, block->layer);
    gemm(P, N, 0, block->scale, rows_of(block->q, block->q_stride), columns_of(e, d), block->rows, N, d);
}

// Forward was P = scale q e^T, so dq = scale dP e and de = scale dP^T q.
void vectors_backward(const ScoreGradient *grad, const real *dP, const Tables *tables, const ScoreBlock *block) {
    const Position *pos = tables->pos;
    const int d = head_width(&pos->shape), N = vectors_reached(tables), rows = block->rows;
    const real *e = set_of(pos->params[0], pos, block->layer);
    real *de = tables->dtable[SLABS] + ((size_t)block->sequence * pos->shape.heads + block->head) * slab_size(tables);
    gemm(grad->dq, block->q_stride, 1, block->scale, rows_of(dP, N), rows_of(e, d), rows, d, N);
    gemm(de, d, 1, block->scale, columns_of(dP, N), rows_of(block->q, block->q_stride), N, d, rows);
}

double vectors_operations(const Position *pos) {
    return all_heads(pos) * 3 * 2 * reached(pos, position_span(pos)) * head_width(&pos->shape);
}

void vectors_layer_backward(const Tables *tables, int layer, real *dx, const real *dfeatures, const real *features,
                            const real *x, int rows) {
    const Position *pos = tables->pos;
    slabs_reduce(set_of(pos->dparams[0], pos, layer), tables->dtable[SLABS], tables->batch * pos->shape.heads,
                 (int)slab_size(tables));
}
